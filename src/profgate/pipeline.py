"""Runs one comparison in numbered steps, from input files to a judged report and its pages."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from profgate.attribution.identity import SourcePairing
from profgate.compare.columns import CompareOptions
from profgate.compare.overlay import OverlayInput, overlay
from profgate.compare.recordings import Reader, Recordings, in_parts, move_last, read_recordings, without_samples
from profgate.compare.workloads import pair, renamed_workloads
from profgate.io.native import NativeKernels
from profgate.model.comparison import Causes, Comparison
from profgate.model.policy import Policy, Rule
from profgate.model.reason import Reason, ReasonCode, without_repeats
from profgate.model.sides import NotCompared, Side
from profgate.model.source import SourceFile

if TYPE_CHECKING:
    from profgate.attribution.function_changes import FunctionChanges
    from profgate.detect.evidence import Evidence
    from profgate.detect.rules import Selection
    from profgate.detect.strategy import Strategy
    from profgate.flamegraph.pages import PageDocument
    from profgate.model.acceptance import Acceptance
    from profgate.model.attribution import SourceDiff, SourceStates
    from profgate.model.history import Reading
    from profgate.model.manifest import Manifest
    from profgate.model.measurement import Look
    from profgate.model.profile import Profile
    from profgate.model.report import MetricReport, Report

MOST_EXPLAINED = 100  # if a report has more metrics than this, only metrics with a change are explained
PARTS, MOST_IN_PART = 64, 25  # number of parts of the files for several processes, and maximum workloads of a part
AT_ONCE = 1000  # number of workloads of a part that are compared before their profiles are removed
Progress = Callable[[str, float], None]  # takes the name of the current step and its completed part, from 0 to 1
Run = Callable[[Sequence[Callable[[], Any]]], list[Any]]  # runs tasks and returns their results in the same order


Files = Sequence[Sequence[SourceFile]]  # of the baseline, of the target and of each base job
# takes parts of the files and a function that compares one part with a reader, and yields the results in the same order
Spread = Callable[[Sequence[Files], "Callable[[Files, Reader], ComparedPart]"], "Iterator[ComparedPart]"]


def in_turn(tasks: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run tasks one after the other in this process."""
    return [task() for task in tasks]


def silent(_step: str, _part: float) -> None:
    """Show no progress."""


@dataclass(frozen=True, slots=True)
class PipelineInput:
    """The input of one comparison.

    ``noise`` has one sequence of files for each job that recorded base runs of other commits. ``manifests`` are those
    of both sides and of these jobs. ``diff`` is the difference between the sources, or None if unknown. ``past``
    returns the stored readings of base commits for the key of a series. ``acceptances`` are the decisions that
    maintainers made on regressions. ``interleaved`` is True if one job recorded the runs of both sides in alternating
    order, and ``look`` are the significance levels of a measurement that profgate itself recorded so.
    """

    baseline: Sequence[SourceFile]
    target: Sequence[SourceFile]
    noise: Sequence[Sequence[SourceFile]] = ()
    policy: Policy = field(default_factory=Policy)
    baseline_side: Side = field(default_factory=lambda: Side("baseline"))
    target_side: Side = field(default_factory=lambda: Side("target"))
    manifests: Sequence[Manifest | None] = (None, None)
    strategies: tuple[str, ...] | None = None
    verbose: bool = False
    named: bool = False
    pages: int = 10
    diff: SourceDiff | None = None
    past: Callable[[str], Sequence[Reading]] | None = None
    acceptances: tuple[Acceptance, ...] = ()
    interleaved: bool = False
    look: Look | None = None


class Compared(NamedTuple):
    """The comparisons of all workloads and metrics, the workloads that could not be compared, and warnings."""

    comparisons: tuple[Comparison, ...]
    not_compared: tuple[NotCompared, ...]
    warnings: tuple[Reason, ...]
    functions: FunctionChanges | None


