"""Results as docs/accuracy.md: tables for people, nothing that depends on the day or the machine."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from bench.accuracy.cells import CALIBRATED, NOISES, ONE_JOB, RATIOS, REPEATED_JOBS, RUNS, SHARES, SUITE
from bench.accuracy.edits import NET_UNCHANGED
from bench.accuracy.peers import RULES
from bench.accuracy.results import Cells, chosen, mean_rate, pooled
from bench.accuracy.scoring import JUDGE, Tally, wilson
from bench.accuracy.targets import release_targets

DASH = "–"
BEATEN = "Rules that are as seldom wrong and more often right than profgate: "
UNBEATEN = """\
No rule here is as seldom wrong and more often right than profgate: in failing, wrong is red on unchanged code or on a
slowdown of less than half a percent of the run; in telling, a word about unchanged code."""
GATE_SHARE, OWN_FLOOR = 0.005, 0.05  # of the run, and of itself: what the gate asks of a slowdown

HEAD = """\
# How often profgate is right

Made by `./run bench accuracy` (seed {seed}); the same seed gives the same page. The simulated part runs the
pipeline's own stages on programs of 2,000 functions whose shares fall like 1/k, 50,000 samples a run, 4 % machine
noise and 3 % noise of each function from run to run, with 12 base runs to learn from. *Red* means that the check
fails. A *row* is a function or a total that is told to be slower. All rates are of pull requests; brackets hold 95 %
intervals (Wilson). It is a simulation: good for comparing rules and for holding promises, not a promise for your code.
The last two parts are recordings of real programs.
"""
SIDE_BY_SIDE = """\
Unchanged pull requests on the left: red, told of anything worse, and false rows in each. On the right slower functions
of 0.5, 1, 2, 5 and 20 % of the run, × 1.05, 1.1, 1.3 and 2, each equally often: told of at the right function; and,
of those that cost more than 0.5 % of the run and grew by more than 5 % of themselves, red at the right function. What
costs less than 0.5 % shall be told and not fail the check: the last column is how often it does. A strategy or a rule
alone is red on whatever it calls worse.
"""


def _number(part: int, whole: int) -> str:
    return f"{100.0 * part / whole:.1f}".removesuffix(".0") if whole else DASH


def rate(part: int, whole: int) -> str:
    """A rate with its 95 % interval, in percent."""
    if not whole:
        return DASH
    low, high = wilson(part, whole)
    return f"{_number(part, whole)} % [{100 * low:.1f}, {100 * high:.1f}]"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table, the first column left, the others right."""
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _planted(cells: Cells, **facts: object) -> list[Mapping[str, Any]]:
    plants = [[share, ratio] for share in SHARES for ratio in RATIOS]
    return [cell for plant in plants for cell in chosen(cells, plant=plant, **facts)]


def _rules(cells: Cells) -> list[str]:
    """The judge, the strategies and the peers, in this order."""
    seen = dict.fromkeys(name for cell in cells for name in cell["rules"])
    strategies = [name for name in seen if name not in RULES and name != JUDGE]
    return [JUDGE, *strategies, *(name for name in RULES if name in seen)]


def _side_by_side(cells: Cells, runs: int) -> str:
    quiet, slower = chosen(cells, runs=runs), _planted(cells, runs=runs)
    worth, small = _worth_failing(slower), _too_small(slower)
    rows = []
    for rule in _rules([*quiet, *slower]):
        calm = pooled(quiet, rule)
        told, red = mean_rate(slower, rule, "listed_there"), mean_rate(worth, rule, "gated_there")
        needless = mean_rate(small, rule, "red")
        if calm is None or told is None or red is None or needless is None:
            continue
        rows.append(
            [
                f"**{rule}**" if rule == JUDGE else rule,
                rate(calm.red, calm.tried),
                rate(calm.told, calm.tried),
                f"{calm.rows / calm.tried:.2f}",
                f"{100 * told:.1f} %",
                f"{100 * red:.1f} %",
                f"{100 * needless:.1f} %",
            ]
        )
    return table(["rule", "unchanged red", "told", "false rows", "slower: told", "red", "too small: red"], rows)


