"""Builds a Comparison for each metric of a workload: a common call tree, and costs by run, symbol and source line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np

from profgate.compare.columns import (
    CompareOptions,
    Forest,
    RunColumns,
    call_edges,
    checked,
    factor_of,
    forest_of,
    merged_forest,
    path_calls,
    place_of,
    run_columns,
    run_count,
    significant_rows,
    stack_columns,
    stored_metric,
    within_real,
)
from profgate.compare.comparability import on_other_machine
from profgate.compare.metrics import sample_values
from profgate.compare.symbols import Identity, Numbering, waiting_symbols
from profgate.errors import ComparisonError
from profgate.model.arrays import BoolArray, FloatArray, IntArray, distinct, read_only
from profgate.model.call_tree import added_at
from profgate.model.comparison import (
    ELSEWHERE,
    CallEdges,
    Comparison,
    DiffTree,
    LineCosts,
    NameTable,
    Noise,
    Note,
    RunCosts,
    Runs,
    Sampling,
)
from profgate.model.profile import Facts, Profile, Workload, counted_warning
from profgate.model.reason import Reason, ReasonCode
from profgate.model.record import Record, asdict
from profgate.model.units import Metric, MetricKind

if TYPE_CHECKING:
    from profgate.model.kernels import Kernels

# in these formats, or from these profilers, the line of a frame is the executed line, not the function's first line
_FORMATS = frozenset({"austin", "folded", "jfr", "python-sampling"})
_PROFILERS = frozenset({"py-spy", "rbspy", "austin", "phpspy"})
_LINE_AT_END = re.compile(r":(\d{1,9})\)$")
_MOST_LINES = 1 << 20  # upper limit; larger numbers are not line numbers


def line_costs(
    profiles: Sequence[Profile],
    numbering: Numbering,
    metric: Metric,
    forest: Forest | None,
    kernels: Kernels | None = None,
) -> LineCosts | None:
    """Return the costs of the executed lines, or None if a profile does not record executed lines.

    Stacks that `Forest.dropped` marks have no cost. In the total cost of a line, each stack is counted once.
    """
    known: list[IntArray] = []
    for profile, symbols in zip(profiles, numbering.maps, strict=True):
        if (of_profile := _places(profile, symbols)) is None:
            return None
        known.append(of_profile)
    # if every function has a single line, the lines are probably those at which the functions begin
    if not _has_two_lines(np.concatenate(known)):
        return None
    if forest is None and any(profile.graph is None for profile in profiles):
        return None
    keys, number = np.unique(np.concatenate(known), return_inverse=True)
    maps = np.split(number, np.cumsum([len(of_profile) for of_profile in known])[:-1])
    if forest is None:
        own, total = _of_graphs(profiles, maps, metric, len(keys))
    else:
        own, total = _of_stacks(profiles, maps, metric, forest, len(keys), kernels)
        executed = (keys % _MOST_LINES > 0) & total.any(axis=0)
        keys, own, total = keys[executed], own[:, executed], total[:, executed]
    if not _has_two_lines(keys):
        return None
    return LineCosts(read_only(keys // _MOST_LINES), read_only(keys % _MOST_LINES), read_only(own), read_only(total))


def _has_two_lines(keys: IntArray) -> bool:
    """Return whether a symbol has several of these lines."""
    symbols = distinct(keys) // _MOST_LINES
    return bool((symbols[1:] == symbols[:-1]).any())


def _places(profile: Profile, symbols: IntArray) -> IntArray | None:
    """Return the key of the line of each frame or line of a profile, or None if it records no executed lines."""
    if profile.graph is not None and profile.graph.lines is not None:
        lines = profile.graph.lines
        return symbols[lines.frame] * _MOST_LINES + np.minimum(lines.line, _MOST_LINES - 1)
    if profile.stacks is None:
        return None
    executed = np.fromiter(_executed(profile), np.int64, len(symbols))
    return symbols * _MOST_LINES + executed if executed.any() else None


@lru_cache(maxsize=1 << 14)
def _line_at_end(name: str) -> int:
    """Return the line in a name such as ``parse (cart.py:12)``, or 0. All runs of a workload have the same names."""
    found = _LINE_AT_END.search(name)
    return int(found[1]) if found else 0


def _of_graphs(
    profiles: Sequence[Profile], maps: Sequence[IntArray], metric: Metric, count: int
) -> tuple[IntArray, IntArray]:
    """Return the self and total values by run and line of profiles without stacks."""
    own, total = np.zeros((len(profiles), count), np.int64), np.zeros((len(profiles), count), np.int64)
    for run, (profile, rows) in enumerate(zip(profiles, maps, strict=True)):
        place, graph = place_of(profile, metric), profile.graph
        if place is not None and graph is not None and graph.lines is not None:
            factor = factor_of(profile, place, metric)
            for sums, values in ((own, graph.lines.self_value), (total, graph.lines.total_value)):
                sums[run] = added_at(count, rows, checked(values[place], factor, profile.name))
    return own, total


def _of_stacks(
    profiles: Sequence[Profile],
    maps: Sequence[IntArray],
    metric: Metric,
    forest: Forest,
    count: int,
    kernels: Kernels | None,
) -> tuple[IntArray, IntArray]:
    """Return the self and total values by run and line. ``forest`` is that of the symbols."""
    lines = merged_forest(profiles, maps, kernels)
    if lines is None:
        raise ComparisonError(profiles[0].name, "has no stacks")
    for here, rows in zip(lines.leaf_rows, forest.leaf_rows, strict=True):
        lines.dropped[here] = forest.dropped[rows]
    columns, _ = stack_columns(profiles, lines, count, metric)
    return columns.own, columns.total


def _executed(profile: Profile) -> Iterator[int]:
    """Yield the executed line of each frame, or 0 if it is unknown."""
    frames, facts = profile.frames, profile.facts
    if frames.executed is not None:
        yield from (line or 0 for line in frames.executed)
    elif facts.format in _FORMATS or facts.profiler in _PROFILERS:
        if not any(frames.lines) and not any(map(str.endswith, frames.names, repeat(")"))):
            yield from repeat(0, len(frames.names))
            return
        for name, line in zip(frames.names, frames.lines, strict=True):
            found = line or (_line_at_end(name) if line is None else 0)
            yield found if found < _MOST_LINES else 0
    else:
        yield from repeat(0, len(frames.names))


def names_of(workload: Workload, numbering: Numbering) -> NameTable:
    """Return the names of both sides. The maps are in the order baseline, target, base runs."""
    baselines, targets = len(workload.baseline_runs), len(workload.target_runs)
    present = np.zeros((2, len(numbering.symbols)), np.bool_)
    for run, mapping in enumerate(numbering.maps[: baselines + targets]):
        present[int(run >= baselines), mapping] = True
    facts = (workload.baseline_runs[0].facts, workload.target_runs[0].facts)
    return NameTable(symbols=numbering.symbols, present=read_only(present), facts=facts)


class SettledNames(Record):
    """The symbols of all runs of a workload, and what was done to number them.

    ``aliases`` and ``files`` map names of the baseline to those of the target. ``groups`` contains the symbols that are
    several functions because nothing distinguishes them, and the number of these functions in the target.
    """

    numbering: Numbering
    aliases: Mapping[Identity, Identity]
    files: Mapping[str, str]
    groups: Mapping[Identity, int]


class AlignedRuns:
    """The runs of a workload with one numbering of their symbols. Base runs on other machines are left out."""

    def __init__(self, workload: Workload, settled: SettledNames, options: CompareOptions) -> None:
        numbering = settled.numbering
        self._names, self._options, self._settled = names_of(workload, numbering), options, settled
        self._workload, self._former = workload, {new: old for old, new in settled.aliases.items()}
        self._runs, self._split = (*workload.baseline_runs, *workload.target_runs), len(workload.baseline_runs)
        self._numbering = Numbering(numbering.symbols, numbering.maps[: len(self._runs)])
        self._target = [profile.facts for profile in workload.target_runs]
        base_runs = zip(workload.noise_runs, numbering.maps[len(self._runs) :], strict=True)
        self._base_runs = [pair for pair in base_runs if not self._is_elsewhere(pair[0].facts)]
        self._forest = forest_of(self._runs, self._numbering, options)
        self._waiting = waiting_symbols(numbering.symbols)

    def _is_elsewhere(self, facts: Facts) -> bool:
        return on_other_machine(facts, self._target)

    def costs(self, metric: Metric) -> RunCosts:
        """Return the costs in one metric of both sides. Raises ComparisonError if values overflow."""
        metric = stored_metric(metric, [*self._runs, *(profile for profile, _ in self._base_runs)])
        columns, rows = run_columns(self._runs, self._numbering, metric, self._forest, self._waits(metric))
        period = self._period(metric)
        return RunCosts(
            **asdict(self._names),
            metric=metric,
            runs=self._counts(metric),
            self_value=read_only(columns.own),
            total_value=read_only(columns.total),
            active_total=read_only(columns.active),
            run_totals=read_only(columns.sums),
            sampling=Sampling(period, _sample_values(self._runs, metric)),
            tree=None if self._forest is None else self._diff_tree(self._forest, rows, period),
            edges=self._edges(metric) if self._forest is None else None,
        )

    def comparison(self, costs: RunCosts, notes: tuple[Note, ...]) -> Comparison:
        """Return the comparison in one metric. Raises ComparisonError if values overflow."""
        metric, split, maps = costs.metric, self._split, self._numbering.maps
        paired, attachments = list(zip(self._runs, maps, strict=True)), tuple[object, ...]()
        if any(profile.measurements or profile.attachments for profile in self._runs):
            from profgate.compare.growth import cost_models, observations  # imported only for records and models

            records = observations(self._runs, maps, split, metric)
            attachments = (records, cost_models((paired[:split], paired[split:]), records))
        identities = enumerate(zip(costs.symbols.names, costs.symbols.files, strict=True))
        renamed = {place: self._former[key] for place, key in identities if key in self._former}
        return Comparison(
            **asdict(costs),
            workload=self._workload.name,
            configuration=self._workload.configuration,
            noise=self._noise(metric),
            waiting=read_only(self._waits(metric)),
            lines=line_costs(self._runs, self._numbering, metric, self._forest, self._options.kernels),
            attachments=tuple(part for part in attachments if part is not None),
            notes=notes,
            warnings=self._warnings(costs),
            renamed=renamed,
            files=self._settled.files,
        )

    def _waits(self, metric: Metric) -> BoolArray:
        # waiting takes time, but neither memory nor events
        return self._waiting if metric.unit in ("nanoseconds", "samples") else np.zeros_like(self._waiting)

    def _noise(self, metric: Metric) -> Noise:
        symbols, waits = self._numbering.symbols, self._waits(metric)
        nothing = np.zeros((0, len(symbols)), np.int64)
        found = [RunColumns(nothing, nothing, np.zeros(0, np.int64), nothing)]
        for profile, mapping in self._base_runs:
            numbering = Numbering(symbols, (mapping,))
            forest = forest_of([profile], numbering, self._options)
            found.append(run_columns([profile], numbering, metric, forest, waits)[0])
        own, _, sums, active = (read_only(np.concatenate(column)) for column in zip(*found, strict=True))
        return Noise(own, sums, active, _sample_values([profile for profile, _ in self._base_runs], metric))

    def _counts(self, metric: Metric) -> Runs:
        # all files of a base run were recorded by one job, even if the files do not name the job
        noise = [profile for profile, _ in self._base_runs]
        noise_jobs = _numbered([profile.facts.job or place for place, profile in enumerate(noise)], noise, metric)
        baseline, target = self._workload.baseline_runs, self._workload.target_runs
        base = (*baseline, *self._workload.noise_runs)
        return Runs(
            sum(map(run_count, baseline, repeat(metric))),
            sum(map(run_count, target, repeat(metric))),
            len(noise_jobs),
            self._jobs(baseline, metric),
            self._jobs(target, metric),
            noise_jobs,
            len({profile.facts.job for profile in base if self._is_elsewhere(profile.facts)}),
        )

    def _jobs(self, profiles: Sequence[Profile], metric: Metric) -> tuple[int, ...] | None:
        """Return the number of the job that recorded each run, or None if a profile does not contain its job."""
        facts = [profile.facts for profile in profiles]
        if any(known.job is None for known in facts):
            return None
        jobs = [ELSEWHERE if self._is_elsewhere(known) else known.job for known in facts]
        return _numbered(jobs, profiles, metric)

    def _period(self, metric: Metric) -> int | None:
        """Return the value of one sample in stored units, or None if this value is unknown or differs between runs."""
        if metric.kind is not MetricKind.SAMPLED:
            return None
        found = set()
        for profile in (*self._runs, *(profile for profile, _ in self._base_runs)):
            place = place_of(profile, metric)
            period = profile.periods[place] if place is not None and place < len(profile.periods) else None
            found.add(None if period is None or place is None else period * factor_of(profile, place, metric))
        return found.pop() if len(found) == 1 else None

    def _edges(self, metric: Metric) -> CallEdges | None:
        """Return the call edges of formats without stacks, or None if a run has no call graph."""
        graphs, totals = [], []
        for profile in self._runs:
            place = place_of(profile, metric)
            if profile.graph is None or place is None:
                return None
            graphs.append(profile.graph)
            totals.append(checked(profile.graph.edge_total[place], factor_of(profile, place, metric), profile.name))
        return call_edges(graphs, self._numbering.maps, totals, len(self._numbering.symbols), self._split)

    def _diff_tree(self, forest: Forest, rows: Sequence[IntArray], period: int | None) -> DiffTree:
        tree, sides = forest.tree, (slice(self._split), slice(self._split, None))
        runs = read_only(np.stack(rows))
        before, after = (np.add.reduce(runs[side], axis=0) for side in sides)
        bodies = [profile.stacks for profile in self._runs]
        calls = [path_calls(bodies[side], forest.leaf_rows[side], tree, forest.dropped) for side in sides]
        return DiffTree(
            *(tree.parent, tree.symbol, tree.depth, tree.end),
            read_only(before),
            read_only(after),
            read_only(tree.totals(before)),
            read_only(tree.totals(after)),
            calls[0],
            calls[1],
            evidence=significant_rows(tree, rows, self._split, period),
            run_self=runs,
        )

    def _warnings(self, costs: RunCosts) -> tuple[Reason, ...]:
        runs, counts = Counter[str](), dict[str, int]()
        for profile in self._runs:
            runs.update([*profile.warnings, *sorted(profile.warning_counts)])
            # runs of one program mostly count the same things, so a sum would be too large
            for what, count in profile.warning_counts.items():
                counts[what] = max(count, counts.get(what, 0))
        found: list[Reason] = []
        for what, times in runs.items():
            text = counted_warning(what, counts[what]) if what in counts else what
            found.append(Reason(ReasonCode.PROFILE_WARNING, {"text": text, "runs": times}))
        if not len(costs.symbols) or not costs.run_totals.any():
            found.append(Reason(ReasonCode.NO_SAMPLES, {"side": "both"}))
        if any(profile.measurements is not None and within_real(profile.measurements).any() for profile in self._runs):
            found.append(Reason(ReasonCode.REAL_TIME))
        if self._forest is not None and self._forest.dropped.any():
            found.append(Reason(ReasonCode.STACKS_DROPPED))
        if not self._settled.groups:
            return tuple(found)
        # groups of less than 1 % of all runs are not stated
        sums = costs.total_value.sum(axis=0, dtype=np.float64)
        for symbol in np.flatnonzero(sums >= 0.01 * costs.run_totals.sum(dtype=np.float64)).tolist():
            name = costs.symbols.names[symbol]
            if functions := self._settled.groups.get((name, costs.symbols.files[symbol])):
                found.append(Reason(ReasonCode.NAMES_GROUPED, {"name": name, "functions": functions}))
        return tuple(found)


def _numbered(jobs: Sequence[object], profiles: Sequence[Profile], metric: Metric) -> tuple[int, ...]:
    """Number the jobs and return the job number of each run. Jobs on other machines have the number `ELSEWHERE`."""
    numbers = {job: number for number, job in enumerate(dict.fromkeys(jobs))} | {ELSEWHERE: ELSEWHERE}
    pairs = zip(jobs, profiles, strict=True)
    return tuple(numbers[job] for job, profile in pairs for _ in range(run_count(profile, metric)))


def _sample_values(profiles: Sequence[Profile], metric: Metric) -> FloatArray | None:
    """Return a float64 array with the value of one sample in each run, in stored units, or None if one is unknown."""
    if metric.kind is not MetricKind.SAMPLED:
        return None
    found: list[float] = []
    for profile in profiles:
        place = place_of(profile, metric)
        value = None if place is None else sample_values(profile)[place]
        if place is None or value is None:
            return None
        found += [value * factor_of(profile, place, metric)] * run_count(profile, metric)
    return np.array(found)
