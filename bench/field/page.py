"""The field part of docs/explanation/accuracy.md."""

import json
from collections.abc import Sequence
from pathlib import Path

from bench.field.folders import shown
from bench.field.judging import Outcome
from bench.field.programs import PROGRAMS
from bench.field.table import as_markdown, both_halves, reached
from bench.field.upgrades import UPGRADES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "accuracy.md"
HEAD = """# How often the verdict is right

`./run bench field --page` records real programs with real profilers, judges the recordings and writes this page. Each
side has 5 runs of about 2,000 samples. `profgate init` sets up 20 runs, which show smaller changes.

- Held-out programs, not used to develop the rules:
  {held_out}, and the upgrades with a star.
- Development programs:
  {dev}.

Recorded from {begun} to {ended} on {processors} processors ({processor}) with Python {python}, {py-spy} at {rate}
samples per second, Node {node}, {perf} and {callgrind}.

## Limits

- A reliable rate of 1 % needs about 300 independent comparisons. Here, comparisons share recordings: a changed program
  is compared 4 times (3 times with base jobs), an unchanged program up to 20 times, a base job once. The true
  uncertainty is therefore larger than the intervals.
- The rules were corrected once after the results of the held-out programs were known. Before
  that, five rows missed their targets: functions red with noisy neighbour and 8 base jobs (3 of 18), new function of
  5 % listed (13 of 16) and of 20 % red by name (13 of 16), growth by 5 % listed (20 of 24), 3x slower (0 of 6).
- `sockets` mostly waits; its changes are not counted. A run of `short` takes only 0.2 seconds.
- Rows are ordered by colour and by the size of the change in the function. An upgrade changes many functions, and a
  rewrite replaces them by others, so the largest row is not always the cause: of six slower upgrades of Node packages,
  all were red, but the function that was changed for the worse was among the first three rows in two.

"""
COUNTS = "## Counts on other machines"
MEANING = """
Intervals are 95 % intervals in percent; bold results miss their target. The runs of both sides
alternate, unless their order is unknown or the row names base jobs: one target job is compared with that many jobs of
unchanged code. *Listed*: the report has a row of any colour. *By name*: a red row is the changed function, or names it
as the reason. Growth is a share of the baseline run, counted if it measures 0.6 to 1.6 times the intended size.
"""
UPGRADE_HEAD = """
Processor time: new version divided by old version, 40 measurements of each, with a 95 % bootstrap interval. The verdict
compares 5 runs of each version under py-spy.
"""


def _chosen(outcomes: Sequence[Outcome], half: str) -> list[Outcome]:
    return [outcome for outcome in outcomes if half == "all" or outcome.held_out == (half == "held-out")]


def table_text(outcomes: Sequence[Outcome], half: str) -> tuple[str, bool]:
    """The acceptance table of one half, and whether all of its rows are met."""
    found = reached(_chosen(outcomes, half))
    names = [program.name for program in PROGRAMS if half == "all" or program.held_out == (half == "held-out")]
    text = f"Programs ({half}): {', '.join(names)}\n\n{as_markdown(found)}"
    return text, all(one.met is not False for one in found)


def upgrades_text(folder: Path, outcomes: Sequence[Outcome]) -> str:
    """A line for each upgrade."""
    path = folder / "upgrades" / "truth.json"
    truth = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    by_name = {outcome.program: outcome for outcome in outcomes if outcome.row.startswith("upgrade")}
    lines = ["| upgrade | processor time | verdict | red rows |", "| --- | --- | --- | --- |"]
    for upgrade in UPGRADES:
        outcome = by_name.get(upgrade.name)
        if outcome is None:
            continue
        ratio, low, high = truth[upgrade.name]
        star = " \\*" if upgrade.held_out else ""
        versions = f"{upgrade.before[0].replace('==', ' ')} → {upgrade.after[0].partition('==')[2]}"
        total = f"; total {outcome.total}" if outcome.total else ""
        lines.append(
            f"| {versions}{star} | {ratio:.2f} ({low:.2f}–{high:.2f}) | {outcome.conclusion}{total} "
            f"| {shown(list(outcome.red), 2)} |"
        )
    return "\n".join(lines)


def page(folder: Path, outcomes: Sequence[Outcome]) -> str:
    """The whole page."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    halves = {
        half: ", ".join(f"`{program.name}`" for program in PROGRAMS if program.held_out == (half == "held_out"))
        for half in ("dev", "held_out")
    }
    dates = {name: manifest[name][:16].replace("T", " ") for name in ("begun", "ended")}
    head = HEAD.format(**(manifest | halves | dates))
    held_out, dev = (reached(_chosen(outcomes, half)) for half in ("held-out", "dev"))
    kept = COUNTS + PAGE.read_text(encoding="utf-8").partition(COUNTS)[2]  # the output of --counts
    return (
        f"{head}## Results\n{MEANING}\n{both_halves(held_out, dev)}\n\n"
        f"## Library upgrades\n{UPGRADE_HEAD}\n{upgrades_text(folder, outcomes)}\n\n{kept}"
    )
