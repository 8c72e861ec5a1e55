"""Loads the inputs of a comparison from files: the profiles, their manifest, the policy and the source diff."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from profgate import wiring
from profgate.errors import ProfgateError
from profgate.io.files import read_loosely, read_text, sources_under
from profgate.io.profile_files import facts_beside
from profgate.model.policy import FailOn, Policy
from profgate.model.reason import Reason, ReasonCode
from profgate.model.sides import Side
from profgate.model.source import MANIFEST_NAME
from profgate.pipeline import PipelineInput
from profgate.readers.folded import split_difference

if TYPE_CHECKING:
    from profgate.model.attribution import SourceDiff
    from profgate.model.change import OptionSpec
    from profgate.model.manifest import Manifest
    from profgate.model.source import SourceFile

LARGEST_DIFFERENCE = 1 << 30
LARGEST_DIFF = 64 << 20


def strategy_options() -> dict[str, tuple[OptionSpec, ...]]:
    """Return the options of every strategy. The keys are the full and the short names of the strategies."""
    return {name: strategy.options for strategy in wiring.strategies() for name in (strategy.name, strategy.short)}


def load_policy(config: str | None, fail_on: FailOn | None = None) -> Policy:
    """Return the policy of a configuration file, or the built-in policy.

    ``fail_on`` replaces the severity levels at which the gate fails. Raises ProfgateError with a list of all mistakes
    in the file.
    """
    policy = Policy()
    if config is not None:
        from profgate.settings.config_file import read_policy

        policy = read_policy(read_text(config), config, strategy_options())
    return policy if fail_on is None else replace(policy, fail_on=fail_on, fail_on_total=fail_on)


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


def two_columns(path: str, policy: Policy) -> PipelineInput:
    """Load both sides from a folded file with two columns of values.

    Raises ProfgateError if the path does not name such a file.
    """
    sources = profiles_at(path)[0]
    if len(sources) != 1:
        raise ProfgateError(path, "--difference takes one folded file")
    baseline, target = split_difference(sources[0], LARGEST_DIFFERENCE)
    return PipelineInput([baseline], [target], policy=policy, named=True)


def load_diff(diff: str | None, baseline_source: str | None, target_source: str | None) -> SourceDiff | None:
    """Return the difference between the sources, from a unified diff or from two folders.

    Raises ProfgateError if the arguments cannot be combined or the diff cannot be parsed.
    """
    if baseline_source is not None and target_source is not None and diff is None:
        from profgate.attribution.unified_diff import folder_diff  # imported only if there are sources
        from profgate.io.source_folders import differing_texts

        return folder_diff(*differing_texts(baseline_source, target_source))
    if baseline_source is not None or target_source is not None:
        raise ProfgateError("--baseline-source", "needs --target-source, and excludes --diff")
    return None if diff is None else _unified_diff(diff)


def _unified_diff(place: str) -> SourceDiff:
    """Parse the diff, and add the texts of the changed files and the list of files that git tracks."""
    from profgate.attribution.unified_diff import parse_diff  # imported only if there is a diff
    from profgate.io.git import local_checkout, tracked_files

    diff = parse_diff(read_loosely(place, LARGEST_DIFF), "standard input" if place == "-" else place)
    diff = wiring.with_texts(diff)
    tracked = tracked_files()
    if tracked is None:
        return replace(diff, gaps=(Reason(ReasonCode.DIFF_INCOMPLETE, {"case": "no_tracked_files"}),))
    return replace(diff, repository_files=tracked, checkout=local_checkout())
