"""``profgate track VERSIONS -- COMMAND``: benchmarks over versions, and where they jumped.

VERSIONS are --last N, revisions, a range A..B, --tags PATTERN, or --releases that --setup installs. COMMAND leaves
profiles or results in the folder PROFGATE_OUT; where it leaves none, its wall time counts. It gets PROFGATE_SOURCE,
PROFGATE_VERSION and PROFGATE_COMMIT too, and {out}, {source}, {version}, {commit} stand for the same in its arguments.
"""

import argparse
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from profgate.cli.arguments import number_in, split_command, whole_number
from profgate.cli.sides_options import folder as folder_argument
from profgate.errors import ProfgateError
from profgate.io.files import write_text
from profgate.io.terminal import show
from profgate.model.visible_text import name_text
from profgate.track.evolution import EvolutionOptions
from profgate.track.evolution_page import build_evolution_page
from profgate.track.evolution_text import evolution_csv, evolution_json, evolution_lines
from profgate.track.git_versions import Repository, repository_around
from profgate.track.jump_pages import jump_pages
from profgate.track.measuring import Plan
from profgate.track.track_folder import TrackFolder
from profgate.track.tracking import Track
from profgate.track.versions import Version

COUNT = whole_number(10_000)
SECONDS = number_in(0.001, 10_000_000)


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="profgate track",
        description=__doc__.replace("`", ""),
        usage="profgate track [options] [VERSION ...] -- COMMAND ...",
    )
    which = parser.add_argument_group("versions")
    which.add_argument("version", metavar="VERSION", nargs="*", help="revisions in their order, or ranges A..B")
    which.add_argument("--last", type=COUNT, metavar="N", help="the last N commits, on first parents")
    which.add_argument("--tags", metavar="PATTERN", help="tags such as 'v1.*', in the order of their numbers")
    which.add_argument("--releases", metavar="LIST", help="without git, such as 1.0,1.1: --setup installs each")
    what = parser.add_argument_group("benchmarks")
    what.add_argument("--setup", action="append", default=[], metavar="COMMAND", help="run first, once a version")
    what.add_argument("--runs", type=COUNT, default=3, metavar="N", help="runs a version (default: 3)")
    what.add_argument("--timeout", type=SECONDS, default=1800.0, metavar="S", help="for a command (default: 1800)")
    what.add_argument("--here", action="store_true", help="run COMMAND here; PROFGATE_SOURCE is the version's worktree")
    what.add_argument("--bring", action="append", default=[], metavar="PATH", help="copy from here into each worktree")
    what.add_argument("--source", action="append", default=[], metavar="GLOB", help="files of a benchmark, {benchmark}")
    what.add_argument("--again", action="store_true", help="try versions again that failed")
    what.add_argument("--refine", action="store_true", help="measure both ends, then only what narrows a jump down")
    report = parser.add_argument_group("report")
    report.add_argument("--metric", metavar="NAME", help="which metric is shown first; counted ones by default")
    report.add_argument("--min-change", type=_percent, metavar="PERCENT", help="of a jump (default: 5, counted: 1)")
    report.add_argument("--stretches", action="store_true", help="compare between changes of a benchmark's source, too")
    report.add_argument("--pages", type=COUNT, default=20, metavar="N", help="most pages of jumps (default: 20)")
    report.add_argument(
        "--output-dir", "-o", type=folder_argument, default="profgate-track", metavar="DIR", help="holds all"
    )
    report.add_argument(
        "--format", choices=("terminal", "json", "csv"), default="terminal", help="what is printed (default: terminal)"
    )
    words, command = split_command(argv)
    arguments = parser.parse_args(words)
    arguments.command = command
    if not command:
        parser.error("the command is missing: profgate track --last 10 -- COMMAND")
    return arguments


def _percent(text: str) -> float:
    return number_in(0, 1_000_000)(text.removesuffix("%")) / 100


