"""The ``profgate ranks`` command."""

import sys

import click

from profgate.cli import options as opt
from profgate.errors import ProfgateError
from profgate.history.rank_runs import run_at, runs_in, stored_runs
from profgate.io.terminal import show
from profgate.model.durations import SigmaRule
from profgate.report.rank_report import rank_lines
from profgate.statistics.rank_checks import RankRules, check, side_by_side

NOT_COMPARED = 3


@opt.command("profgate ranks new/junit.xml --baseline runs/", "profgate ranks new/ --baseline runs/ --fail-on slower")
@click.argument("results", nargs=-1, required=True, type=opt.PROFILES, metavar="RESULTS...")
@click.option(
    "--baseline",
    "folders",
    multiple=True,
    type=opt.PROFILES,
    metavar="DIR",
    help="Folder with one file or folder per baseline run (repeatable).",
)
@click.option("--history", type=opt.PROFILES, metavar="DIR", help="History whose runs are also used.")
@click.option("--last", type=opt.COUNT, default=20, metavar="K", help="Use only the K newest runs.")
@click.option(
    "--width",
    type=opt.Number(0.5, 100.0),
    default=2.0,
    metavar="W",
    help="Maximum distance of a stable order from the mean, in standard deviations.",
)
@click.option(
    "--sigma",
    type=opt.Choice(["poisson", "observed"]),
    default="poisson",
    help="Standard deviation: the square root of the mean count, or the observed one (five or more baseline runs).",
)
@click.option(
    "--fail-on",
    type=opt.Choice(["never", "slower", "departure"]),
    default="never",
    help="Result that ends with exit code 1.",
)
@opt.verbose_option("List all tests that moved (default: those that moved farthest).")
def ranks(
    results: tuple[str, ...],
    folders: tuple[str, ...],
    history: str | None,
    last: int,
    width: float,
    sigma: SigmaRule,
    fail_on: str,
    *,
    verbose: bool,
) -> int:
    """Compare the order of test durations with that of the baseline runs.

    Durations are read from JUnit XML, 'pytest --durations=0', 'go test -json', benchmark results and profiles.
    docs/explanation/stable-ranks.md describes what this check can detect, its limits and its error rates. All RESULTS
    together form one run. The test of the number of stable ranks is two-sided: a low number means that some
    tests changed relative to the others, and a high number means that the order is more stable than before. The exit
    code is 0 if the order is stable or the check is only advisory, 1 for the result given with --fail-on, and 3 if
    nothing was compared.
    """
    if not folders and history is None:
        raise ProfgateError("--baseline", "is missing; name a folder with the results of each run, or use --history")
    runs = stored_runs(history) if history else []
    for folder in folders:
        runs += runs_in(folder)
    found = check(side_by_side(runs[-last:], [run_at(results, "target")]), RankRules(width, sigma))
    show(rank_lines(found, verbose=verbose, width=opt.width()), sys.stdout)
    if found.order == "unknown":
        return NOT_COMPARED
    if fail_on == "slower":
        return int(found.order == "below" and found.direction == "slower")
    return int(fail_on == "departure" and found.order != "kept")
