"""The command ``profgate canary``, which proves that a gate still reports a slower function."""

import json
import sys
from pathlib import Path

import click

from profgate.api import Report
from profgate.attribution.fingerprints import LARGEST_SOURCE
from profgate.cli import options as opt
from profgate.cli.main import Commands
from profgate.errors import ProfgateError
from profgate.io.files import confined, read_bytes, read_text, translated_errors, write_bytes
from profgate.io.git import local_checkout
from profgate.io.terminal import show
from profgate.io.worktrees import quiet_git, tracked_files
from profgate.measuring.canary import hot_functions, planted, unseen
from profgate.model.attribution import SourceDiff
from profgate.model.plant import PLANT_NAME, Plant, plant_from_json
from profgate.model.record import to_builtins
from profgate.model.visible_text import name_text, visible
from profgate.report.numbers import percent


@opt.command("profgate canary plant baseline/", of=click.group, cls=Commands)
def canary() -> None:
    """Prove that a gate works: make a function slower, and require that the check of this change fails."""


@opt.command(
    "profgate canary plant baseline/", "profgate canary plant baseline/ --size 20 --function parse", of=canary.command
)
@click.argument("baselines", nargs=-1, required=True, type=opt.PROFILES, metavar="BASELINE...")
@click.option(
    "--size", type=opt.Number(0.1, 1000.0), default=12.0, metavar="PERCENT", help="Work to add, in percent of the run."
)
@click.option("--function", metavar="NAME", help="Function that gets slower (default: a hot one of the repository).")
@click.option("-o", "--output", type=opt.FILE, default=PLANT_NAME, metavar="FILE", help="File for `canary check`.")
def plant(baselines: tuple[str, ...], size: float, function: str | None, output: str) -> int:
    """Add work to a hot function in the sources of this checkout.

    BASELINE are profiles of the base branch, one folder for each shard. The function is in Python, JavaScript or Go.
    Record and compare the changed sources as those of any pull request, and never merge them.
    """
    top = quiet_git(".", "rev-parse", "--show-toplevel").removesuffix("\n")
    checkout = SourceDiff((), repository_files=tracked_files("."), checkout=local_checkout())
    hot, workloads = hot_functions(baselines, checkout)
    why = list[str]()
    for share, name, file in hot if function is None else [one for one in hot if one[1] == function]:
        try:
            place = confined(f"{top}/{file}", top)
            data = planted(file, read_bytes(place, LARGEST_SOURCE), name, size / 100)
        except ProfgateError as error:
            why.append(str(error))
            continue
        change = Plant(name, file, size / 100, workloads)
        write_bytes(output, json.dumps(to_builtins(change)).encode())
        with translated_errors(place):
            Path(place).write_bytes(data)  # in place, so that the file remains executable
        show(f"{_named(change)}, which takes {percent(share)} of it. Never merge this change.", sys.stdout)
        return 0
    what = "; ".join(why[:5]) or f"hot are {', '.join(one[1] for one in hot[:5]) or 'none'}"
    raise ProfgateError("canary plant", f"no function of the repository can be changed ({what})")


@opt.command("profgate canary check profgate-report/report.json --result failure", of=canary.command)
@click.argument("report", type=opt.FILE)
@click.option("--canary", "place", type=opt.FILE, default=PLANT_NAME, metavar="FILE", help="What `canary plant` wrote.")
@click.option("--result", metavar="WORD", help="How the required check ended; it must be failure.")
@click.option("--comment", type=opt.FILE, metavar="FILE", help="Text of the comment, which must name the function.")
def check(report: str, place: str, result: str | None, comment: str | None) -> int:
    """Check that the gate failed because of the planted work, and only because of it.

    REPORT is the report.json of the pull request with the change. All workloads of the baseline must be compared. The
    exit code is 1 if anything was not seen.
    """
    change = plant_from_json(read_text(place), place)
    missing = unseen(change, Report.load(report).data, result, comment and read_text(comment))
    lines = [("bad", f"not seen: {visible(text)}") for text in missing] or [("good", f"caught: {_named(change)}")]
    show(lines, sys.stdout)
    return int(bool(missing))


def _named(change: Plant) -> str:
    return f"+{percent(change.size)} of the run in {name_text(change.function)} ({name_text(change.file)})"
