"""The whole story on one page: sources in, a complete report and its pages out; nothing here touches the outside."""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from profgate.attribution.function_changes import FunctionChanges, function_changes, unread
from profgate.attribution.identity import (
    files_of_two_folders,
    files_of_two_roots,
    functions_of_moved_files,
    not_to_pair,
    paired_functions,
    renamed,
)
from profgate.attribution.reach import with_reach
from profgate.attribution.source_states import Sides, source_states
from profgate.compare.build import compare_workload, number_workload, without_values
from profgate.compare.columns import CompareOptions
from profgate.compare.comparability import comparability, doubts
from profgate.compare.duration_table import durations_of
from profgate.compare.multiples import without_multiples
from profgate.compare.rates import at_one_rate
from profgate.compare.symbols import Identity
from profgate.compare.workloads import Paired, pair, workload_name
from profgate.errors import ComparisonError, ProfileError
from profgate.flamegraph.page import build_page
from profgate.flamegraph.page_columns import BlueprintRules
from profgate.flamegraph.page_input import PageContext, page_input
from profgate.model.acceptance import Acceptance
from profgate.model.attribution import SourceDiff, SourceStates
from profgate.model.change import Context, Detection
from profgate.model.comparison import Comparison, Note
from profgate.model.durations import DurationRun
from profgate.model.manifest import Manifest
from profgate.model.policy import Policy, Rule
from profgate.model.profile import Profile
from profgate.model.report import (
    Document,
    MetricReport,
    NotCompared,
    Report,
    Side,
    Verdict,
    WorkloadReport,
)
from profgate.model.source import SourceFile
from profgate.model.workload import Workload

if TYPE_CHECKING:
    from profgate.detect.rules import Selection
    from profgate.detect.strategy import Strategy
    from profgate.model.history import Reading

Reader = Callable[[Sequence[SourceFile]], "list[Profile | ProfileError]"]
UNJUDGED = Verdict("not_compared", "neutral", ())
MOST_PAST_RUNS = 10  # of tests: only those count that stand in all runs, and older runs lack more of them
LONGEST_STEM = 180  # bytes: file systems take names of 255, and the metric and a suffix follow