def _plan(arguments: argparse.Namespace) -> Plan:
    repository = None if arguments.releases else repository_around(".")
    versions = _releases(arguments.releases) if repository is None else _revisions(arguments, repository)
    versions = list({version.commit or version.name: version for version in versions}.values())
    if not versions:
        raise ProfgateError("versions", "there are none; git log and git tag list what could be tracked")
    if repository is None and not arguments.setup:
        raise ProfgateError("--releases", "needs a --setup that installs {version} into {source}")
    if repository is None and arguments.bring:
        raise ProfgateError("--bring", "fills worktrees of git; with --releases COMMAND runs here anyway")
    for path in arguments.bring:
        if not Path(path).exists():
            raise ProfgateError(path, "cannot be brought along, since it does not exist; name it by its path from here")
    return Plan(
        command=tuple(arguments.command),
        versions=tuple(versions),
        repository=repository,
        setup=tuple(_split(text) for text in arguments.setup),
        runs=arguments.runs,
        timeout=arguments.timeout,
        here=arguments.here or repository is None,
        copied=tuple(arguments.bring),
        sources=tuple(arguments.source),
        refine=arguments.refine,
        options=EvolutionOptions(arguments.metric, arguments.min_change, arguments.stretches),
    )


def _releases(text: str) -> list[Version]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name.startswith("-") or not name.isprintable() or len(name) > 100:
            raise ProfgateError("--releases", f"{name[:100]!r} is no version; write a list such as 1.0,1.1")
    return [Version(name) for name in names]


def _revisions(arguments: argparse.Namespace, repository: Repository) -> list[Version]:
    chosen = [arguments.version, arguments.last, arguments.tags]
    if sum(map(bool, chosen)) != 1:
        raise ProfgateError("versions", "give one of --last N, --tags PATTERN, --releases LIST, revisions or a range")
    if arguments.last is not None:
        return repository.last(arguments.last)
    if arguments.tags is not None:
        return repository.tagged(arguments.tags)
    versions: list[Version] = []
    for revision in arguments.version:
        if "..." in revision:
            raise ProfgateError(revision, "is a symmetric difference, which has no order; write A..B")
        first, dots, last = revision.partition("..")
        versions += repository.between(first, last or "HEAD") if dots else [repository.named(revision)]
    return versions


def _split(text: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise ProfgateError("--setup", f"{text!r} cannot be split into words ({error})") from None
    if not words:
        raise ProfgateError("--setup", "is empty; name a command")
    return words


def _write(track: Track, arguments: argparse.Namespace) -> None:
    """Writes the page, the pages of its jumps and the tables, and prints. Raises ComparisonError without any value."""
    folder, evolution = arguments.output_dir, track.evolution()
    links: dict[int, str] = {}
    for number, document in jump_pages(evolution, track, arguments.pages):
        if document.name not in links.values():
            write_text(str(Path(folder, document.name)), document.text)
        links[number] = document.name
    texts = {"html": build_evolution_page(evolution, links), "csv": evolution_csv(evolution)}
    texts["json"] = evolution_json(evolution)
    for ending, text in texts.items():
        write_text(str(Path(folder, f"evolution.{ending}")), text)
    if arguments.format == "terminal":
        show(evolution_lines(evolution, shutil.get_terminal_size((100, 24)).columns), sys.stdout)
        show([("quiet", f"The evolution: {folder}/evolution.html")], sys.stdout)
    else:
        sys.stdout.write(texts[arguments.format])


def _report(text: str) -> None:
    sys.stderr.write(f"profgate: {name_text(text, 400)}\n")  # it quotes what commands printed
    sys.stderr.flush()


def run(argv: Sequence[str]) -> int:
    """Exit code 0 when everything was measured or skipped, 3 where nothing could be. Raises ProfgateError."""
    arguments = _arguments(argv)
    plan = _plan(arguments)
    if arguments.last is not None and len(plan.versions) < arguments.last:
        _report(f"only {len(plan.versions)} of {arguments.last} versions are here; a shallow clone knows no more")
    for warning in plan.warnings():
        _report(warning)
    track = Track(plan, TrackFolder(arguments.output_dir, plan.key), _report)
    with track.folder.locked() as source:
        try:
            track.measure(source, again=arguments.again)
        except KeyboardInterrupt:
            _report("stopped; finished runs are stored, and the same command goes on")
            if any(version.runs for version in track.measured_versions()):
                _write(track, arguments)
            raise
        _write(track, arguments)
    return 0
