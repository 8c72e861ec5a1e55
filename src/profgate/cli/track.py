"""The ``profgate track`` command."""

import sys
from pathlib import Path
from typing import Any

import click

from profgate.cli import options as opt
from profgate.errors import ProfgateError
from profgate.io.files import write_text
from profgate.io.terminal import show
from profgate.measuring.track.evolution_page import build_evolution_page
from profgate.measuring.track.evolution_text import evolution_json, evolution_lines
from profgate.measuring.track.jump_pages import jump_pages
from profgate.measuring.track.measuring import Track, TrackPlan
from profgate.measuring.track.track_folder import TrackFolder
from profgate.measuring.track.versions import TrackedRepository, Version, repository_around
from profgate.model.visible_text import name_text


class Percent(opt.Number):
    """A percentage with or without a percent sign. The value is converted to a fraction."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ANN401 - as in click
        """Return the percentage as a fraction."""
        return float(super().convert(str(value).removesuffix("%"), param, ctx)) / 100


def _plan(
    version: tuple[str, ...],
    last: int | None,
    tags: str | None,
    setup: str | None,
    runs: int,
    timeout: float,
    bring: tuple[str, ...],
    metric: str | None,
    min_change: float | None,
    program: tuple[str, ...],
) -> TrackPlan:
    """Create the measurement plan from the options. Raises ProfgateError if the options are invalid."""
    if not program:
        raise ProfgateError("COMMAND", "is missing; write it after --: profgate track --last 10 -- COMMAND")
    if sum(map(bool, (version, last, tags))) != 1:
        raise ProfgateError("versions", "use exactly one of --last N, --tags PATTERN, revisions or a range")
    repository = repository_around(".")
    found = _revisions(version, last, tags, repository)
    if not found:
        raise ProfgateError(
            "versions", "were not found; 'git log' and 'git tag' list the versions that can be measured"
        )
    for path in bring:
        if not Path(path).exists():
            raise ProfgateError(path, "does not exist, so --bring cannot copy it; give its path from this folder")
    if repository.is_dirty():
        _report("changes that are not committed are not measured; --bring copies files from here")
    versions = tuple({each.commit: each for each in found}.values())
    return TrackPlan(program, versions, repository, setup, runs, timeout, bring, metric, min_change)


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


plan_options: opt.Decorator = opt.bundled(
    "plan",
    _plan,
    click.argument("version", nargs=-1, metavar="[VERSION]..."),
    click.option("--last", type=opt.COUNT, metavar="N", help="Measure the last N commits of the first-parent history."),
    click.option("--tags", metavar="PATTERN", help="Measure tags such as 'v1.*', sorted by version number."),
    click.option("--setup", metavar="TEXT", help="Shell command that prepares the checkout of each version."),
    click.option("--runs", type=opt.COUNT, default=3, metavar="N", help="Number of runs of each version."),
    click.option(
        "--timeout",
        type=opt.DURATION,
        default="15m",
        metavar="TIME",
        help="Limit for the setup of a version, and for one run (default: 15m).",
    ),
    click.option("--bring", multiple=True, metavar="PATH", help="Copy this path into each worktree (repeatable)."),
    click.option("--metric", metavar="NAME", help="Metric to show first (default: a counted metric)."),
    click.option(
        "--min-change",
        type=Percent(0.0, 1_000_000.0),
        metavar="PERCENT",
        help="Smallest change that is a jump (default: 5, or 1 for counted metrics).",
    ),
)


@opt.command(
    "profgate track --last 10 -- python bench.py",
    "profgate track v1.0..v2.0 --setup 'pip install .' -- pytest --benchmark-json={out}/a.json",
    cls=opt.Measuring,
)
@plan_options
@click.option("--pages", type=opt.COUNT, default=20, metavar="N", help="Maximum number of jump pages.")
@opt.output_option("all results", "profgate-track")
@opt.format_option("terminal", "json")
def track(plan: TrackPlan, pages: int, output_dir: str, output: str) -> int:
    """Run benchmarks on several versions and show the versions at which the results changed.

    VERSION is a revision or a range A..B. COMMAND writes profiles or results to the folder PROFGATE_OUT; if it writes
    none, its wall time is the result. The variables PROFGATE_SOURCE, PROFGATE_VERSION and PROFGATE_COMMIT are also set,
    and {out} in its arguments is replaced by the folder.

    The exit code is 0 if every version was measured or skipped, and 3 if no version could be measured.
    """
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


def _write(tracked: Track, folder: str, pages: int, output: str) -> None:
    """Write the evolution, its tables and jump pages, and print it. Raises ComparisonError if nothing was measured."""
    evolution = tracked.evolution()
    links: dict[int, str] = {}
    for page in jump_pages(evolution, tracked, pages):
        if page.href not in links.values():
            write_text(str(Path(folder, page.document.name)), page.document.text)
        links[page.number] = page.href
    document = evolution_json(evolution)
    write_text(str(Path(folder, "evolution.html")), build_evolution_page(evolution, links))
    write_text(str(Path(folder, "evolution.json")), document)
    if output == "terminal":
        show(
            [*evolution_lines(evolution, opt.width()), ("quiet", f"The evolution: {folder}/evolution.html")], sys.stdout
        )
    else:
        sys.stdout.write(document)


def _report(text: str) -> None:
    sys.stderr.write(f"profgate: {name_text(text, 400)}\n")  # the text may contain other programs' output
    sys.stderr.flush()