@dataclass(frozen=True, slots=True)
class PipelineInput:
    """Everything one comparison needs.

    ``noise``: files of base runs of other commits, a sequence for each job. ``diff``: what changed in the sources
    between the sides, None where nobody looked. ``past`` gives what the history holds of base commits by the key of a
    series. ``acceptances``: what people said may pass.
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
class PageDocument:
    """The page of one workload and metric."""

    workload: str
    metric: str
    document: Document


@dataclass(frozen=True, slots=True)
class Built:
    """A complete report, its pages (worst workload first), and the comparisons they were made from."""

    report: Report
    pages: tuple[PageDocument, ...]
    comparisons: tuple[Comparison, ...]


@dataclass(slots=True)
class _Gathered:
    """What was not compared, the warnings, and the functions that the sources changed."""

    alone: list[NotCompared] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    unreadable: dict[str, list[tuple[str, str, str]]] = field(default_factory=dict)  # by workload: side, file, reason
    functions: FunctionChanges = field(default_factory=FunctionChanges)


def _readable(
    sources: Sequence[SourceFile],
    results: Sequence[Profile | ProfileError],
    given: PipelineInput,
    target: int,
    gathered: _Gathered,
) -> list[Profile]:
    """The profiles of one side that could be read; the others are reported, or raised where a person named the file."""
    manifest, profiles = given.manifests[target], []
    for source, result in zip(sources, results, strict=True):
        if not isinstance(result, ProfileError) and (given.named or not _is_empty(source, result)):
            facts = manifest.facts_of(source.name, result.facts) if manifest is not None else result.facts
            profiles.append(replace(result, facts=facts))
            continue
        if not isinstance(result, ProfileError):
            what = "the file is empty; check the recording"
        elif given.named:
            raise result
        else:
            what = result.what if result.where == source.name else str(result)
        entry = (("baseline", "target")[target], source.name, what)
        gathered.unreadable.setdefault(workload_name(source.name), []).append(entry)
    return profiles


def _is_empty(source: SourceFile, profile: Profile) -> bool:
    return not source.size and profile.stacks is not None and not len(profile.stacks.leaf)


def _unreadable(workload: str, files: Sequence[tuple[str, str, str]]) -> NotCompared:
    """One entry for a workload, with the first of its files that cannot be read."""
    sides = " and the ".join(dict.fromkeys(side for side, _, _ in files))
    _, name, what = files[0]
    more = len({file for _, file, _ in files}) - 1
    others = f" and {more} more" if more else ""
    # side "target" would call a damaged file a new workload, which no gate waits for
    return NotCompared(workload, None, "both", f"unreadable in the {sides}: {name}{others}: {what}")


def _of_job(profile: Profile, job: str) -> Profile:
    """What is stored together was recorded by one job."""
    return profile if profile.facts.job else replace(profile, facts=replace(profile.facts, job=job))


def _pair(given: PipelineInput, read: Reader, gathered: _Gathered) -> Paired:
    """All files are read in one go, so that both sides can be read at once."""
    noise_files = [source for run in given.noise for source in run]
    results = read([*given.baseline, *given.target, *noise_files])
    middle, end = len(given.baseline), len(given.baseline) + len(given.target)
    baseline = _readable(given.baseline, results[:middle], given, 0, gathered)
    target = _readable(given.target, results[middle:end], given, 1, gathered)
    noise, rest = [], iter(results[end:])
    for number, job in enumerate(given.noise, start=1):
        of_job = [next(rest) for _ in job]
        gathered.warnings += [
            f"base run {number}: {one}; left out of the noise" for one in of_job if isinstance(one, ProfileError)
        ]
        noise.append([_of_job(one, f"base run {number}") for one in of_job if not isinstance(one, ProfileError)])
    paired = pair(baseline, target, noise)
    gathered.alone += [_unreadable(workload, files) for workload, files in gathered.unreadable.items()]
    gathered.alone += [entry for entry in paired.alone if entry.name not in gathered.unreadable]
    gathered.warnings += paired.warnings
    return paired


def _compare(paired: Paired, given: PipelineInput, gathered: _Gathered) -> list[Comparison]:
    policy = given.policy
    options = CompareOptions(policy.name_rules, policy.ignore, policy.focus, policy_aliases=policy.aliases)
    comparisons = []
    for workload in paired.workloads:
        notes = comparability(workload.baseline_runs, workload.target_runs, named=given.named)
        blocking = [note.text for note in notes if note.blocks]
        if blocking:
            gathered.alone.append(NotCompared(workload.name, None, "both", "; ".join(blocking)))
            continue
        try:
            made, alone = _overlaid(
                at_one_rate(without_multiples(workload)), notes, options, given.diff, gathered.functions
            )
        except ComparisonError as error:
            gathered.alone.append(NotCompared(workload.name, None, "both", str(error)))
            continue
        past_runs: list[DurationRun] = []
        if given.past is not None:
            from profgate.compare.past import runs_of, with_past
            from profgate.compare.readings import series_of  # not needed by who has no history

            past = given.past(series_of(workload.baseline_runs[0], options).key)
            made = [with_past(one, past) for one in made]
            past_runs = runs_of(past)[-MOST_PAST_RUNS:]
        table = durations_of(workload, past_runs, options) if made else None
        comparisons += [replace(one, notes=(*one.notes, *doubts(one)), durations=table) for one in made]
        gathered.alone += alone
    return comparisons


def _overlaid(
    workload: Workload,
    notes: tuple[Note, ...],
    options: CompareOptions,
    diff: SourceDiff | None,
    functions: FunctionChanges,
) -> tuple[list[Comparison], list[NotCompared]]:
    """The sides laid over each other, where files and functions of two names have one.

    What diffs and paths show is found before; names that only their costs pair need a second overlay.
    """
    numbering = number_workload(workload, options)
    names = without_values(workload, numbering)
    files, folders = _one_name(names, diff)
    if files:
        notes = (*notes, Note("folders", folders)) if folders else notes
        options = replace(options, files=files)
        numbering = number_workload(workload, options)
        names = without_values(workload, numbering)
    if diff is not None:
        moved = functions_of_moved_files(names, diff) | paired_functions(names, Sides(names, diff, functions))
        if moved:
            options = replace(options, aliases=moved)
            numbering = number_workload(workload, options)
    made, alone = compare_workload(workload, notes, options, numbering)
    aliases: dict[Identity, Identity] = {}
    for comparison in made:
        refused = not_to_pair(comparison, None if diff is None else Sides(comparison, diff, functions))
        for old, new in renamed(comparison, refused).items():
            if new not in aliases.values():  # metrics may differ; the first one that finds a partner has it
                aliases.setdefault(old, new)
    if not aliases:
        return made, alone
    return compare_workload(workload, notes, replace(options, aliases={**options.aliases, **aliases}))


def _one_name(comparison: Comparison, diff: SourceDiff | None) -> tuple[dict[str, str], str]:
    """What the sides call one file by two texts, and a word on the folders where these were only seen."""
    if diff is not None:
        return files_of_two_roots(comparison, diff), ""
    files, (before, after) = files_of_two_folders(comparison)
    return files, f"files below {before or './'} are compared with those below {after or './'}"


def chosen_for(comparison: Comparison, given: PipelineInput, strategies: "Sequence[Strategy]") -> "list[Selection]":
    """The strategies that the rules select for a comparison, with their options."""
    from profgate.detect.rules import selected  # not needed by who only draws

    sized = comparison.models is not None
    return selected(_rules(given), comparison.configuration, comparison.metric, strategies, sized=sized)


def _rules(given: PipelineInput) -> Policy:
    if given.strategies is None:
        return given.policy
    return replace(given.policy, rules=tuple(Rule(name) for name in given.strategies), apply="all")


def _detect(
    comparison: Comparison,
    given: PipelineInput,
    strategies: "Sequence[Strategy]",
    context: Context,
) -> list[Detection]:
    from profgate.detect.rules import words_on  # not needed to draw only

    chosen = chosen_for(comparison, given, strategies)
    return words_on(comparison, chosen, context)


def _workload_reports(comparisons: Sequence[Comparison], metrics: Sequence[MetricReport]) -> tuple[WorkloadReport, ...]:
    """Metrics gathered under their workload, in the order of the comparisons."""
    gathered: dict[str, tuple[Comparison, list[MetricReport]]] = {}
    for comparison, metric in zip(comparisons, metrics, strict=True):
        gathered.setdefault(comparison.workload, (comparison, []))[1].append(metric)
    return tuple(
        WorkloadReport(
            name,
            _configuration(first),
            tuple(dict.fromkeys([*(note.text for note in first.notes), *first.warnings])),
            tuple(reports),
        )
        for name, (first, reports) in gathered.items()
    )


def _configuration(comparison: Comparison) -> dict[str, str]:
    one = comparison.configuration
    said = {
        "type": one.type,
        "cmd": one.command,
        "args": one.arguments,
        "workload": one.workload,
        "collector": one.collector,
        "postprocessors": ", ".join(one.postprocessors),
        "format": comparison.facts[1].format,
        "profiler": " ".join(
            part for part in (comparison.facts[1].profiler, comparison.facts[1].profiler_version) if part
        ),
    }
    return {key: value for key, value in said.items() if value}


def _headline(metric: MetricReport) -> tuple[int, float]:
    """Sorts pages: red first, then by how much of the total the largest finding moves."""
    order = {"red": 0, "yellow": 1, "neutral": 2, "green": 3}
    worst = min((order[finding.colour] for finding in metric.findings), default=4)
    moved = max((abs(finding.delta or 0.0) for finding in metric.findings), default=0.0)
    return worst, -(moved / metric.total.baseline if metric.total.baseline else 0.0)


def _blueprint_rules(policy: Policy) -> BlueprintRules:
    """The bars of the strategy call_context, so that the blueprint's colours say what the report says."""
    options = next((rule.options for rule in policy.rules if rule.method in {"call_context", "ctx"}), {})
    return BlueprintRules(**{name: options[name] for name in ("min_shift", "sigma") if name in options})


