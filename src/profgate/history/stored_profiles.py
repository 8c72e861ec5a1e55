"""Converts profiles to readings, and readings to the sides of a comparison."""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, replace

from profgate import loading
from profgate.compare.columns import CompareOptions
from profgate.compare.readings import is_benchmark, of_same_symbols, profile_of, readings_of
from profgate.detect.rules import selected
from profgate.errors import ProfileError
from profgate.history.trends import CHANGE_POINT, Rules, TrendRules
from profgate.model.history import Reading, Series
from profgate.model.policy import Policy
from profgate.model.source import SourceFile, source_of, source_of_profile
from profgate.model.units import Metric

LARGEST_STORED = 32 << 20  # in bytes; files of larger profiles are not stored


def trend_rules(policy: Policy) -> Rules:
    """Return a function that returns the `change_point` options of the first rule that matches a series and metric."""

    def rules(series: Series, metric: Metric) -> TrendRules:
        chosen = selected(policy, series.configuration, metric, loading.strategies())
        return TrendRules(**next((options for strategy, options in chosen if strategy.name == CHANGE_POINT), {}))

    return rules


def readings(sources: Sequence[SourceFile], policy: Policy, commit: str, job: str, *, keep: bool) -> list[Reading]:
    """Return the readings of these files. With ``keep``, the readings also contain the files.

    Raises ProfileError if files are unreadable, and ComparisonError if values overflow.
    """
    read = loading.read_sources(sources)
    broken = [error for error in read if isinstance(error, ProfileError)]
    if broken:
        raise ProfileError("\n".join(map(str, broken)))
    options = CompareOptions(policy.name_rules, policy.ignore, policy_aliases=policy.aliases)
    made = []
    for source, profile in zip(sources, read, strict=True):
        content = source.read(LARGEST_STORED)
        run = f"{source.name}\0{hashlib.sha256(content).hexdigest()}"
        stored = content if keep and len(content) <= LARGEST_STORED else None
        if not isinstance(profile, ProfileError):
            made += readings_of(profile, options, commit, job, run, stored)
    return made


def stored_sides(*sides: Sequence[Reading]) -> list[list[SourceFile]]:
    """Return the stored files of each side or, if any file is missing, profiles made from the readings.

    Symbols that the history dropped from some readings are merged into one symbol in all readings. Raises ProfileError
    if a stored file is unreadable.
    """
    if any(reading.profile is None or is_benchmark(reading) for side in sides for reading in side):
        return [
            [source_of_profile(profile_of(reading, number)) for number, reading in enumerate(side)]
            for side in of_same_symbols(sides)
        ]
    return [_stored_files(side) for side in sides]


def _stored_files(side: Sequence[Reading]) -> list[SourceFile]:
    files = {(reading.name, reading.profile, reading.job): reading for reading in side}
    read = loading.readable_profiles([source_of(reading.name, reading.profile or b"") for reading in files.values()])
    sources = []
    for reading, profile in zip(files.values(), read, strict=True):
        facts = {name: value for name, value in asdict(reading.facts).items() if value is not None}
        sources.append(source_of_profile(replace(profile, facts=replace(profile.facts, **facts))))
    return sources
