"""One comparison in numbered steps: files in, a judged report and its pages out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from profgate.attribution.function_changes import FunctionChanges, function_changes, unread
from profgate.attribution.overlay import OverlayInput, overlay
from profgate.attribution.reach import with_reach
from profgate.attribution.source_states import Sides, source_states
from profgate.compare.columns import CompareOptions
from profgate.compare.recordings import Reader, read_recordings, without_samples
from profgate.compare.workloads import pair
from profgate.flamegraph.pages import PageDocument, build_pages
from profgate.model.acceptance import Acceptance
from profgate.model.attribution import SourceDiff, SourceStates
from profgate.model.change import Context
from profgate.model.comparison import Comparison
from profgate.model.manifest import Manifest
from profgate.model.policy import Policy, Rule
from profgate.model.reason import Reason, ReasonCode
from profgate.model.report import NotCompared, Report, Side, Verdict
from profgate.model.source import SourceFile

if TYPE_CHECKING:
    from profgate.detect.rules import Selection
    from profgate.detect.strategy import Strategy
    from profgate.model.history import Reading

UNJUDGED = Verdict("not_compared", "neutral", ())


@dataclass(frozen=True, slots=True)
class PipelineInput:
    """Everything one comparison needs.

    ``noise``: files of base runs of other commits, a sequence for each job. ``diff``: what changed in the sources
    between the sides, None where it is not known. ``past`` gives what the history holds of base commits by the key of a
    series. ``acceptances``: the decisions of maintainers.
    ``interleaved``: the runs of both sides were recorded in turns by one job.
    """

    baseline: Sequence[SourceFile]
    target: Sequence[SourceFile]
    noise: Sequence[Sequence[SourceFile]] = ()
    policy: Policy = field(default_factory=Policy)
    baseline_side: Side = field(default_factory=lambda: Side("baseline"))
    target_side: Side = field(default_factory=lambda: Side("target"))
    manifests: tuple[Manifest | None, Manifest | None] = (None, None)
    strategies: tuple[str, ...] | None = None
    verbose: bool = False
    named: bool = False
    pages: int = 10
    diff: SourceDiff | None = None
    past: "Callable[[str], Sequence[Reading]] | None" = None
    acceptances: tuple[Acceptance, ...] = ()
    interleaved: bool = False


@dataclass(frozen=True, slots=True)
class Compared:
    """The comparisons of all workloads and metrics, what could not be compared, and what limits the result."""

    comparisons: tuple[Comparison, ...]
    not_compared: tuple[NotCompared, ...]
    warnings: tuple[Reason, ...]
    functions: FunctionChanges


@dataclass(frozen=True, slots=True)
class Built:
    """A complete report, its pages (worst workload first), and the comparisons they were made from."""

    report: Report
    pages: tuple[PageDocument, ...]
    comparisons: tuple[Comparison, ...]


def build_report(given: PipelineInput, read: Reader, strategies: "Sequence[Strategy]") -> Built:
    """The judged report of one comparison with its pages. Raises ProfileError for a file a person named."""
    # 1. to 3. Read the files, pair them, and lay the sides of each workload over each other.
    compared = compare_sources(given, read)
    # 4. Find out which functions the sources changed, and which of the others that reaches.
    states = [
        None if given.diff is None else states_of(comparison, given.diff, compared.functions)
        for comparison in compared.comparisons
    ]
    warnings = compared.warnings
    if given.diff is not None:
        gaps = filter(None, (given.diff.reason, unread(compared.functions)))
        warnings += tuple(Reason(ReasonCode.SOURCES_INCOMPLETE, {"text": gap}) for gap in gaps)
    # 5. and 6. Detect changes in each comparison, and judge them.
    report = report_on(compared.comparisons, given, strategies, compared.not_compared, warnings, states)
    # 7. Draw the pages.
    pages = build_pages(compared.comparisons, states, report, given.policy, given.diff, given.pages)
    return Built(report, pages, compared.comparisons)


def compare_sources(given: PipelineInput, read: Reader) -> Compared:
    """Files read, paired and laid over each other. Raises ProfileError for a file a person named."""
    sides = (given.baseline, given.target)
    # 1. Read the files.
    files = read_recordings(sides, given.noise, read, manifests=given.manifests, named=given.named)
    # 2. Pair the files that are runs of one workload.
    paired = pair(files.baseline, files.target, files.noise)
    damaged = {entry.name for entry in files.unreadable}
    missing = [*files.unreadable, *(entry for entry in paired.alone if entry.name not in damaged)]
    # 3. Lay the sides of each workload over each other.
    functions, comparisons, policy = function_changes(given.diff), list[Comparison](), given.policy
    options = CompareOptions(policy.name_rules, policy.ignore, policy.focus, policy_aliases=policy.aliases)
    beside = OverlayInput(options, given.named, given.diff, functions, given.past)
    for workload in paired.workloads:
        made, alone = overlay(workload, beside)
        comparisons += made
        missing += alone
    empty = without_samples(comparisons)
    names = {entry.name for entry in empty}
    return Compared(
        comparisons=tuple(comparison for comparison in comparisons if comparison.workload not in names),
        not_compared=(*missing, *empty),
        warnings=(*files.warnings, *paired.warnings),
        functions=functions,
    )


def states_of(comparison: Comparison, diff: SourceDiff, functions: FunctionChanges) -> SourceStates:
    """What is known of the source of each symbol, and how the change can have come to it."""
    sides = Sides(comparison, diff, functions)
    return with_reach(source_states(sides), comparison, sides)


def report_on(
    comparisons: Sequence[Comparison],
    given: PipelineInput,
    strategies: "Sequence[Strategy]",
    alone: Sequence[NotCompared] = (),
    warnings: Sequence[Reason] = (),
    states: Sequence[SourceStates | None] = (),
) -> Report:
    """The judged report of comparisons; ``states`` are those of each comparison's sources.

    ``alone`` and ``warnings`` are what could not be compared, and what limits the result.
    """
    from profgate.attribution.call_links import causes_of  # none of these is needed to draw only
    from profgate.detect.evidence import evidence_of
    from profgate.detect.rules import detections_of, report_changes
    from profgate.judge.changes import metric_report, workload_reports
    from profgate.judge.verdict import judge

    # 5. Detect changes: what the tests of all comparisons show together comes first.
    evidence, families = evidence_of(comparisons, interleaved=given.interleaved)
    metrics = []
    for plain, shown, known in zip_longest(comparisons, evidence, states):
        context, chosen = Context(known, shown), chosen_for(plain, given, strategies)
        comparison = replace(plain, causes=causes_of(plain))
        found = detections_of(comparison, chosen, context)
        requested = bool(_rules(given).rules)
        metrics.append(metric_report(comparison, found, verbose=given.verbose, states=known, requested=requested))
    draft = Report(
        baseline=given.baseline_side,
        target=given.target_side,
        verdict=UNJUDGED,
        workloads=workload_reports(comparisons, metrics),
        not_compared=tuple(sorted(alone, key=lambda entry: (entry.name, entry.side, entry.metric or ""))),
        changes=report_changes(comparisons, _rules(given), strategies, Context()),
        warnings=(*warnings, *_without_effect(given.policy)),
        acceptances=given.acceptances,
        tests=families,
    )
    # 6. Merge changes into findings, and judge them.
    return judge(draft, given.policy)


def chosen_for(comparison: Comparison, given: PipelineInput, strategies: "Sequence[Strategy]") -> "list[Selection]":
    """The strategies that the rules select for a comparison, with their options."""
    from profgate.detect.rules import selected  # not needed to draw only

    sized = comparison.models is not None
    return selected(_rules(given), comparison.configuration, comparison.metric, strategies, sized=sized)


def _rules(given: PipelineInput) -> Policy:
    if given.strategies is None:
        return given.policy
    return replace(given.policy, rules=tuple(Rule(name) for name in given.strategies), apply="all")


def _without_effect(policy: Policy) -> list[Reason]:
    """Warnings about keys of the policy and options of strategies that are deprecated."""
    from profgate.detect.builtin import STRATEGIES

    known = {name: strategy for strategy in STRATEGIES for name in (strategy.name, strategy.short)}
    keys = [Reason(ReasonCode.KEY_WITHOUT_EFFECT, {"key": "gate-without-history"})] * policy.gate_without_history
    return keys + [
        Reason(ReasonCode.OPTION_WITHOUT_EFFECT, {"option": name, "strategy": rule.method})
        for rule in policy.rules
        if rule.method in known
        for name in rule.options
        if any(spec.name == name and spec.deprecated for spec in known[rule.method].options)
    ]
