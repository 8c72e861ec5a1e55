"""``profgate track VERSIONS -- COMMAND``: how benchmarks did over versions, and where they jumped.

VERSIONS are --last N, revisions, a range A..B, --tags PATTERN, or --releases that --setup installs. COMMAND leaves
profiles or results in the folder PROFGATE_OUT; where it leaves none, its wall time counts. It is told PROFGATE_SOURCE,
PROFGATE_VERSION and PROFGATE_COMMIT too, and {out}, {source}, {version}, {commit} stand for the same in its words.
"""

import argparse
import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from profgate.adapters.files import write_text
from profgate.adapters.git_versions import Repository, repository_around
from profgate.adapters.track_folder import TrackFolder
from profgate.commands.inputs import folder as folder_argument
from profgate.commands.jump_pages import jump_pages
from profgate.commands.tracking import Plan, measure, measured_versions
from profgate.errors import ProfgateError
from profgate.history.evolution import EvolutionOptions, evolution_of
from profgate.model.evolution import Evolution, Version
from profgate.model.visible_text import name_text
from profgate.publish.terminal import show
from profgate.report.evolution_page import build_evolution_page
from profgate.report.evolution_text import evolution_csv, evolution_json, evolution_lines

FORMATS = ("terminal", "json", "csv")
MOST_VERSIONS = 10_000
LONGEST_LINE = 400
DEFAULT_FOLDER = "profgate-track"


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="profgate track",
        description=__doc__.replace("`", ""),
        usage="profgate track [options] [VERSION ...] -- COMMAND ...",
    )
    which = parser.add_argument_group("versions")
    which.add_argument("version", metavar="VERSION", nargs="*", help="revisions in their order, or ranges A..B")
    which.add_argument("--last", type=_count, metavar="N", help="the last N commits, on first parents")
    which.add_argument("--tags", metavar="PATTERN", help="tags such as 'v1.*', in the order of their numbers")
    which.add_argument("--releases", metavar="LIST", help="without git, such as 1.0,1.1: --setup installs each")
    what = parser.add_argument_group("benchmarks")
    what.add_argument("--setup", action="append", default=[], metavar="COMMAND", help="run first, once a version")
    what.add_argument("--runs", type=_count, default=3, metavar="N", help="runs a version (default: 3)")
    what.add_argument("--timeout", type=_seconds, default=1800.0, metavar="S", help="for a command (default: 1800)")
    what.add_argument("--here", action="store_true", help="run COMMAND here; PROFGATE_SOURCE is the version's worktree")
    what.add_argument("--bring", action="append", default=[], metavar="PATH", help="copy from here into each worktree")
    what.add_argument("--source", action="append", default=[], metavar="GLOB", help="files of a benchmark, {benchmark}")
    what.add_argument("--again", action="store_true", help="try versions again that failed")
    what.add_argument("--refine", action="store_true", help="measure both ends, then only what narrows a jump down")
    said = parser.add_argument_group("report")
    said.add_argument("--metric", metavar="NAME", help="which metric speaks first; counted ones by default")
    said.add_argument("--min-change", type=_percent, metavar="PERCENT", help="of a jump (default: 5, counted: 1)")
    said.add_argument("--stretches", action="store_true", help="compare between changes of a benchmark's source, too")
    said.add_argument("--pages", type=_count, default=20, metavar="N", help="most pages of jumps (default: 20)")
    said.add_argument(
        "--output-dir", "-o", type=folder_argument, default=DEFAULT_FOLDER, metavar="DIR", help="holds all"
    )
    said.add_argument("--format", choices=FORMATS, default="terminal", help="what is printed (default: terminal)")
    words = list(argv)
    cut = words.index("--") if "--" in words else len(words)
    arguments = parser.parse_args(words[:cut])
    arguments.command = words[cut + 1 :]
    if not arguments.command:
        parser.error("the command is missing: profgate track --last 10 -- COMMAND")
    return arguments


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_VERSIONS:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to {MOST_VERSIONS:,}")
    return int(text)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < 1e7:
        raise argparse.ArgumentTypeError(f"{text!r} is no time in seconds")
    return value


def _percent(text: str) -> float:
    try:
        value = float(text.removesuffix("%"))
    except ValueError:
        value = -1.0
    if not 0.0 <= value < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is no percentage such as 5")
    return value / 100