class ComparedPart(NamedTuple):
    """The results for one part of the files. ``names`` are the names of its workloads.

    ``last`` contains the profiles that may belong to a workload with files in other parts.
    """

    comparisons: list[Comparison]
    missing: list[NotCompared]
    unreadable: tuple[NotCompared, ...]
    alone: tuple[NotCompared, ...]
    functions: tuple[frozenset[str], ...]
    warnings: tuple[Reason, ...]
    names: frozenset[str]
    last: Recordings


class Built(NamedTuple):
    """A complete report, its pages (the page of the worst workload first), and the comparisons behind the report."""

    report: Report
    pages: tuple[PageDocument, ...]
    comparisons: tuple[Comparison, ...]


def build_report(
    given: PipelineInput,
    read: Reader,
    strategies: Sequence[Strategy],
    run: Run = in_turn,
    progress: Progress = silent,
    spread: Spread | None = None,
) -> Built:
    """Compare and judge the input, and draw the pages.

    ``run`` and ``spread`` can distribute the workloads across several processes. Raises ProfileError if a file that the
    user named cannot be read.
    """
    # Steps 1 to 3: Read the files, pair them, and align the sides of each workload.
    compared = compare_sources(given, read, run, progress, spread)
    # Step 4: Find the functions that changed in the sources, and the other functions that they can affect.
    states = [
        None
        if given.diff is None or compared.functions is None
        else states_of(comparison, given.diff, compared.functions, given.policy.unchanged_paths)
        for comparison in compared.comparisons
    ]
    warnings = compared.warnings
    if given.diff is not None and compared.functions is not None:
        from profgate.attribution.function_changes import unread  # imported only if there is a diff
        from profgate.attribution.reach import changed_workloads

        incomplete = (Reason(ReasonCode.SOURCES_INCOMPLETE, reasons=given.diff.gaps),) if given.diff.gaps else ()
        edited = (
            why
            for comparison, known in zip(compared.comparisons, states, strict=True)
            if known is not None
            for why in changed_workloads(comparison, known, compared.functions)
        )
        warnings += (*incomplete, *unread(compared.functions), *without_repeats(edited))
    # Steps 5 and 6: Detect changes in each comparison, and judge them.
    progress("detecting changes", 0)
    report = report_on(compared.comparisons, given, strategies, compared.not_compared, warnings, states, run)
    # Step 7: Draw the pages.
    progress("drawing flame graphs", 0)
    from profgate.detect.evidence import run_values
    from profgate.flamegraph.pages import build_pages

    values = partial(run_values, interleaved=given.interleaved)
    pages, failed = build_pages(compared.comparisons, states, report, given.policy, given.diff, given.pages, values)
    return Built(replace(report, warnings=(*report.warnings, *failed)), pages, compared.comparisons)


def compare_sources(
    given: PipelineInput, read: Reader, run: Run = in_turn, progress: Progress = silent, spread: Spread | None = None
) -> Compared:
    """Read, pair and align the files. Raises ProfileError if a file that the user named cannot be read."""
    policy, functions, test_results = given.policy, None, frozenset[str]()
    if given.diff is not None:
        from profgate.source_parsing import changed_functions

        functions = changed_functions(given.diff)
    if given.past is not None:  # the tests of a run matter only for runs of the history
        from profgate.readers.benchmarks import TEST_RESULTS

        test_results = TEST_RESULTS
    options = CompareOptions(policy.name_rules, policy.ignore, policy.focus, policy.aliases, NativeKernels())
    beside = OverlayInput(options, given.named, SourcePairing(given.diff, functions), given.past, test_results)
    comparisons, warnings = list[Comparison](), list[Reason]()
    unreadable, alone, missing = list[NotCompared](), list[NotCompared](), list[NotCompared]()
    names, functions_alone = set[str](), list[frozenset[str]]()
    for part in _compared_parts(given, beside, names, read, run, progress, spread):
        comparisons += part.comparisons
        missing += part.missing
        unreadable += part.unreadable
        alone += part.alone
        functions_alone += part.functions
        warnings += part.warnings
        names |= part.names
    comparisons.sort(key=lambda comparison: comparison.workload)
    if not names and {entry.side for entry in alone} == {"baseline", "target"}:
        warnings.append(Reason(ReasonCode.NO_FILE_PAIRS))
    else:
        warnings += renamed_workloads(alone, functions_alone)
    damaged = {entry.name for entry in unreadable}
    empty = without_samples(comparisons)
    without = {entry.name for entry in empty}
    return Compared(
        comparisons=tuple(comparison for comparison in comparisons if comparison.workload not in without),
        not_compared=(*unreadable, *(entry for entry in alone if entry.name not in damaged), *missing, *empty),
        warnings=tuple(warnings),
        functions=functions,
    )


