"""Profiles in the history: as readings, as the sides of a comparison, and the trials of equal code."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace

from profgate import wiring
from profgate.compare.columns import CompareOptions
from profgate.compare.readings import is_benchmark, of_same_symbols, profile_of, readings_of
from profgate.detect.rules import selected
from profgate.errors import ProfileError
from profgate.history.false_alarms import Trial
from profgate.history.trend import CHANGE_POINT, TrendRules
from profgate.history.trends import Rules
from profgate.model.history import Reading, Series, StoredJob, StoredVerdict
from profgate.model.policy import Policy
from profgate.model.report import Side
from profgate.model.source import SourceFile, source_of, source_of_profile
from profgate.model.units import Metric
from profgate.pipeline import PipelineInput

LARGEST_KEPT = 32 << 20  # bytes of a file that the history keeps whole


def trend_rules(policy: Policy) -> Rules:
    """The options of the strategy `change_point` for a series and metric: those of the first rule that matches."""

    def rules(series: Series, metric: Metric) -> TrendRules:
        chosen = selected(policy, series.configuration, metric, wiring.strategies())
        return next((TrendRules(**options) for one, options in chosen if one.name == CHANGE_POINT), TrendRules())

    return rules


def readings(
    sources: Sequence[SourceFile], policy: Policy, commit: str, job: StoredJob, *, keep: bool
) -> list[Reading]:
    """What the history keeps of these files; with ``keep`` the files themselves too.

    Raises ProfileError that tells every file that cannot be read, and ComparisonError.
    """
    read = wiring.read_all(sources)
    broken = [one for one in read if isinstance(one, ProfileError)]
    if broken:
        raise ProfileError("\n".join(map(str, broken)))
    options = CompareOptions(policy.name_rules, policy.ignore, policy.focus, policy_aliases=policy.aliases)
    made = []
    for source, profile in zip(sources, read, strict=True):
        content = source.read(LARGEST_KEPT)
        run = f"{source.name}\0{hashlib.sha256(content).hexdigest()}"
        kept = content if keep and len(content) <= LARGEST_KEPT else None
        if not isinstance(profile, ProfileError):
            made += readings_of(profile, options, commit, job, run, kept)
    return made


def tried(trial: Trial, policy: Policy, past: Callable[[str], Sequence[Reading]]) -> StoredVerdict:
    """The gate's word on two sides of equal code, as it would be if it decided."""
    before, after = stored_sides(trial.before, trial.after)
    given = PipelineInput(
        before,
        after,
        policy=replace(policy, auto_demote=False),
        baseline_side=Side("", trial.baseline),
        target_side=Side("", trial.target),
        pages=0,
        past=past,
    )
    report = wiring.compare(given).report
    metrics = [metric for workload in report.workloads for metric in workload.metrics]
    reds = sum(finding.colour == "red" for metric in metrics for finding in metric.findings)
    conclusion = report.verdict.conclusion
    return StoredVerdict("unchanged", trial.baseline, trial.target, trial.name, conclusion, reds, len(metrics))


def stored_sides(*sides: Sequence[Reading]) -> list[list[SourceFile]]:
    """The readings of both sides as sources: whole files where both sides have all of theirs, else what is left.

    A benchmark among others in its file is all there in its readings. Where the history has dropped symbols of some
    readings, they are one symbol in all. Raises ProfileError.
    """
    if any(reading.profile is None or is_benchmark(reading) for side in sides for reading in side):
        return [
            [source_of_profile(profile_of(one, number)) for number, one in enumerate(side)]
            for side in of_same_symbols(sides)
        ]
    return [_kept_files(side) for side in sides]


def _kept_files(side: Sequence[Reading]) -> list[SourceFile]:
    files = {(one.name, one.profile, one.job.identity): one for one in side}
    read = wiring.read_all([source_of(one.name, one.profile or b"") for one in files.values()])
    sources = []
    for reading, profile in zip(files.values(), read, strict=True):
        if isinstance(profile, ProfileError):
            raise profile
        facts = {name: value for name, value in asdict(reading.facts).items() if value is not None}
        sources.append(source_of_profile(replace(profile, facts=replace(profile.facts, **facts))))
    return sources
