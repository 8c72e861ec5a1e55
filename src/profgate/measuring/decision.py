"""Decides by measuring two commits in turns: plans the looks, analyses the runs at each, and stops when decided."""

from collections.abc import Sequence
from hashlib import sha256
from itertools import chain

import numpy as np

from profgate import loading, pipeline
from profgate.attribution.unified_diff import parse_diff
from profgate.compare.runs import workload_name
from profgate.decide.detect.evidence import Evidence, evidence_tasks
from profgate.decide.detect.location_costs import largest_locations, rows_of
from profgate.errors import SetupError, SideError
from profgate.io.machine import this_machine
from profgate.io.scratch import scratch_folder
from profgate.io.terminal import show_progress, show_step
from profgate.io.worktrees import source_patch, tracked_files
from profgate.measuring.checkouts import isolated_sides
from profgate.measuring.looks import FEWEST, RUNS, planned
from profgate.measuring.other_work import with_other_runs
from profgate.measuring.same_code import forget_reads, ran_same_program
from profgate.measuring.turns import Profiles, Turns
from profgate.model.arrays import finite
from profgate.model.change import Location
from profgate.model.comparison import Comparison
from profgate.model.levels import GATE_SHARE, OWN_FLOOR, TOTAL_FLOOR
from profgate.model.measurement import Look, Measurement, Outcome, Suspect
from profgate.model.record import Record, replace
from profgate.model.units import MetricKind
from profgate.model.visible_text import visible
from profgate.pipeline import Built, PipelineInput
from profgate.report import numbers


class Decision(Record, eq=False):
    """The comparison of the new runs alone, and the extent of the measurement."""

    built: Built
    measurement: Measurement


def decided(turns: Turns, given: PipelineInput, listed: Sequence[Suspect] | None, *, widen: bool = False) -> Decision:
    """Measure both sides until the suspects are decided or the budget ends.

    ``given`` has the policy, the sides and the source diff. ``listed`` are the suspects of an earlier comparison; None
    stands for every location. ``widen`` adds the total and the largest functions of the warm-up run. Raises
    ProfgateError if the measurement fails, or if the budget is too small for the first look.
    """
    warm = turns.warm_up()
    began = forget_reads(turns.sides.values())  # from here on, because the warm-up may have built the program
    show_step(f"{RUNS[0]} runs of each side take about {numbers.duration(turns.needed())}")
    turns.offer_more()
    turns.record_until(1)  # the time of a run is known from here on, because the warm-up may have built the program
    turns.offer_more()
    found = pipeline.overlays(replace(given, baseline=warm["baseline"], target=warm["target"], pages=0))
    counts = any(comparison.metric.kind is MetricKind.COUNTED for comparison in found)
    # a measurement of every location confirms no earlier comparison
    machines = 0 if listed is None else given.policy.machines
    largest = _largest(found)
    looks = planned(turns.most(), counts=counts, machines=machines, functions=len(largest), once=bool(given.claims))
    if not looks:
        raise turns.too_small()
    plan = " or ".join(f"{look.runs} ({numbers.duration(look.runs * turns.pair)})" for look in looks)
    show_step(f"decides after {plan} runs of each side")
    turns.ends_if = "; decided then if a function is clearly slower, or none can be"
    _check_workloads(listed or (), warm)
    watched = _watched(found, listed, widen=widen)
    tested = None if listed is None else watched
    for look in looks:
        more = turns.record_until(look.runs) and look is not looks[-1]
        if turns.count < look.runs:  # the budget ended, so this is the last look
            look = looks[-1]  # noqa: PLW2901
        now = replace(look, runs=turns.count, suspects=tested, machine=this_machine())
        baseline, target = map(tuple, turns.profiles.values())
        measured = replace(given, baseline=baseline, target=target, interleaved=True, look=now)
        built = pipeline.compare(replace(measured, pages=0))
        outcomes = outcomes_of(watched, built.comparisons, now, looks[-1].runs)
        reds = [finding for *_, finding in built.report.findings if finding.colour == "red"]
        red = any(not finding.is_total for finding in reds)
        # counts that vary between few values may be equal by chance, so two runs never end the measurement in red
        undecided = reds and turns.count < FEWEST
        waiting = list(filter(_is_open, outcomes))
        if not more or (not undecided and (red or not waiting)):
            break
        what = _named(waiting)
        show_step(f"{turns.count} runs of each side do not decide about {what}")
        turns.ends_if = f"; decided then if {what} is clear"
    show_progress("")
    if reds and given.diff is not None and ran_same_program(turns.sides, began):
        measured = replace(measured, diff=replace(given.diff, same_program=True))
        built = pipeline.compare(replace(measured, pages=0))
    open_left = not red and any(map(_is_open, outcomes))
    if turns.count < FEWEST and open_left:
        raise turns.too_small()
    measurement = Measurement(
        runs=turns.count,
        seconds=turns.spent,
        budget=turns.budget,
        # more than the limit, also if the first pair, which decides how many fit, was slower than the others
        needed=max(turns.needed(), turns.at_most + 1.0) if turns.count < RUNS[0] and open_left else None,
        suspects=tuple(
            replace(suspect, outcome=suspect.outcome or "not repeated") for suspect in outcomes if suspect.listed
        ),
        largest=() if listed is None else tuple(outcomes_of(largest, built.comparisons, now, looks[-1].runs)),
        machines=() if listed is None else (this_machine(),),
    )
    built = pipeline.compare(measured) if given.pages else built
    report = with_other_runs(built.report, turns.facts["baseline"], turns.facts["target"])
    return Decision(replace(built, report=report), measurement)


