"""The ``profgate track`` command."""

import shlex
import sys
from pathlib import Path
from typing import Any

import click

from profgate.cli import options as opt
from profgate.errors import ProfgateError
from profgate.io.files import write_text
from profgate.io.terminal import show
from profgate.model.visible_text import name_text
from profgate.track.evolution import EvolutionOptions
from profgate.track.evolution_page import build_evolution_page
from profgate.track.evolution_text import evolution_csv, evolution_json, evolution_lines
from profgate.track.git_versions import TrackedRepository, repository_around
from profgate.track.jump_pages import jump_pages
from profgate.track.measuring import TrackPlan
from profgate.track.track_folder import TrackFolder
from profgate.track.tracking import Track
from profgate.track.versions import Version


class Percent(opt.Number):
    """A percentage with or without a percent sign. The value is converted to a fraction."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ANN401 - as in click
        """Return the percentage as a fraction."""
        return float(super().convert(str(value).removesuffix("%"), param, ctx)) / 100


def _plan(
    version: tuple[str, ...],
    last: int | None,
    tags: str | None,
    releases: str | None,
    setup: tuple[str, ...],
    runs: int,
    timeout: float,
    bring: tuple[str, ...],
    source: tuple[str, ...],
    options: EvolutionOptions,
    program: tuple[str, ...],
    *,
    here: bool,
    refine: bool,
) -> TrackPlan:
    """Create the measurement plan from the options. Raises ProfgateError if the options are invalid."""
    if not program:
        raise ProfgateError("COMMAND", "is missing; write it after --: profgate track --last 10 -- COMMAND")
    if sum(map(bool, (version, last, tags, releases))) != 1:
        raise ProfgateError(
            "versions", "use exactly one of --last N, --tags PATTERN, --releases LIST, revisions or a range"
        )
    repository = None if releases else repository_around(".")
    found = _releases(releases or "") if repository is None else _revisions(version, last, tags, repository)
    if not found:
        raise ProfgateError(
            "versions", "were not found; 'git log' and 'git tag' list the versions that can be measured"
        )
    if repository is None and not setup:
        raise ProfgateError(
            "--releases", "needs an option --setup with a command that installs {version} into {source}"
        )
    if repository is None and bring:
        raise ProfgateError(
            "--bring", "copies files into git worktrees, but with --releases, COMMAND runs in this folder; omit --bring"
        )
    for path in bring:
        if not Path(path).exists():
            raise ProfgateError(path, "does not exist, so --bring cannot copy it; give its path from this folder")
    return TrackPlan(
        program,
        tuple({each.commit or each.name: each for each in found}.values()),
        repository,
        setup=tuple(map(_split, setup)),
        runs=runs,
        timeout=timeout,
        here=here or repository is None,
        copied=bring,
        sources=source,
        refine=refine,
        options=options,
    )


def _releases(text: str) -> list[Version]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name.startswith("-") or not name.isprintable() or len(name) > 100:
            raise ProfgateError("--releases", f"{name[:100]!r} is not a version; write a list such as 1.0,1.1")
    return [Version(name) for name in names]


def _revisions(
    version: tuple[str, ...], last: int | None, tags: str | None, repository: TrackedRepository
) -> list[Version]:
    if tags is not None:
        return repository.tagged(tags)
    versions: list[Version] = []
    if last is not None:
        versions = repository.last(last)
        if len(versions) < last:
            _report(f"only {len(versions)} of {last} versions exist in this clone")
    for revision in version:
        if "..." in revision:
            raise ProfgateError(revision, "is a symmetric difference, which has no order; write A..B")
        first, dots, end = revision.partition("..")
        versions += repository.between(first, end or "HEAD") if dots else [repository.named(revision)]
    return versions


evolution_options: opt.Decorator = opt.bundled(
    "options",
    EvolutionOptions,
    click.option("--metric", metavar="NAME", help="Metric to show first (default: a counted metric)."),
    click.option(
        "--min-change",
        type=Percent(0.0, 1_000_000.0),
        metavar="PERCENT",
        help="Smallest change that is a jump (default: 5, or 1 for counted metrics).",
    ),
    click.option(
        "--stretches",
        is_flag=True,
        help="If the source of a benchmark changed, compare the versions between two changes.",
    ),
)

plan_options: opt.Decorator = opt.bundled(
    "plan",
    _plan,
    click.argument("version", nargs=-1, metavar="[VERSION]..."),
    click.option("--last", type=opt.COUNT, metavar="N", help="Measure the last N commits of the first-parent history."),
    click.option("--tags", metavar="PATTERN", help="Measure tags such as 'v1.*', sorted by version number."),
    click.option("--releases", metavar="LIST", help="Measure releases such as 1.0,1.1 that --setup installs."),
    click.option(
        "--setup", multiple=True, metavar="COMMAND", help="Command to run once before each version (repeatable)."
    ),
    click.option("--runs", type=opt.COUNT, default=3, metavar="N", help="Number of runs of each version."),
    click.option(
        "--timeout",
        type=opt.SECONDS,
        default=1800.0,
        metavar="S",
        help="Maximum number of seconds for one run.",
    ),
    click.option("--here", is_flag=True, help="Run COMMAND in this folder; PROFGATE_SOURCE is the worktree."),
    click.option("--bring", multiple=True, metavar="PATH", help="Copy this path into each worktree (repeatable)."),
    click.option(
        "--source", multiple=True, metavar="GLOB", help="Pattern of the source files of a {benchmark} (repeatable)."
    ),
    click.option(
        "--refine", is_flag=True, help="Measure the first and the last version, then only versions that locate a jump."
    ),
    evolution_options,
)


@opt.command(
    "profgate track --last 10 -- python bench.py",
    "profgate track v1.0..v2.0 --refine --setup 'pip install .' -- pytest --benchmark-json={out}/a.json",
    "profgate track --releases 1.0,1.1 --setup 'pip install shop=={version} -t {source}' -- python bench.py",
    cls=opt.Measuring,
)
@plan_options
@click.option("--pages", type=opt.COUNT, default=20, metavar="N", help="Maximum number of jump pages.")
@opt.output_option("all results", "profgate-track")
@opt.format_option("terminal", "json", "csv")
def track(plan: TrackPlan, pages: int, output_dir: str, output: str) -> int:
    """Run benchmarks on several versions and show the versions at which the results changed.

    VERSION is a revision or a range A..B. COMMAND writes profiles or results to the folder PROFGATE_OUT; if it writes
    none, its wall time is the result. The variables PROFGATE_SOURCE, PROFGATE_VERSION and PROFGATE_COMMIT are also set,
    and {out}, {source}, {version}, {commit} in its arguments are replaced by the corresponding values.

    The exit code is 0 if every version was measured or skipped, and 3 if no version could be measured.
    """
    for warning in plan.warnings():
        _report(warning)
    tracked = Track(plan, TrackFolder(output_dir, plan.key), _report)
    with tracked.folder.locked() as place:
        try:
            tracked.measure(place)
        except KeyboardInterrupt:
            _report("stopped; finished runs are stored, and the same command continues")
            if any(version.runs for version in tracked.measured_versions()):
                _write(tracked, output_dir, pages, output)
            raise
        _write(tracked, output_dir, pages, output)
    return 0


def _split(text: str) -> tuple[str, ...]:
    try:
        arguments = tuple(shlex.split(text))
    except ValueError as error:
        raise ProfgateError("--setup", f"{text!r} cannot be split into arguments ({error})") from None
    if not arguments:
        raise ProfgateError("--setup", "is empty; name a command")
    return arguments


def _write(tracked: Track, folder: str, pages: int, output: str) -> None:
    """Write the evolution, its tables and jump pages, and print it. Raises ComparisonError if nothing was measured."""
    evolution = tracked.evolution()
    links: dict[int, str] = {}
    for page in jump_pages(evolution, tracked, pages):
        if page.href not in links.values():
            write_text(str(Path(folder, page.document.name)), page.document.text)
        links[page.number] = page.href
    texts = {"html": build_evolution_page(evolution, links), "csv": evolution_csv(evolution)}
    texts["json"] = evolution_json(evolution)
    for ending, text in texts.items():
        write_text(str(Path(folder, f"evolution.{ending}")), text)
    if output == "terminal":
        show(
            [*evolution_lines(evolution, opt.width()), ("quiet", f"The evolution: {folder}/evolution.html")], sys.stdout
        )
    else:
        sys.stdout.write(texts[output])


def _report(text: str) -> None:
    sys.stderr.write(f"profgate: {name_text(text, 400)}\n")  # the text may contain other programs' output
    sys.stderr.flush()