def _page(
    comparison: Comparison, metric: MetricReport, given: PipelineInput, name: str, states: SourceStates | None
) -> PageDocument:
    labels = (given.baseline_side.sha or given.baseline_side.label, given.target_side.sha or given.target_side.label)
    context = PageContext(labels, metric.findings, states, rules=_blueprint_rules(given.policy))
    context = replace(context, diff=given.diff, embed=given.policy.embed_source)
    text = build_page(*page_input(comparison, context))
    return PageDocument(comparison.workload, comparison.metric.name, Document(name, "text/html", text))


def _plain_name(comparison: Comparison) -> str:
    """The file name of a page, from what file systems and addresses take without quoting; not yet unique."""
    name = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in comparison.workload)
    metric = "".join(letter if letter.isalnum() else "-" for letter in comparison.metric.name)
    return f"{name}.{metric}"


def _page_names(comparisons: Sequence[Comparison]) -> list[str]:
    """A file name for each page; those that would be one name, or are too long, carry a digest of the true one."""
    plain = [_plain_name(one) for one in comparisons]
    times = Counter(name.casefold() for name in plain)
    names = []
    for one, name in zip(comparisons, plain, strict=True):
        stem = name.encode()[:LONGEST_STEM].decode(errors="ignore")
        if stem != name or times[name.casefold()] > 1:
            true_name = f"{one.workload}\0{one.metric.name}\0{one.metric.unit}"
            stem += f"-{hashlib.sha256(true_name.encode(errors='surrogatepass')).hexdigest()[:10]}"
        names.append(f"{stem}.html")
    return names


def _pages(
    comparisons: Sequence[Comparison], report: Report, given: PipelineInput, states: Sequence[SourceStates | None]
) -> tuple[PageDocument, ...]:
    metrics: Mapping[tuple[str, str], MetricReport] = {
        (workload.name, metric.name): metric for workload in report.workloads for metric in workload.metrics
    }
    order = sorted(comparisons, key=lambda one: _headline(metrics[one.workload, one.metric.name]))
    drawable = [one for one in order if one.drawable][: given.pages]
    beside = dict(zip(map(id, comparisons), zip(_page_names(comparisons), states, strict=True), strict=True))
    return tuple(_page(one, metrics[one.workload, one.metric.name], given, *beside[id(one)]) for one in drawable)