def _cost(cell: Mapping[str, Any]) -> float:
    """What a slowdown costs, as a part of the run."""
    share, ratio = cell["plant"]
    return float(share * (ratio - 1.0))


def _worth_failing(cells: Cells) -> list[Mapping[str, Any]]:
    return [cell for cell in cells if _cost(cell) > GATE_SHARE + 1e-9 and cell["plant"][1] - 1.0 > OWN_FLOOR + 1e-9]


def _too_small(cells: Cells) -> list[Mapping[str, Any]]:
    return [cell for cell in cells if _cost(cell) < GATE_SHARE - 1e-9]


def rivals(cells: Cells) -> list[str]:
    """Rules that are wrong no more often than the judge and find more, in failing or in telling, with the runs."""
    found = []
    for runs in RUNS:
        quiet, slower = chosen(cells, runs=runs), _planted(cells, runs=runs)
        worth, small = _worth_failing(slower), _too_small(slower)
        for rule in _rules([*quiet, *slower])[1:]:
            beats = [
                word
                for word, false, wrong, right, some in (
                    ("fails", "red", (quiet, small), "gated_there", worth),
                    ("tells", "told", (quiet,), "listed_there", slower),
                )
                if all(_above(where, rule, JUDGE, false) is False for where in wrong if where)
                and _above(some, rule, JUDGE, right)
            ]
            found += [f"{rule} with {runs} run{'s' * (runs > 1)} a side {word}" for word in beats]
    return found


def _above(cells: Cells, rule: str, other: str, count: str) -> bool | None:
    """Whether a rule's rate is above the other's; None where one of them cannot speak."""
    ours, theirs = mean_rate(cells, rule, count), mean_rate(cells, other, count)
    return None if ours is None or theirs is None else ours > theirs


def _by_runs(cells: Cells, rows: Mapping[str, Mapping[str, Any]], text: Callable[[Tally], str]) -> str:
    lines = []
    for name, facts in rows.items():
        tallies = [pooled(chosen(cells, runs=runs, **facts), JUDGE) for runs in RUNS]
        lines.append([name, *(DASH if tally is None else text(tally) for tally in tallies)])
    return table(["", *(f"{runs} run{'s' if runs > 1 else ''} a side" for runs in RUNS)], lines)


def _unchanged(cells: Cells) -> str:
    rows: dict[str, dict[str, Any]] = {name: {"noise": name} for name in NOISES}
    rows |= {
        "timed": {"metric": "timed"},
        "counted": {"metric": "counted"},
        "target's machine 4 % slower": {"slow_machine": True},
        f"{SUITE} workloads": {"workloads": SUITE},
    }
    red = _by_runs(cells, rows, lambda tally: rate(tally.red, tally.tried))
    shown = _by_runs(cells, rows, lambda tally: rate(tally.shown, tally.tried))
    return f"Red:\n\n{red}\nAnything shown, slower or faster:\n\n{shown}"


def _plant_name(plant: Sequence[float]) -> str:
    return f"{100 * plant[0]:g} % of the run, × {plant[1]:g}"


def _both(tally: Tally) -> str:
    return f"{_number(tally.listed_there, tally.tried)} / {_number(tally.gated_there, tally.tried)}"


def _plants(cells: Cells, metric: str = "sampled", workloads: int = 1, noise: str = CALIBRATED) -> str:
    facts = {"metric": metric, "workloads": workloads, "noise": noise}
    of_kind = [cell for cell in cells if all(cell[name] == value for name, value in facts.items())]
    plants = {tuple(cell["plant"]) for cell in of_kind if cell["plant"]}
    return _by_runs(cells, {_plant_name(plant): {"plant": list(plant), **facts} for plant in sorted(plants)}, _both)


