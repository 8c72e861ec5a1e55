"""Simulated runs through the pipeline's own stages, and the words of the judge, of each strategy and of each peer."""

from collections.abc import Iterable, Sequence

from bench.accuracy.peers import flagged
from bench.accuracy.scoring import JUDGE, Word, judged, strategy_words

from profgate.detect.registry import DEFAULTS, STRATEGIES, strategy_named
from profgate.detect.rules import selected, words_on
from profgate.errors import ProfileError
from profgate.judge.changes import metric_report
from profgate.model.change import Context
from profgate.model.comparison import Comparison
from profgate.model.policy import Policy, Rule
from profgate.model.profile import Profile
from profgate.model.report import Report
from profgate.model.source import SourceFile, source_of
from profgate.pipeline import Built, PipelineInput, build_report, report_on

NO_FILES = PipelineInput((), (), pages=0)
DEFAULT_NAMES = tuple(strategy_named(short).name for short in DEFAULTS)
OTHER_NAMES = tuple(strategy.name for strategy in STRATEGIES if strategy.name not in DEFAULT_NAMES)
TOTALS = "totals"  # runs beside the others, because what overweight says depends on it


def judge_comparisons(comparisons: Sequence[Comparison]) -> Report:
    """Detected and judged as `profgate compare` does it."""
    return report_on(comparisons, NO_FILES, STRATEGIES)


def judge_profiles(baseline: Sequence[Profile], target: Sequence[Profile], base_runs: Sequence[Profile]) -> Built:
    """The same from the first stage on; only the reading of files is left out."""
    profiles = [*baseline, *target, *base_runs]
    # a name that is a run's number: all of them are runs of one workload
    sources = [source_of(f"w/{number}.x", b"") for number in range(len(profiles))]
    by_name = dict(zip((source.name for source in sources), profiles, strict=True))
    ends = len(baseline), len(baseline) + len(target)
    given = PipelineInput(
        sources[: ends[0]], sources[ends[0] : ends[1]], [[source] for source in sources[ends[1] :]], pages=0
    )

    def read(wanted: Sequence[SourceFile]) -> list[Profile | ProfileError]:
        return [by_name[source.name] for source in wanted]

    return build_report(given, read, STRATEGIES)


def _others(comparison: Comparison) -> dict[str, Word | None]:
    """The strategies that do not run by default, each alone."""
    policy = Policy(rules=tuple(Rule(name) for name in (TOTALS, *OTHER_NAMES)))
    detections = words_on(comparison, selected(policy, comparison.configuration, comparison.metric), Context())
    return strategy_words({comparison.workload: metric_report(comparison, detections)}, OTHER_NAMES)


def _peers(comparisons: Iterable[Comparison]) -> dict[str, Word | None]:
    found: dict[str, Word | None] = {}
    for comparison in comparisons:
        for rule, places in flagged(comparison).items():
            if places is None:
                found.setdefault(rule, None)
                continue
            names = frozenset(
                (comparison.workload, place if isinstance(place, str) else comparison.symbols.names[place])
                for place in places
            )
            known = found.get(rule) or Word(frozenset(), frozenset())
            found[rule] = Word(known.listed | names, known.gated | names)
    return found


def words_of(report: Report, comparisons: Sequence[Comparison], *, everybody: bool) -> dict[str, Word | None]:
    """Words on one pull request, None = cannot speak: of the judge and its strategies, or of all others too."""
    metrics = {workload.name: workload.metrics[0] for workload in report.workloads}
    words: dict[str, Word | None] = {JUDGE: judged(report), **strategy_words(metrics, DEFAULT_NAMES)}
    if not everybody:
        return words
    others = _others(comparisons[0]) if len(comparisons) == 1 else {}
    return words | others | _peers(comparisons)