def _compared_parts(
    given: PipelineInput,
    beside: OverlayInput,
    names: set[str],
    read: Reader,
    run: Run,
    progress: Progress,
    spread: Spread | None,
) -> Iterator[ComparedPart]:
    """Yield the results of all parts. ``names`` are the names in the results that were yielded before."""
    if given.past is not None:  # a database connection works only in the process that opened it
        run, spread = in_turn, None
    files: Files = (given.baseline, given.target, *given.noise)
    parts = in_parts(files, MOST_IN_PART, PARTS if spread else 1)
    last = _nothing(files)
    compare = partial(_compared_part, beside=beside, manifests=given.manifests)
    apart = partial(compare, others=None if len(parts) == 1 else frozenset())  # without the names of other parts
    here = partial(apart, read=read, run=run)
    compared = map(here, parts) if spread is None or len(parts) == 1 else spread(parts, apart)
    for number, (part, result) in enumerate(zip(parts, compared, strict=True), start=1):
        progress("comparing", number / len(parts))
        yield result if names.isdisjoint(result.names) else compare(part, read, others=names)
        for left, late in zip(_profiles_of(last), _profiles_of(result.last), strict=True):
            left.extend(late)
    if len(parts) > 1:
        yield _overlaid(last, _nothing(files), beside, names, run)


def _nothing(files: Files) -> Recordings:
    return Recordings([], [], [[] for _ in files[2:]])


def _profiles_of(files: Recordings) -> list[list[Profile]]:
    return [files.baseline, files.target, *files.noise]


def _compared_part(
    files: Files,
    read: Reader,
    *,
    beside: OverlayInput,
    manifests: Sequence[Manifest | None],
    others: Collection[str] | None,
    run: Run = in_turn,
) -> ComparedPart:
    """Compare one part of the files. ``others`` are names of workloads of other parts, or None for a single part."""
    last = _nothing(files)
    # Step 1: Read the files. If there are many workloads, the steps are repeated for one part of the files at a time.
    made = read_recordings((files[0], files[1]), files[2:], read, manifests=manifests, named=beside.named)
    if others is not None:
        move_last(made, last)
    return _overlaid(made, last, beside, others, run)


def _overlaid(
    files: Recordings, last: Recordings, beside: OverlayInput, others: Collection[str] | None, run: Run
) -> ComparedPart:
    """Pair and align the profiles, and remove them from ``files``."""
    # Step 2: Pair the files that are runs of the same workload.
    paired = pair(files.baseline, files.target, files.noise, others)
    found = ComparedPart(
        comparisons=[],
        missing=[],
        unreadable=files.unreadable,
        alone=paired.alone,
        functions=paired.functions,
        warnings=(*files.warnings, *paired.warnings),
        names=frozenset(workload.name for workload in paired.workloads),
        last=last,
    )
    # Step 3: Align the sides of each workload.
    workloads = deque(paired.workloads)
    for profiles in _profiles_of(files):
        profiles.clear()
    del paired  # otherwise, this reference would keep every profile in memory
    while workloads:
        tasks = [partial(overlay, workloads.popleft(), beside) for _ in range(min(len(workloads), AT_ONCE))]
        for made, not_made in run(tasks):
            found.comparisons.extend(made)
            found.missing.extend(not_made)
    return found


