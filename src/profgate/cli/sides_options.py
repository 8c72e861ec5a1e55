"""What several sub-commands read: files and folders named on the command line, and the policy."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

from profgate import wiring
from profgate.attribution.folder_diff import folder_diff
from profgate.attribution.unified_diff import parse_diff
from profgate.errors import ProfgateError
from profgate.io.files import read_loosely, read_text, sources_under, write_text
from profgate.io.git import tracked_files
from profgate.io.source_folders import differing_texts
from profgate.model.attribution import SourceDiff
from profgate.model.comparison import Comparison
from profgate.model.manifest import MANIFEST_NAME, Manifest, manifest_from_json
from profgate.model.policy import EmbedSource, FailOn, Policy
from profgate.model.report import Side
from profgate.model.source import SourceFile
from profgate.pipeline import PipelineInput
from profgate.readers.folded import split_difference

LARGEST_DIFFERENCE = 1 << 30
LARGEST_DIFF = 64 << 20


def folder(text: str) -> str:
    """A folder to write into, for argparse."""
    return _named(text, "a folder, such as profgate-report")


def file(text: str) -> str:
    """A file to read or to write, for argparse."""
    return _named(text, "a file")


def side(text: str) -> str:
    """A file or folder of profiles, for argparse."""
    return _named(text, "a profile or a folder of profiles")


def _named(text: str, what: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError(f"is empty; name {what}")
    return text


def add_sides(parser: argparse.ArgumentParser, *, target: str | None = None) -> None:
    """The two sides as positional arguments."""
    parser.add_argument("baseline", metavar="BASELINE", type=side, help="file or folder of profiles")
    parser.add_argument("target", metavar="TARGET", nargs=target, type=side, help="file or folder of profiles")
    parser.add_argument("--difference", action="store_true", help="BASELINE is one folded file with two columns")


def _side(path: str) -> tuple[list[SourceFile], Manifest | None]:
    """The profiles below a path and their manifest, if they have one. Raises ProfgateError for an empty side."""
    sources = sources_under(path)
    manifest = next((source for source in sources if source.name == MANIFEST_NAME), None)
    profiles = [source for source in sources if source is not manifest]
    if not profiles:
        raise ProfgateError(path, "holds no profile; give a file, or a folder with files")
    return profiles, manifest_from_json(manifest.read(1 << 24)) if manifest is not None else None


def stored_files(path: str) -> list[SourceFile]:
    """The profiles below a path. Raises ProfgateError where there is none."""
    return _side(path)[0]


def _configured(config: str) -> Policy:
    from profgate.settings.config_file import read_policy

    catalogue = {name: one.options for one in wiring.strategies() for name in (one.name, one.short)}
    return read_policy(read_text(config), config, catalogue)


def policy_of(config: str | None, fail_on: FailOn | None = None) -> Policy:
    """The policy of a configuration file, or the built-in one; ``fail_on`` takes the place of its level."""
    policy = _configured(config) if config else Policy()
    if fail_on is not None:
        policy = replace(policy, fail_on=fail_on, fail_on_total=fail_on)
    return policy


def pipeline_input(
    baseline: str, target: str | None, policy: Policy, *, difference: bool = False, alone: bool = False
) -> PipelineInput:
    """Both sides as the pipeline takes them; ``alone`` allows one profile, for what only shows it."""
    if target is None and not difference and not alone:
        raise ProfgateError(baseline, "needs a TARGET to be compared with; give two profiles, or --difference")
    before, before_manifest = _side(baseline)
    if difference:
        if len(before) != 1 or target is not None:
            raise ProfgateError(baseline, "--difference takes one folded file and no TARGET")
        one, other = split_difference(before[0], LARGEST_DIFFERENCE)
        return PipelineInput([one], [other], policy=policy, named=True)
    after, after_manifest = _side(target) if target is not None else (before, before_manifest)
    return PipelineInput(
        before,
        after,
        policy=policy,
        baseline_side=Side(baseline),
        target_side=Side(target or baseline),
        manifests=(before_manifest, after_manifest),
        named=len(before) == len(after) == 1,
    )


def add_diff(parser: argparse.ArgumentParser) -> None:
    """The options that tell what changed in the sources."""
    parser.add_argument(
        "--diff", metavar="FILE", type=file, help="unified diff of the sources, as git diff writes it; - for stdin"
    )
    parser.add_argument("--baseline-source", metavar="DIR", type=folder, help="the sources of BASELINE, for a diff")
    parser.add_argument("--target-source", metavar="DIR", type=folder, help="the sources of TARGET")
    parser.add_argument("--embed-source", choices=get_args(EmbedSource), help="whose source a page may hold")


def sources_of(arguments: argparse.Namespace) -> SourceDiff | None:
    """What changed in the sources, from a diff or from two folders. Raises ProfgateError."""
    folders = (arguments.baseline_source, arguments.target_source)
    if arguments.embed_source and None in folders:
        raise ProfgateError("--embed-source", "chooses from sources: add --baseline-source and --target-source")
    if folders == (None, None):
        return source_diff(arguments.diff)
    if arguments.diff is not None or None in folders:
        raise ProfgateError("--baseline-source", "goes with --target-source, and without --diff")
    return folder_diff(*differing_texts(*folders))


def source_diff(name: str | None) -> SourceDiff | None:
    """The diff, with the files that git tracks here. Raises ProfgateError with the line that cannot be read."""
    if name is None:
        return None
    diff = parse_diff(read_loosely(name, LARGEST_DIFF), "standard input" if name == "-" else name)
    diff = wiring.with_texts(diff)
    tracked = tracked_files()
    if tracked is None:
        return replace(diff, reason="git lists no files here, so only functions in changed files are known")
    return replace(diff, repository_files=tracked)


def one_comparison(comparisons: Sequence[Comparison], metric: str | None, workload: str | None) -> Comparison:
    """The comparison a person means, by metric and workload. Raises ProfgateError that names the choice."""
    found = [one for one in comparisons if metric in (None, one.metric.name) and workload in (None, one.workload)]
    if len(found) == 1 or (found and len({one.workload for one in found}) == 1 and metric is None):
        return found[0]
    known = ", ".join(f"{one.workload}/{one.metric.name}" for one in comparisons) or "none"
    raise ProfgateError("profiles", f"choose one with --workload and --metric; there are: {known}")


__all__ = [
    "add_diff",
    "add_sides",
    "file",
    "folder",
    "one_comparison",
    "pipeline_input",
    "policy_of",
    "side",
    "sources_of",
    "stored_files",
    "write_text",
]