def _with_samples(comparisons: Sequence[Comparison], gathered: _Gathered) -> list[Comparison]:
    """Comparisons of workloads with something on both sides: a broken recording must not look like a fast one."""
    held: dict[str, tuple[bool, bool]] = {}
    for one in comparisons:
        sums = one.run_totals
        before, after = held.get(one.workload, (False, False))
        held[one.workload] = (
            before or bool(sums[: one.runs.baseline].any()),
            after or bool(sums[one.runs.baseline :].any()),
        )
    for workload, sides in held.items():
        if not all(sides):
            # "target" would call it a new workload, which no gate waits for
            who = "profiles hold" if not any(sides) else "target holds" if sides[0] else "baseline holds"
            gathered.alone.append(NotCompared(workload, None, "both", f"the {who} no samples; check the recording"))
    return [one for one in comparisons if all(held[one.workload])]


def compare_sources(given: PipelineInput, read: Reader) -> tuple[list[Comparison], _Gathered]:
    """Sources read, paired and laid over each other, and what could not be. Raises ProfileError for a named file."""
    gathered = _Gathered(functions=function_changes(given.diff))
    return _with_samples(_compare(_pair(given, read, gathered), given, gathered), gathered), gathered


def report_on(
    comparisons: Sequence[Comparison],
    given: PipelineInput,
    strategies: "Sequence[Strategy]",
    alone: Sequence[NotCompared] = (),
    warnings: Sequence[str] = (),
    states: Sequence[SourceStates | None] = (),
) -> Report:
    """Comparisons detected, gathered and judged; ``alone`` and ``warnings`` are what could not be compared.

    ``states`` are those of each comparison's sources: evidence beside the findings, and what makes a strategy's word on
    a calling context more than a maybe.
    """
    from profgate.attribution.call_links import causes_of  # none of these is needed to draw only
    from profgate.detect.evidence import evidence_of
    from profgate.detect.rules import words_on_all
    from profgate.judge.changes import metric_report
    from profgate.judge.verdict import judge

    attributed = [replace(one, causes=causes_of(one)) for one in comparisons]
    evidence, families = evidence_of(comparisons, interleaved=given.interleaved)
    metrics = [
        metric_report(
            one,
            _detect(one, given, strategies, Context(len(comparisons), known, seen)),
            verbose=given.verbose,
            states=known,
            asked=bool(_rules(given).rules),
        )
        for one, seen, known in zip_longest(attributed, evidence, states)
    ]
    draft = Report(
        baseline=given.baseline_side,
        target=given.target_side,
        verdict=UNJUDGED,
        workloads=_workload_reports(comparisons, metrics),
        not_compared=tuple(sorted(alone, key=lambda item: (item.name, item.side, item.metric or ""))),
        changes=words_on_all(comparisons, _rules(given), strategies, Context(pairs=len(comparisons))),
        warnings=(*warnings, *_without_effect(given)),
        acceptances=given.acceptances,
        tests=families,
    )
    return judge(draft, given.policy)


def _without_effect(given: PipelineInput) -> list[str]:
    """Warnings about options of strategies that no longer do anything."""
    from profgate.detect.builtin import STRATEGIES

    known = {name: strategy for strategy in STRATEGIES for name in (strategy.name, strategy.short)}
    gate = ["the policy key gate-without-history no longer has an effect; remove it"]
    return gate * given.policy.gate_without_history + [
        f"the option {name} of {rule.method} no longer has an effect; remove it"
        for rule in given.policy.rules
        if rule.method in known
        for name in rule.options
        if any(spec.name == name and spec.deprecated for spec in known[rule.method].options)
    ]


def states_of(comparison: Comparison, diff: SourceDiff, functions: FunctionChanges) -> SourceStates:
    """What is known of the source of each symbol, and how the change can have come to it."""
    sides = Sides(comparison, diff, functions)
    return with_reach(source_states(sides), comparison, sides)


def build_report(given: PipelineInput, read: Reader, strategies: "Sequence[Strategy]") -> Built:
    """The judged report of one comparison with its pages. Pure; raises ProfileError for a file a person named."""
    comparisons, gathered = compare_sources(given, read)
    states = [None if given.diff is None else states_of(one, given.diff, gathered.functions) for one in comparisons]
    if given.diff is not None:
        doubts = (given.diff.reason, unread(gathered.functions))
        gathered.warnings += [f"not all is known of the sources: {doubt}" for doubt in doubts if doubt]
    report = report_on(comparisons, given, strategies, gathered.alone, gathered.warnings, states)
    return Built(report, _pages(comparisons, report, given, states), tuple(comparisons))