def _check_workloads(listed: Sequence[Suspect], warm: Profiles) -> None:
    """Raise SideError if a side recorded no profile of a workload that has suspects."""
    expected = {suspect.workload.partition(" (")[0] for suspect in listed}  # without the program
    for side, sources in warm.items():
        recorded = {workload_name(source.name) for source in sources}
        if missing := sorted(expected - recorded):
            what = f"recorded {', '.join(sorted(recorded))}, but the suspects are of {missing[0]}"
            how = "keep the names of files, and measure each shard before the reports are merged"
            raise SideError(side, f"PROFGATE_OUT, {side}", f"{what}; {how}")


def _watched(found: Sequence[Comparison], listed: Sequence[Suspect] | None, *, widen: bool) -> tuple[Suspect, ...]:
    """Return the listed suspects, the totals and, if requested, the largest functions."""
    largest = [suspect for comparison in found for suspect in largest_locations(comparison)]
    if listed is not None and not widen:
        largest = [suspect for suspect in largest if suspect.location is None]
    known = {(one.workload, one.metric, one.location and one.location.name) for one in listed or ()}
    new = [one for one in largest if (one.workload, one.metric, one.location and one.location.name) not in known]
    return (*(listed or ()), *new)


def _largest(found: Sequence[Comparison]) -> list[Suspect]:
    """Return the largest functions of all times. Counts do not depend on the machine."""
    times = [comparison for comparison in found if comparison.metric.kind is not MetricKind.COUNTED]
    largest = chain.from_iterable(map(largest_locations, times))
    return [suspect for suspect in largest if suspect.location is not None]


def outcomes_of(suspects: Sequence[Suspect], comparisons: Sequence[Comparison], look: Look, last: int) -> list[Suspect]:
    """Return the suspects with their results at one look. The last look has ``last`` runs of each side."""
    tasks = evidence_tasks(comparisons, interleaved=True, look=look)
    known = {
        (comparison.workload, comparison.metric.name): (comparison, task())
        for comparison, task in zip(comparisons, tasks, strict=True)
    }
    found = []
    for suspect in suspects:
        comparison, evidence = known.get((suspect.workload, suspect.metric), (None, None))
        if comparison is None or not isinstance(evidence, Evidence):
            found.append(replace(suspect, outcome="not measured"))
        else:
            found.append(_outcome(suspect, comparison, evidence, look, last))
    return found


