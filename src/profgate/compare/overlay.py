"""Compares both sides of a workload: settles which files and functions are the same, then adds up the costs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol

import numpy as np

from profgate.compare.alignment import align
from profgate.compare.build import AlignedRuns, SettledNames, names_of
from profgate.compare.columns import CompareOptions, place_of
from profgate.compare.comparability import comparability, doubts
from profgate.compare.metrics import at_one_rate, in_samples, named_by_sources, without_multiples
from profgate.compare.symbols import FrameKeys, Identity, Numbering
from profgate.errors import ComparisonError
from profgate.model.comparison import Comparison, NameTable, Note, RunCosts, Symbols
from profgate.model.reason import NotCompared, Reason, ReasonCode, as_reason, combined_reason
from profgate.model.record import Record, replace

if TYPE_CHECKING:
    from profgate.model.arrays import BoolArray
    from profgate.model.durations import DurationRun
    from profgate.model.history import Reading
    from profgate.model.profile import Workload
    from profgate.model.units import Metric


class Pairing(Protocol):
    """Finds the files and functions of the baseline that have other names in the target."""

    def files(self, names: NameTable) -> tuple[dict[str, str], tuple[str, str] | None]:
        """Map files of the baseline to files of the target; also return the two folders that were paired, if any."""
        ...

    def functions(self, names: NameTable) -> dict[Identity, Identity]:
        """Map functions of the baseline to functions of the target by their names and sources."""
        ...

    def functions_by_costs(self, costs: Iterable[RunCosts]) -> dict[Identity, Identity]:
        """Map functions of the baseline to functions of the target that have similar names, callers and costs."""
        ...


class OverlayInput(Record):
    """Input for comparing a workload, in addition to its profiles.

    If ``named`` is True, the user named the files, and the sides are compared even if the recordings differ. ``past``
    is a function that returns the readings of a series from earlier base commits. Without a ``pairing``, only equal
    names are the same function. ``test_results`` are the names of the formats that contain the tests of a run.
    """

    options: CompareOptions
    named: bool = False
    pairing: Pairing | None = None
    past: Callable[[str], Sequence[Reading]] | None = None
    test_results: Collection[str] = ()


def overlay(workload: Workload, given: OverlayInput) -> tuple[list[Comparison], list[NotCompared]]:
    """Compare each metric that both sides have. Return the comparisons and the metrics that cannot be compared."""
    notes = comparability(workload.baseline_runs, workload.target_runs, named=given.named)
    if blocking := [note.reason for note in notes if note.blocks]:
        return [], [NotCompared(workload.name, None, "both", combined_reason(blocking))]
    past: Sequence[Reading] = ()
    if given.past is not None:
        from profgate.compare.readings import series_of  # imported only if there is a history

        past = given.past(series_of(workload.baseline_runs[0], given.options).key)
    try:
        prepared = _by_sources(at_one_rate(in_samples(without_multiples(workload))))
        comparisons, alone = compare_workload(prepared, notes, given.options, given.pairing, past)
    except ComparisonError as error:
        return [], [NotCompared(workload.name, None, "both", as_reason(str(error)))]
    runs: list[DurationRun] = []
    if past:
        from profgate.compare.readings import runs_of

        # the older a run, the more tests it lacks, and only tests that occur in all runs are compared
        runs = runs_of(past, given.test_results)[-10:]
    further: tuple[object, ...] = ()
    if comparisons and workload.target_runs[0].measurements is not None:
        from profgate.compare.duration_table import durations_of  # imported only for results of tests and benchmarks

        table = durations_of(workload, runs, given.options)
        further = () if table is None else (table,)
    for place, comparison in enumerate(comparisons):
        found = doubts(comparison)
        if found or further:
            attachments = (*comparison.attachments, *further)
            comparisons[place] = replace(comparison, notes=(*comparison.notes, *found), attachments=attachments)
    return comparisons, alone


def _by_sources(workload: Workload) -> Workload:
    """Name functions of built scripts by their sources."""
    runs = named_by_sources((*workload.baseline_runs, *workload.target_runs, *workload.noise_runs))
    split, end = len(workload.baseline_runs), len(workload.baseline_runs) + len(workload.target_runs)
    return replace(
        workload,
        baseline_runs=tuple(runs[:split]),
        target_runs=tuple(runs[split:end]),
        noise_runs=tuple(runs[end:]),
    )


def compare_workload(
    workload: Workload,
    notes: tuple[Note, ...],
    options: CompareOptions,
    pairing: Pairing | None = None,
    past: Sequence[Reading] = (),
) -> tuple[list[Comparison], list[NotCompared]]:
    """Settle the names of all runs, and compare each metric. Raises ComparisonError if this is not possible.

    ``past`` contains the readings of earlier base commits.
    """
    metrics, alone = _common_metrics(workload)
    noise, targets = workload.noise_runs, workload.target_runs
    profiles = (*noise, *workload.baseline_runs, *targets)
    keys = FrameKeys(profiles, targets=len(targets), policy_aliases=options.policy_aliases)

    def numbered(aliases: Mapping[Identity, Identity]) -> Numbering:
        found = keys.numbered(aliases)
        return Numbering(found.symbols, (*found.maps[len(noise) :], *found.maps[: len(noise)]))

    numbering, files, aliases = numbered({}), dict[str, str](), dict[Identity, Identity]()
    if pairing is not None and any(numbering.symbols.files):
        files, folders = _paired_files(names_of(workload, numbering), _base_jobs(workload, numbering), pairing)
        if files:
            keys.rename([{}] * len(profiles), files)
            notes, numbering = (*notes, *folders), numbered({})
    numbering, past, renames, groups = align(keys, partial(numbered, {}), numbering, workload, past)
    if pairing is not None and (aliases := pairing.functions(names_of(workload, numbering))):
        numbering = numbered(aliases)
    runs = AlignedRuns(workload, SettledNames(numbering, {**renames, **aliases}, files, groups), options)
    costs = [runs.costs(metric) for metric in metrics]
    if pairing is not None and (by_costs := pairing.functions_by_costs(costs)):
        aliases = {**aliases, **by_costs}
        runs = AlignedRuns(workload, SettledNames(numbered(aliases), {**renames, **aliases}, files, groups), options)
        costs = [runs.costs(metric) for metric in metrics]
    comparisons = [runs.comparison(of_metric, notes) for of_metric in costs]
    if past:
        from profgate.compare.readings import with_past  # imported only if there is a history

        if comparisons and pairing is not None:
            of_past = _files_of_past(comparisons[0], past, pairing)
            comparisons = [replace(one, files={**of_past, **one.files}) for one in comparisons]
        comparisons = [with_past(one, past) for one in comparisons]
    return comparisons, alone


def _common_metrics(workload: Workload) -> tuple[list[Metric], list[NotCompared]]:
    """Return two groups: the metrics of every run, with the smallest exponent of all runs, and the other metrics."""
    runs, alone = (*workload.baseline_runs, *workload.target_runs), []
    common = []
    after = workload.target_runs[0].metrics
    for metric in after:
        if any(place_of(profile, metric) is None for profile in runs):
            alone.append(NotCompared(workload.name, metric.name, "target", _no_such_metric("baseline")))
            continue
        exponents = (
            profile.metrics[place].exponent
            for profile in (*runs, *workload.noise_runs)
            if (place := place_of(profile, metric)) is not None
        )
        common.append(replace(metric, exponent=min(exponents)))
    named = {(metric.name, metric.unit) for metric in after}
    alone += [
        NotCompared(workload.name, metric.name, "baseline", _no_such_metric("target"))
        for metric in workload.baseline_runs[0].metrics
        if (metric.name, metric.unit) not in named
    ]
    return common, alone


def _no_such_metric(side: str) -> Reason:
    return Reason(ReasonCode.NO_SUCH_METRIC, {"side": side})


def _base_jobs(workload: Workload, numbering: Numbering) -> list[BoolArray]:
    """Return a boolean array for each job of the base runs, which marks the symbols that occur in the job."""
    found: dict[str | None, BoolArray] = {}
    runs = workload.noise_runs
    for profile, symbols in zip(runs, numbering.maps[len(numbering.maps) - len(runs) :], strict=True):
        found.setdefault(profile.facts.job, np.zeros(len(numbering.symbols), np.bool_))[symbols] = True
    return list(found.values())


def _paired_files(
    names: NameTable, jobs: Sequence[BoolArray], pairing: Pairing
) -> tuple[dict[str, str], tuple[Note, ...]]:
    """Map files of the baseline and of each base job to files of the target.

    Add a note if files of the baseline are paired only by their folders.
    """
    files, folders = pairing.files(names)
    for job in jobs:
        if (job & ~names.present.any(axis=0)).any():
            of_job = replace(names, present=np.stack([job, names.present[1]]))
            files = {**pairing.files(of_job)[0], **files}
    if folders is None:
        return files, ()
    before, after = (folder or "./" for folder in folders)
    return files, (Note(Reason(ReasonCode.FOLDERS_PAIRED, {"baseline": before, "target": after})),)


def _files_of_past(comparison: Comparison, past: Sequence[Reading], pairing: Pairing) -> dict[str, str]:
    """Map files of each earlier base job to files of the target."""
    jobs: dict[tuple[str, str], set[Identity]] = {}
    for reading in past:
        of_job = jobs.setdefault((reading.commit, reading.job), set())
        of_job.update(symbol for column in reading.columns for symbol in column.symbols)
    known, files = {None, *comparison.symbols.files, *comparison.files}, dict[str, str]()
    for identities in jobs.values():
        if not known.issuperset(file for _, file in identities):
            files = {**pairing.files(_name_table_of_other_job(comparison, identities))[0], **files}
    return files


def _name_table_of_other_job(comparison: Comparison, identities: set[Identity]) -> NameTable:
    """Return the symbols of the target and, as those of the baseline, symbols of another job."""
    symbols, rows = comparison.symbols, np.flatnonzero(comparison.present[1]).tolist()
    target = [(symbols.names[row], symbols.files[row]) for row in rows]
    others = sorted(identities.difference(target), key=str)
    names = [name for name, _ in (*target, *others)]
    files = [file for _, file in (*target, *others)]
    origins = [symbols.origins[row] for row in rows] + [None] * len(others)
    before = [identity in identities for identity in (*target, *others)]
    after = [True] * len(target) + [False] * len(others)
    table = Symbols(names, files, [None] * len(names), [None] * len(names), names, origins)
    return NameTable(symbols=table, present=np.array([before, after], np.bool_), facts=comparison.facts)
