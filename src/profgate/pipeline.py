"""Runs one comparison in numbered steps, from input files to a judged report and its pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING

from profgate.compare.columns import CompareOptions
from profgate.compare.overlay import OverlayInput
from profgate.compare.recordings import without_samples
from profgate.compare.symbols import with_first_lines
from profgate.errors import ComparisonError
from profgate.io.native import NativeKernels
from profgate.loading import profiles_at, strategies
from profgate.model.policy import Policy
from profgate.model.reason import NotCompared, Reason, ReasonCode, Side, without_repeats
from profgate.model.record import Record, replace
from profgate.overlaying import Functions, compared_parts, in_processes
from profgate.readers.reader import collection_paused

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from profgate.attribution.function_changes import FunctionChanges
    from profgate.attribution.source_states import Sides
    from profgate.decide.detect.builtin import Selection
    from profgate.decide.detect.evidence import Evidence
    from profgate.decide.detect.strategy import Strategy
    from profgate.flamegraph.pages import PageDocument
    from profgate.model.acceptance import Acceptance
    from profgate.model.attribution import SourceDiff, SourceStates
    from profgate.model.blind_spots import BlindSpots
    from profgate.model.claim import Claim
    from profgate.model.comparison import Causes, Comparison
    from profgate.model.history import Reading, Recorded
    from profgate.model.manifest import Manifest
    from profgate.model.measurement import Look
    from profgate.model.report import MetricReport, Report
    from profgate.model.source import SourceFile


class PipelineInput(Record):
    """The input of one comparison.

    ``noise`` has one sequence of files for each job that recorded base runs of other commits. ``manifests`` are those
    of both sides and of these jobs. ``diff`` is the difference between the sources, or None if unknown. ``sources``
    returns the texts of the target's sources that can load each other. ``past`` returns the stored readings of base
    commits for the key of a series. ``acceptances`` are the decisions that maintainers made on regressions, and
    ``claims`` those of a pull request about what became faster.
    ``interleaved`` is True if one job recorded the runs of both sides in alternating order, and ``look`` are the
    significance levels of a measurement that profgate itself recorded so.
    """

    baseline: Sequence[SourceFile]
    target: Sequence[SourceFile]
    noise: Sequence[Sequence[SourceFile]] = ()
    policy: Policy = Policy()
    baseline_side: Side = Side("baseline")
    target_side: Side = Side("target")
    manifests: Sequence[Manifest | None] = (None, None)
    verbose: bool = False
    named: bool = False
    pages: int = 10
    diff: SourceDiff | None = None
    past: Callable[[str], Sequence[Reading]] | None = None
    sources: Callable[[], Mapping[str, str]] = dict
    acceptances: tuple[Acceptance, ...] = ()
    claims: tuple[Claim, ...] = ()
    interleaved: bool = False
    look: Look | None = None


class Compared(Record):
    """The comparisons of all workloads and metrics, the workloads that could not be compared, and warnings."""

    comparisons: tuple[Comparison, ...]
    not_compared: tuple[NotCompared, ...]
    warnings: tuple[Reason, ...]
    functions: FunctionChanges | None


def two_sides(baseline: str, target: str, policy: Policy) -> PipelineInput:
    """Load both sides of a comparison. Raises ProfgateError if a side cannot be loaded."""
    before, before_manifest = profiles_at(baseline)
    after, after_manifest = profiles_at(target)
    return PipelineInput(
        before,
        after,
        policy=policy,
        baseline_side=Side(baseline),
        target_side=Side(target),
        manifests=(before_manifest, after_manifest),
        named=len(before) == len(after) == 1,
    )


class Built(Record):
    """A complete report, its pages (the page of the worst workload first), and the comparisons behind the report."""

    report: Report
    pages: tuple[PageDocument, ...]
    comparisons: tuple[Comparison, ...]


def compare(
    given: PipelineInput,
    executor: Executor | None = None,
    available: Sequence[Strategy] | None = None,
) -> Built:
    """Compare and judge the input, and draw the pages.

    The workloads are distributed across the processors of this machine, or their reading and comparison by the
    executor. ``available`` are the strategies, by default all that are installed. Raises ProfileError if a file that
    the user named cannot be read.
    """
    with collection_paused():  # the results contain no cycles
        # Steps 1 to 3: Read the files, pair them, and align the sides of each workload.
        compared = compare_sources(given, executor)
        # Step 4: Find the functions that changed in the sources, and the other functions that they can affect.
        states, warnings, spots = _source_changes(given, compared)
        comparisons = tuple(map(with_first_lines, compared.comparisons, states))
        # Steps 5 and 6: Detect changes in each comparison, and judge them.
        available = strategies() if available is None else available
        report = report_on(comparisons, given, available, compared.not_compared, warnings, states, spots)
        if any(finding.colour != "neutral" for _, _, finding in report.findings):
            from profgate.flamegraph.finding_places import with_places

            report = with_places(report, comparisons, states, given.diff, given.policy.embed_source)
        if not given.pages:
            return Built(report, (), comparisons)
        # Step 7: Draw the pages.
        from profgate.decide.detect.evidence import run_values
        from profgate.flamegraph.pages import build_pages

        values = partial(run_values, interleaved=given.interleaved)
        pages, failed = build_pages(
            *(comparisons, states, report, given.policy, given.diff, given.pages, values),
            run=partial(in_processes, many=2),
        )
        report = replace(report, warnings=(*report.warnings, *failed))
        quoted = {(page.workload, page.metric): page.excerpts for page in pages}
        report = report.with_metrics(lambda load, one: replace(one, excerpts=quoted.get((load.name, one.name), ())))
        return Built(report, pages, comparisons)


def overlays(given: PipelineInput) -> list[Comparison]:
    """Return the comparisons without judging them, for commands that only draw or tabulate.

    Raises ComparisonError with the reasons if nothing can be compared.
    """
    compared = compare_sources(given)
    if not compared.comparisons:
        from profgate.report.wording import reason_text

        reasons = []
        for entry in compared.not_compared:
            name = f"{entry.name} {entry.metric}" if entry.metric else entry.name
            reasons.append(f"{name}: {reason_text(entry.reason, str)}")
        raise ComparisonError("; ".join(reasons))
    return [with_first_lines(comparison, None) for comparison in compared.comparisons]


def compare_sources(given: PipelineInput, executor: Executor | None = None) -> Compared:
    """Read, pair and align the files. Raises ProfileError if a file that the user named cannot be read."""
    if given.diff is None:
        return _compared(given, executor, lambda: None)
    from profgate.source_parsing import parsing

    with parsing(given.diff) as functions:  # while the profiles are read, if they are few
        return _compared(given, executor, functions)


def _compared(given: PipelineInput, executor: Executor | None, functions: Functions) -> Compared:
    policy, test_results = given.policy, frozenset[str]()
    if given.past is not None:  # the tests of a run matter only for runs of the history
        from profgate.readers.benchmarks import TEST_RESULTS

        test_results = TEST_RESULTS
    options = CompareOptions(policy.ignore, policy.aliases, NativeKernels())
    beside = OverlayInput(options, given.named, None, given.past, test_results)
    sides = (given.baseline, given.target, *given.noise)
    found = compared_parts(sides, given.manifests, beside, given.diff, functions, executor)
    comparisons, warnings = found.comparisons, found.warnings
    alone = _without_carried(given, found.alone, dict(found.lost), functions())
    comparisons.sort(key=lambda comparison: comparison.workload)
    if not found.names and {entry.side for entry in alone} == {"baseline", "target"}:
        warnings.append(Reason(ReasonCode.NO_FILE_PAIRS))
    damaged = {entry.name for entry in found.unreadable}
    empty = without_samples(comparisons)
    without = {entry.name for entry in empty}
    return Compared(
        comparisons=tuple(comparison for comparison in comparisons if comparison.workload not in without),
        not_compared=(
            *found.unreadable,
            *(entry for entry in alone if entry.name not in damaged),
            *found.missing,
            *empty,
        ),
        warnings=tuple(warnings),
        functions=functions(),
    )


def _without_carried(
    given: PipelineInput, alone: list[NotCompared], lost: Mapping[str, Recorded], functions: FunctionChanges | None
) -> list[NotCompared]:
    """Return the workloads of only one side, with another reason if the change cannot reach one of the baseline."""
    if not given.policy.carry or given.diff is None or functions is None or not lost:
        return alone
    from profgate.attribution.affected import Change

    change = Change(given.diff, functions, given.sources)
    carried = {("baseline", name) for name, recorded in lost.items() if change.reaching(recorded) is None}
    return [
        replace(entry, reason=Reason(ReasonCode.CARRIED)) if (entry.side, entry.name) in carried else entry
        for entry in alone
    ]


def _source_changes(
    given: PipelineInput, compared: Compared
) -> tuple[list[SourceStates | None], tuple[Reason, ...], BlindSpots | None]:
    """Return the source states of each comparison, the warnings so far with those about the sources, and blind spots.

    The blind spots are None if nothing was compared, or if the two sides have the same code.
    """
    if given.diff is None or compared.functions is None:
        return [None] * len(compared.comparisons), compared.warnings, None
    from profgate.attribution.blind_spots import BlindSpotSearch
    from profgate.attribution.function_changes import unread  # imported only if there is a diff
    from profgate.attribution.reach import changed_workloads

    states: list[SourceStates | None] = []
    edited: list[Reason] = []
    search = BlindSpotSearch(compared.functions)
    for comparison in compared.comparisons:
        known, sides = _states_and_sides(comparison, given.diff, compared.functions)
        search.add(comparison, sides)
        states.append(known)
        edited += changed_workloads(comparison, known, compared.functions)
    incomplete = (Reason(ReasonCode.SOURCES_INCOMPLETE, reasons=given.diff.gaps),) if given.diff.gaps else ()
    unparsed = unread(compared.functions)
    spots = search.result(complete=given.diff.complete and not incomplete and not unparsed)
    warnings = (*compared.warnings, *incomplete, *unparsed, *without_repeats(edited))
    return states, warnings, None if given.diff.same_program or not states else spots


def states_of(comparison: Comparison, diff: SourceDiff, functions: FunctionChanges) -> SourceStates:
    """Return how the source of each symbol changed, and how source changes can affect the symbol."""
    return _states_and_sides(comparison, diff, functions)[0]


def _states_and_sides(
    comparison: Comparison, diff: SourceDiff, functions: FunctionChanges
) -> tuple[SourceStates, Sides]:
    from profgate.attribution.reach import with_reach  # imported only if there is a diff
    from profgate.attribution.source_states import Sides, source_states

    sides = Sides(comparison, diff, functions)
    return with_reach(source_states(sides), comparison, sides), sides


def report_on(
    comparisons: Sequence[Comparison],
    given: PipelineInput,
    strategies: Sequence[Strategy],
    alone: Sequence[NotCompared] = (),
    warnings: Sequence[Reason] = (),
    states: Sequence[SourceStates | None] = (),
    blind_spots: BlindSpots | None = None,
) -> Report:
    """Judge comparisons.

    ``states`` describes, for each comparison, how the source of each symbol changed. ``alone`` contains the workloads
    that could not be compared. ``warnings`` contains the reasons why the result is limited.
    """
    # imported here because commands that only draw do not need it
    from profgate.decide.detect.builtin import report_changes, selected
    from profgate.decide.detect.claims import with_results
    from profgate.decide.detect.evidence import evidence_tasks
    from profgate.decide.judge.changes import within_limit, workload_reports
    from profgate.decide.judge.verdict import judge
    from profgate.model.change import Context
    from profgate.model.cost_models import CostModels
    from profgate.model.report import Report, Verdict

    # Step 5: Detect changes, after combining the evidence from the tests of all comparisons.
    evidence = evidence_tasks(comparisons, interleaved=given.interleaved, run=in_processes, look=given.look)
    policy, verbose = given.policy, given.verbose
    # a larger report omits the explanations of metrics without a change, which take most of its time
    brief = len(comparisons) > 100 and not verbose and not policy.rules
    kinds = [(one.configuration, one.metric, one.attached(CostModels) is not None) for one in comparisons]
    chosen = {kind: selected(policy, *kind[:2], strategies, sized=kind[2]) for kind in dict.fromkeys(kinds)}
    tasks = zip_longest(comparisons, [chosen[kind] for kind in kinds], states, evidence)
    metrics = in_processes(
        [partial(metric_report_of, *task, rules=bool(policy.rules), brief=brief, verbose=verbose) for task in tasks]
    )
    draft = Report(
        baseline=given.baseline_side,
        target=given.target_side,
        verdict=Verdict("not_compared", "neutral", ()),
        workloads=workload_reports(comparisons, within_limit(metrics)),
        not_compared=tuple(sorted(alone, key=lambda entry: (entry.name, entry.side, entry.metric or ""))),
        changes=report_changes(comparisons, policy, strategies, Context()),
        warnings=tuple(warnings),
        acceptances=given.acceptances,
        # stored baselines prove nothing
        claims=given.claims if given.look is None else with_results(given.claims, comparisons, given.look.machine),
        blind_spots=blind_spots,
    )
    # Step 6: Merge the changes into findings, and judge the findings.
    return judge(draft, policy)


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
    from profgate.decide.detect.builtin import detections_of, quiet
    from profgate.decide.judge.changes import metric_report
    from profgate.model.change import Context

    found = detections_of(comparison, selection, Context(states, evidence()), brief=brief)
    causes: Causes | None = None
    if not all(map(quiet, found)):
        factors = (detection.calibration.common_factor for detection in found if detection.calibration is not None)
        causes = walked_causes(comparison, found, states, next(filter(None, factors), 1.0))
    return metric_report(comparison, found, verbose=verbose, states=states, causes=causes, requested=rules)