def _outcome(suspect: Suspect, comparison: Comparison, evidence: Evidence, look: Look, last: int) -> Suspect:
    """Return the result for the clearer of a suspect's self and inclusive cost, or None if more runs could decide."""
    rows, turns = rows_of(suspect, comparison, evidence.costs), evidence.turns
    if not len(rows) or turns is None:
        known = suspect.location is None or suspect.location.name in comparison.symbols.names
        return replace(suspect, outcome="not repeated" if known else "not measured")
    row = int(rows[np.lexsort((-np.abs(evidence.t[rows]), evidence.p[rows]))[0]])
    sign = 1.0 if comparison.metric.better == "lower" else -1.0
    rise, error = sign * float(evidence.difference[row]), float(evidence.error[row])
    before = float(evidence.costs.values[row, : comparison.runs.baseline].mean())
    gate = TOTAL_FLOOR * before
    if suspect.location is not None:
        gate = max(GATE_SHARE * evidence.costs.whole, OWN_FLOOR * before)
    at_end = error * min(1.0, look.runs / last) ** 0.5
    exact = evidence.mode == "exact"
    if not exact:  # what a red change must reach at the last look
        gate = max(gate, turns.bar * at_end, look.deviations * float(np.hypot(at_end, look.placement * before)))
    outcome: Outcome | None = None
    if not exact and comparison.runs.target < FEWEST:
        outcome = None
    elif evidence.certain[row]:
        outcome = "confirmed" if rise > 0 else "not repeated"
    # more runs hardly ever move a change by more than its standard error
    elif rise + (0.0 if exact else error) < gate:
        outcome = "not repeated"
    elif turns.low[row] > 0 if sign > 0 else turns.high[row] < 0:
        outcome = "possible"
    low, high = (finite(float(side[row])) if before else None for side in (turns.low, turns.high))
    return replace(suspect, low=low, high=high, p=float(evidence.p[row]), outcome=outcome)


def _named(suspects: Sequence[Suspect]) -> str:
    """Return the name of the first suspect and the number of the others. Without suspects, counts are undecided."""
    location = suspects[0].location if suspects else Location("counts")
    name = visible(location.name) if location else "the total"
    return f"{name} and {len(suspects) - 1} more" if len(suspects) > 1 else name


def _is_open(suspect: Suspect) -> bool:
    return suspect.outcome in {None, "possible"}


class MeasuringLimits(Record):
    """How both sides are prepared and for how long they are measured, in seconds.

    ``at_most`` is twice the budget if it is None.
    """

    setup: str | None
    budget: float
    at_most: float | None
    timeout: float


def decided_between(
    baseline: str,
    target: str | None,
    program: Sequence[str],
    extent: MeasuringLimits,
    given: PipelineInput,
    listed: Sequence[Suspect] | None = None,
    *,
    widen: bool = False,
) -> Decision:
    """Check out and set up both commits, or the working tree as the target, and decide as `decided` does.

    ``program`` runs in the checkout of each side. Without ``listed`` suspects, the code is the user's own, and both
    sides are set up at the same time, or one after the other if that fails. Raises ProfgateError if a step fails or
    both sides ran the same code.
    """
    order, at_most = sha256((target or baseline).encode()).digest(), extent.at_most or 2 * extent.budget

    def measured(*, together: bool) -> Decision:
        turns = Turns(program, {}, min(extent.budget, at_most), at_most, extent.timeout, order)
        turns.before = {} if together else None
        with (
            scratch_folder() as scratch,
            isolated_sides(
                baseline,
                target,
                scratch,
                setup=extent.setup,
                timeout=extent.timeout,
                between=turns.note_foreign_code,
                together=together,
            ) as turns.sides,
        ):
            patch = source_patch(".", *filter(None, (baseline, target)))
            diff = replace(loading.with_texts(parse_diff(patch, "git diff")), repository_files=tracked_files("."))
            return decided(turns, replace(given, diff=diff), listed, widen=widen)

    limit = numbers.duration(at_most)
    show_step(f"plans {numbers.duration(extent.budget)} of runs after the setup, at most {limit} if {RUNS[0]} need it")
    if extent.setup and listed is None:
        try:
            return measured(together=True)
        except SetupError as error:
            show_step(f"{visible(str(error))}; sets up one side after the other")
    return measured(together=False)