def _edits(cells: Cells) -> str:
    rows: dict[str, dict[str, Any]] = {name: {"edit": name} for name in [*NET_UNCHANGED, "gone"]}
    slower: dict[str, dict[str, Any]] = {name: {"edit": name} for name in ("new cost", "renamed and slower")}
    slower |= {"O(n) turned O(n²), measured by size": {"grown": True}}
    calm = _by_runs(
        cells,
        rows | {"unchanged, measured by size": {"grown": False}},
        lambda tally: f"{rate(tally.red, tally.tried)}, {tally.rows / tally.tried:.2f} rows",
    )
    found = _by_runs(cells, slower, _both)
    return f"Nothing got slower, so red is false:\n\n{calm}\nSomething did; listed / red there, in percent:\n\n{found}"


def _targets(cells: Cells) -> str:
    rows = [
        [target.name, target.wanted, target.said, "yes" if target.met else "**no**"]
        for target in release_targets(cells)
    ]
    return table(["target", "wanted", "found", "met"], rows)


def page(cells: Cells, recordings: Mapping[str, Any], seed: int) -> str:
    """The whole page."""
    beaten = rivals(cells)
    verdict = f"{BEATEN}{'; '.join(beaten)}." if beaten else UNBEATEN
    parts = [
        HEAD.format(seed=seed),
        "## Release targets\n",
        _targets(cells),
        "## All rules side by side\n",
        SIDE_BY_SIDE,
    ]
    for runs in RUNS:
        parts += [f"### {runs} run{'s' if runs > 1 else ''} a side\n", _side_by_side(cells, runs)]
    parts += [
        verdict + "\n",
        "## Unchanged code\n",
        _unchanged(cells),
        "## Slower functions\n",
        "Listed / red at the right function, in percent.\n",
        _plants(cells),
        "Timed:\n",
        _plants(cells, "timed"),
        "Counted:\n",
        _plants(cells, "counted"),
        f"In one of {SUITE} workloads:\n",
        _plants(cells, workloads=SUITE),
        "A side's runs in one job, as its profiles say:\n",
        _plants(cells, noise=ONE_JOB),
        "The same, and jobs of the base with as many runs:\n",
        _plants(cells, noise=REPEATED_JOBS),
        "## Edits that move cost\n",
        _edits(cells),
    ]
    return "\n".join([*parts, *recorded_parts(recordings)])


def recorded_parts(recordings: Mapping[str, Any]) -> list[str]:
    """The two last parts, from what was recorded once."""
    programs = [
        [
            one["program"],
            one["profiler"],
            str(one["runs"]),
            rate(one["red"], one["tried"]),
            rate(one["shown"], one["tried"]),
            "; ".join(
                f"{plant['function']} {plant['cost']}: {_number(plant['listed'], plant['tried'])} / "
                f"{_number(plant['red'], plant['tried'])}"
                for plant in one["plants"]
            ),
        ]
        for one in recordings["programs"]
    ]
    profilers = dict.fromkeys(one["profiler"] for one in recordings["programs"])
    pooled_rows = []
    for profiler in profilers:
        of_it = [one for one in recordings["programs"] if one["profiler"] == profiler]
        red, shown, tried = (sum(one[name] for one in of_it) for name in ("red", "shown", "tried"))
        pooled_rows.append([profiler, f"{red} of {tried}", f"{shown} of {tried}"])
    head = ["program", "profiler", "runs a side", "unchanged red", "anything shown", "slowed down: listed / red, %"]
    parts = ["## Recorded programs\n", recordings["about_programs"] + "\n"]
    parts += [table(["profiler", "unchanged red", "anything shown"], pooled_rows), table(head, programs)]
    parts += ["## Upgrades of libraries\n", recordings["about_upgrades"] + "\n"]
    for one in recordings["upgrades"]:
        parts += [f"### {one['title']}\n", one["said"] + "\n", "\n".join(f"> {line}" for line in one["comment"]) + "\n"]
    return parts