def _plan(arguments: argparse.Namespace) -> Plan:
    repository = None if arguments.releases else repository_around(".")
    versions = _releases(arguments.releases) if repository is None else _revisions(arguments, repository)
    if len({version.commit or version.name for version in versions}) < len(versions):
        versions = list({version.commit or version.name: version for version in versions}.values())
    if not versions:
        raise ProfgateError("versions", "there are none; git log and git tag list what could be tracked")
    if repository is None and not arguments.setup:
        raise ProfgateError("--releases", "needs a --setup that installs {version} into {source}")
    if repository is None and arguments.bring:
        raise ProfgateError("--bring", "fills worktrees of git; with --releases COMMAND runs here anyway")
    for path in arguments.bring:
        if not os.path.exists(path):  # noqa: PTH110 - a question, not a path
            raise ProfgateError(path, "cannot be brought along, since it does not exist; name it by its path from here")
    return Plan(
        command=tuple(arguments.command),
        versions=tuple(versions),
        repository=repository,
        setup=tuple(_words(text) for text in arguments.setup),
        runs=arguments.runs,
        timeout=arguments.timeout,
        here=arguments.here or repository is None,
        brought=tuple(arguments.bring),
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
    chosen = [bool(arguments.version), arguments.last is not None, arguments.tags is not None]
    if sum(chosen) != 1:
        raise ProfgateError("versions", "give one of --last N, --tags PATTERN, --releases LIST, revisions or a range")
    if arguments.last is not None:
        return repository.last(arguments.last)
    if arguments.tags is not None:
        return repository.tagged(arguments.tags)
    versions: list[Version] = []
    for word in arguments.version:
        if "..." in word:
            raise ProfgateError(word, "is a symmetric difference, which has no order; write A..B")
        first, dots, last = word.partition("..")
        versions += repository.between(first, last or "HEAD") if dots else [repository.named(word)]
    return versions


def _words(text: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise ProfgateError("--setup", f"{text!r} cannot be split into words ({error})") from None
    if not words:
        raise ProfgateError("--setup", "is empty; name a command")
    return words


@dataclass(frozen=True, slots=True)
class _Output:
    """Where the files go, and what is printed."""

    folder: str
    format: str
    pages: int

    def write(self, plan: Plan, kept: TrackFolder) -> Evolution:
        """The page, the pages of its jumps, the tables, and the text. Raises ComparisonError where nothing is known."""
        evolution = evolution_of(plan.title, measured_versions(plan, kept), plan.options)
        links: dict[int, str] = {}
        for number, document in jump_pages(evolution, plan, kept, self.pages):
            if document.name not in links.values():
                self._put(document.name, document.text)
            links[number] = document.name
        self._put("evolution.html", build_evolution_page(evolution, links))
        self._put("evolution.csv", evolution_csv(evolution))
        self._put("evolution.json", evolution_json(evolution))
        return evolution

    def print(self, evolution: Evolution) -> None:
        if self.format == "terminal":
            columns = shutil.get_terminal_size((100, 24)).columns
            show(evolution_lines(evolution, columns), sys.stdout)
            show([("quiet", f"The evolution: {self.folder}/evolution.html")], sys.stdout)
        else:
            sys.stdout.write(evolution_json(evolution) if self.format == "json" else evolution_csv(evolution))

    def _put(self, name: str, text: str) -> None:
        write_text(os.path.join(self.folder, name), text)  # noqa: PTH118 - doors pass plain paths


def _tell(text: str) -> None:
    sys.stderr.write(f"profgate: {name_text(text, LONGEST_LINE)}\n")  # it quotes what commands printed
    sys.stderr.flush()


def run(argv: Sequence[str]) -> int:
    """Exit code 0 when everything was measured or skipped, 3 where nothing could be. Raises ProfgateError."""
    arguments = _arguments(argv)
    plan = _plan(arguments)
    if arguments.last is not None and len(plan.versions) < arguments.last:
        _tell(f"only {len(plan.versions)} of {arguments.last} versions are here; a shallow clone knows no more")
    for doubt in plan.doubts():
        _tell(doubt)
    kept = TrackFolder(arguments.output_dir, plan.key)
    output = _Output(arguments.output_dir, arguments.format, arguments.pages)
    with kept.alone() as source:
        try:
            measure(plan, kept, source, _tell, again=arguments.again)
        except KeyboardInterrupt:
            _tell("stopped; what is done is kept, and the same command goes on")
            if any(version.runs for version in measured_versions(plan, kept)):
                output.print(output.write(plan, kept))
            raise
        output.print(output.write(plan, kept))
    return 0
