"""The release targets, each held against the results."""

from collections.abc import Iterator
from dataclasses import dataclass

from bench.accuracy.cells import GATED, LISTED, RUNS
from bench.accuracy.edits import NET_UNCHANGED
from bench.accuracy.results import Cells, chosen, pooled
from bench.accuracy.scoring import JUDGE, Tally

MOST_RED, MOST_SHOWN, LEAST_FOUND = 0.01, 0.05, 0.9


@dataclass(frozen=True, slots=True)
class Target:
    """One promise: what is wanted, what was found, and whether it holds."""

    name: str
    wanted: str
    said: str
    met: bool


def upper_bound(hits: int, tried: int) -> float:
    """Exact one-sided 95 % bound of a rate: 0 of 299 is just below 1 %."""
    from scipy.special import betaincinv

    return 1.0 if hits >= tried else float(betaincinv(hits + 1, tried - hits, 0.95))


def release_targets(cells: Cells) -> list[Target]:
    """Targets 1 to 5; the others are tests of single comparisons, not rates."""
    return [*_unchanged(cells), *_recalls(cells), _moved(cells)]


def _unchanged(cells: Cells) -> Iterator[Target]:
    quiet = pooled([cell for runs in RUNS for cell in chosen(cells, runs=runs)], JUDGE) or Tally()
    bound = upper_bound(quiet.red, quiet.tried)
    said = f"{quiet.red} of {quiet.tried}, at most {100 * bound:.2f} %"
    yield Target("1 unchanged: red", "at most 1 %", said, bound <= MOST_RED)
    few = quiet.tried > 0 and quiet.shown <= MOST_SHOWN * quiet.tried
    yield Target("2 unchanged: any row", "at most 5 %", f"{quiet.shown} of {quiet.tried}", few)


def _recalls(cells: Cells) -> Iterator[Target]:
    for number, word, plants in ((3, "red", GATED), (4, "listed", LISTED)):
        for runs, share, ratio in plants:
            tally = pooled(chosen(cells, runs=runs, plant=[share, ratio]), JUDGE) or Tally()
            hits = tally.gated_there if word == "red" else tally.listed_there
            name = f"{number} {100 * share:g} % of the run × {ratio:g}, {runs} run{'s' * (runs > 1)} a side: {word}"
            enough = tally.tried > 0 and hits >= LEAST_FOUND * tally.tried
            yield Target(name, "at least 90 %", f"{hits} of {tally.tried}", enough)


def _moved(cells: Cells) -> Target:
    edits = [cell for edit in NET_UNCHANGED for runs in RUNS for cell in chosen(cells, runs=runs, edit=edit)]
    moved = pooled(edits, JUDGE) or Tally()
    calm = moved.tried > 0 and moved.red == 0
    return Target("5 renamed, moved, split, inlined: red", "none", f"{moved.red} of {moved.tried}", calm)