def states_of(
    comparison: Comparison, diff: SourceDiff, functions: FunctionChanges, unchanged: Sequence[str] = ()
) -> SourceStates:
    """Return how the source of each symbol changed, and how source changes can affect the symbol.

    Changes to files that match the patterns ``unchanged`` affect no symbol, unless a file contains one.
    """
    from profgate.attribution.reach import leaves_alone, out_of_reach, with_reach  # imported only if there is a diff
    from profgate.attribution.source_states import Sides, source_states

    sides = Sides(comparison, diff, functions)
    states = source_states(sides)
    paths = [path for file in diff.files for path in {file.path, file.previous_path}]
    runs = not set(paths).isdisjoint(states.paths)
    if diff.complete and not diff.gaps and not runs and leaves_alone(paths, unchanged):
        return out_of_reach(states)
    return with_reach(states, comparison, sides)


def report_on(
    comparisons: Sequence[Comparison],
    given: PipelineInput,
    strategies: Sequence[Strategy],
    alone: Sequence[NotCompared] = (),
    warnings: Sequence[Reason] = (),
    states: Sequence[SourceStates | None] = (),
    run: Run = in_turn,
) -> Report:
    """Judge comparisons.

    ``states`` describes, for each comparison, how the source of each symbol changed. ``alone`` contains the workloads
    that could not be compared. ``warnings`` contains the reasons why the result is limited.
    """
    from profgate.detect.evidence import evidence_tasks  # imported here because commands that only draw do not need it
    from profgate.detect.rules import report_changes, selected
    from profgate.judge.changes import within_limit, workload_reports
    from profgate.judge.verdict import judge
    from profgate.model.change import Context
    from profgate.model.cost_models import CostModels
    from profgate.model.report import Report, Verdict

    # Step 5: Detect changes, after combining the evidence from the tests of all comparisons.
    evidence, families = evidence_tasks(comparisons, interleaved=given.interleaved, run=run, look=given.look)
    rules, verbose = _rules(given), given.verbose
    brief = len(comparisons) > MOST_EXPLAINED and not verbose and not rules.rules
    kinds = [(one.configuration, one.metric, one.attached(CostModels) is not None) for one in comparisons]
    chosen = {kind: selected(rules, *kind[:2], strategies, sized=kind[2]) for kind in dict.fromkeys(kinds)}
    tasks = zip_longest(comparisons, [chosen[kind] for kind in kinds], states, evidence)
    metrics = run(
        [partial(metric_report_of, *task, rules=bool(rules.rules), brief=brief, verbose=verbose) for task in tasks]
    )
    draft = Report(
        baseline=given.baseline_side,
        target=given.target_side,
        verdict=Verdict("not_compared", "neutral", ()),
        workloads=workload_reports(comparisons, within_limit(metrics)),
        not_compared=tuple(sorted(alone, key=lambda entry: (entry.name, entry.side, entry.metric or ""))),
        changes=report_changes(comparisons, rules, strategies, Context()),
        warnings=tuple(warnings),
        acceptances=given.acceptances,
        tests=families,
    )
    # Step 6: Merge the changes into findings, and judge the findings.
    return judge(draft, given.policy)


def metric_report_of(
    comparison: Comparison,
    selection: Sequence[Selection],
    states: SourceStates | None,
    evidence: Callable[[], Evidence | Reason],
    *,
    rules: bool,
    brief: bool,
    verbose: bool,
) -> MetricReport:
    """Detect the changes of one comparison and return its metric, which is not judged yet."""
    from profgate.attribution.call_links import walked_causes
    from profgate.detect.rules import detections_of, quiet
    from profgate.judge.changes import metric_report
    from profgate.model.change import Context

    found = detections_of(comparison, selection, Context(states, evidence()), brief=brief)
    causes: Causes | None = None
    if not all(map(quiet, found)):
        tested = (detection.calibration for detection in found if detection.calibration is not None)
        factors = (calibration.common_factor for calibration in tested)
        causes = walked_causes(comparison, found, states, next(filter(None, factors), 1.0))
    return metric_report(comparison, found, verbose=verbose, states=states, causes=causes, requested=rules)


def _rules(given: PipelineInput) -> Policy:
    if given.strategies is None:
        return given.policy
    return replace(given.policy, rules=tuple(Rule(name) for name in given.strategies), apply="all")
