"""Loads the inputs of a comparison: readers and strategies, profiles, policies and differences between sources."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from profgate.errors import ProfgateError, ProfileError
from profgate.io.converters import converted
from profgate.io.files import read_loosely, read_text, sources_under
from profgate.io.packages import registers
from profgate.io.profile_files import facts_beside
from profgate.io.workers import done, processors
from profgate.model.policy import FailOn, Policy
from profgate.model.reason import Reason, ReasonCode
from profgate.model.record import replace
from profgate.model.source import MANIFEST_NAME, SourceFile
from profgate.readers.reader import collection_paused
from profgate.readers.registry import Readers, read_or_error, readers_with

if TYPE_CHECKING:
    from profgate.decide.detect.strategy import Strategy
    from profgate.model.attribution import SourceDiff
    from profgate.model.change import OptionSpec
    from profgate.model.manifest import Manifest
    from profgate.model.profile import Profile

LARGE = 16 << 20  # number of bytes below which starting a process takes more time than it saves


@cache
def _plugins(group: str) -> tuple[Any, ...]:
    """Return the plugins registered for an entry point group. Raises ProfgateError if a plugin cannot be loaded."""
    if not registers(group):
        return ()
    from importlib.metadata import entry_points

    parts = []
    for point in sorted(entry_points(group=group), key=lambda point: point.name):
        try:
            parts.append(point.load()())
        except (Exception, SystemExit) as error:  # a plugin may raise any exception
            raise ProfgateError(f"entry point {group}: {point.name}", f"cannot be loaded: {error}") from error
    return tuple(parts)


def strategies() -> tuple[Strategy, ...]:
    """Return the built-in strategies and the strategies of plugins."""
    from profgate.decide.detect.builtin import (
        all_strategies,  # imported here because commands that only draw do not need it
    )

    return all_strategies(_plugins("profgate.strategies"))


@cache
def readers() -> Readers:
    """Return the readers, in the order in which they are tried."""
    from profgate.io.native import NativeKernels

    return readers_with(_plugins("profgate.readers"), NativeKernels())


@collection_paused()
def read_sources(sources: Sequence[SourceFile]) -> list[Profile | ProfileError]:
    """Read every source and return the results in the same order. Large input is read by subprocesses."""
    unread, failed = list[SourceFile](), dict[int, ProfileError]()
    for place, source in enumerate(sources):
        try:
            if source.profile is None:
                unread.append(converted(source))
        except ProfileError as error:
            failed[place] = error
    large = sum(map(_bytes_to_read, unread)) >= LARGE
    tasks = [partial(read_or_error, source, readers()) for source in unread]
    read = iter(list(done(tasks, processors() if large else 1)))
    return [failed.get(place) or source.profile or next(read) for place, source in enumerate(sources)]


def readable_profiles(sources: Sequence[SourceFile]) -> list[Profile]:
    """Read every source and return its profile. Raises the error of the first source that cannot be read."""
    profiles = []
    for result in read_sources(sources):
        if isinstance(result, ProfileError):
            raise result
        profiles.append(result)
    return profiles


def _bytes_to_read(source: SourceFile) -> int:
    """Return an estimate, after decompression, that includes the time of opening a file as 32 KiB."""
    gzip, zstandard = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
    return (32 << 10) + source.size * (8 if source.head.startswith((gzip, zstandard)) else 1)


def tests_in(sources: Sequence[SourceFile]) -> int:
    """Return the number of tests in these files, or 0 if any file contains no test results or cannot be read."""
    from profgate.compare.duration_table import is_table_of_durations

    count = 0
    for profile in read_sources(sources):
        if isinstance(profile, ProfileError) or not is_table_of_durations(profile):
            return 0
        count += len(profile.frames.names)
    return count


def strategy_options() -> dict[str, tuple[OptionSpec, ...]]:
    """Return the options of every strategy. The keys are the full and the short names of the strategies."""
    return {name: strategy.options for strategy in strategies() for name in (strategy.name, strategy.short)}


def load_policy(config: str | None, fail_on: FailOn | None = None) -> Policy:
    """Return the policy of a configuration file, or the built-in policy.

    ``fail_on`` replaces the severity levels at which the gate fails. Raises ProfgateError with a list of all mistakes
    in the file.
    """
    policy = Policy()
    if config is not None:
        from profgate.settings.config_file import read_policy

        policy = read_policy(read_text(config), config, strategy_options())
    return policy if fail_on is None else replace(policy, fail_on=fail_on)


def profiles_at(path: str) -> tuple[list[SourceFile], Manifest | None]:
    """Return the profiles of a file, folder or glob pattern, and their manifest.

    Profiles of built scripts contain their sources if the checkout of the current folder contains the source maps.
    Raises ProfgateError if there are no profiles.
    """
    sources = {source.name: source for source in sources_under(path)}
    stored, facts = sources.pop(MANIFEST_NAME, None), facts_beside(sources, path)
    profiles = _with_sources(sources.values())
    if not profiles:
        raise ProfgateError(path, "contains no profile; use a file, or a folder with files")
    if stored is None and not facts:
        return profiles, None
    from profgate.model.manifest import MOST_BYTES, Manifest, manifest_from_json

    manifest = None if stored is None else manifest_from_json(stored.read(MOST_BYTES))
    return profiles, (manifest or Manifest()).recorded(facts) if facts else manifest


def _with_sources(files: Collection[SourceFile]) -> list[SourceFile]:
    """Add the sources of built scripts, if there are profiles of JavaScript."""
    if not any(file.head.lstrip().startswith(b"{") for file in files):
        return list(files)
    from profgate.source_maps import with_sources

    return with_sources(files)


def load_diff(place: str) -> SourceDiff:
    """Parse a unified diff, and add the texts of the changed files and the list of files that git tracks.

    Raises ProfgateError if the diff cannot be parsed.
    """
    return parsed_diff(read_loosely(place, 64 << 20), "standard input" if place == "-" else place)


def parsed_diff(text: str, name: str) -> SourceDiff:
    """Parse the text of a unified diff, as `load_diff` does."""
    from profgate.attribution.unified_diff import parse_diff  # imported only if there is a diff
    from profgate.io.git import local_checkout
    from profgate.io.worktrees import tracked_files

    diff = with_texts(parse_diff(text, name))
    try:
        return replace(diff, repository_files=tracked_files("."), checkout=local_checkout())
    except ProfgateError:
        return replace(diff, gaps=(Reason(ReasonCode.DIFF_INCOMPLETE, {"case": "no_tracked_files"}),))


def repository_sources() -> dict[str, str]:
    """Return the texts of the sources of the checked-out commit that can load each other, by path; none without git."""
    from profgate.attribution.imports import is_graphed
    from profgate.io.git import blob_texts, blobs_of_head

    try:
        blobs = {path: blob for path, blob in blobs_of_head().items() if is_graphed(path)}
    except ProfgateError:
        return {}
    texts = blob_texts(blobs.values())
    return {path: texts[blob] for path, blob in blobs.items() if blob in texts}


def with_texts(diff: SourceDiff) -> SourceDiff:
    """Add the texts of all files for which the diff contains blob ids. Texts are read from git or the working tree."""
    from profgate.attribution.dependencies import wanted_texts  # imported only if there is a diff
    from profgate.io.git import blob_texts, texts_of_files
    from profgate.model.attribution import SourceTexts

    wanted_before, wanted_after = wanted_texts(diff)
    before = {
        file.previous_path: file.blobs[0] for file in diff.files if file.blobs and file.previous_path in wanted_before
    }
    after = {file.path: file.blobs[1] for file in diff.files if file.blobs and file.path in wanted_after}
    if not before and not after:
        return diff
    stored = blob_texts([*before.values(), *after.values()])
    here = texts_of_files({path: blob for path, blob in after.items() if blob not in stored})
    texts = SourceTexts(
        {path: stored[blob] for path, blob in before.items() if blob in stored},
        {path: stored[blob] for path, blob in after.items() if blob in stored} | here,
    )
    return replace(diff, texts=texts)
