"""The acceptance table: which outcomes count for each row, what is wanted and what was reached."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from bench.field.cases import BY_JOBS, INTERLEAVED, SAME_COST, SINGLE, SLOWER_REWRITE, UNORDERED
from bench.field.judging import Outcome
from bench.field.session import FEW, UNCHANGED
from scipy import stats

Test = Callable[[Outcome], bool]


@dataclass(frozen=True, slots=True)
class Row:
    """One wanted rate. ``most``: the rate may be at most ``limit``, otherwise it has to reach it; None = only shown."""

    name: str
    wanted: str
    chosen: Test
    counted: Test
    limit: float | None
    most: bool = False


@dataclass(frozen=True, slots=True)
class Reached:
    """A row with its counts; ``groups`` are the recordings that do not share a target."""

    row: Row
    tried: int
    hits: int
    groups: int
    achieved: tuple[float, float, float] | None

    @property
    def met(self) -> bool | None:
        """Whether the rate is as wanted; None where nothing is wanted or nothing was tried."""
        if self.row.limit is None or not self.tried:
            return None
        rate = self.hits / self.tried
        return rate <= self.row.limit if self.row.most else rate >= self.row.limit


def is_red(outcome: Outcome) -> bool:
    """Whether anything is red."""
    return bool(outcome.red) or outcome.total == "red" or outcome.conclusion == "fail"


def chosen_by(mode: str, *rows: str) -> Test:
    """A test for outcomes of these rows."""
    return lambda outcome: outcome.mode == mode and outcome.row in rows


def row_of(name: str, chosen: Test, counted: Test, limit: float | None, *, most: bool = False) -> Row:
    """A row with its target in words."""
    wanted = "" if limit is None else f"{'at most' if most else 'at least'} {100 * limit:g} %"
    wanted = {"at most 0 %": "none", "at least 100 %": "all"}.get(wanted, wanted)
    return Row(name, wanted, chosen, counted, limit, most)


def named_red(outcome: Outcome) -> bool:
    """Whether the function that changed is red."""
    return outcome.named_red


def _named(outcome: Outcome) -> bool:
    return outcome.named_listed


def functions_red(outcome: Outcome) -> bool:
    """Whether a function is red."""
    return bool(outcome.red)


def _total_red(outcome: Outcome) -> bool:
    return outcome.total == "red"


def any_row(outcome: Outcome) -> bool:
    """Whether anything is listed."""
    return bool(outcome.listed or outcome.total)


def _disturbed(row: str, title: str) -> list[Row]:
    found = []
    for mode, chosen in (("order unknown", chosen_by(UNORDERED, row)), ("8 base jobs", chosen_by(f"{BY_JOBS} 8", row))):
        found.append(row_of(f"{title}, {mode}: functions red", chosen, functions_red, 0.02, most=True))
        found.append(row_of(f"{title}, {mode}: total red", chosen, _total_red, 0.0, most=True))
    return found


def rows() -> list[Row]:
    """The rows of the acceptance table."""
    unchanged, a5, a10 = chosen_by(INTERLEAVED, UNCHANGED), ("at most 5 +5", "at most 10 +5"), "at most 10 +10"
    found = [
        row_of("unchanged: red", unchanged, is_red, 0.01, most=True),
        row_of("unchanged: listed", unchanged, any_row, 0.05, most=True),
    ]
    for count in (3, 5, 8):
        chosen = chosen_by(f"{BY_JOBS} {count}", UNCHANGED)
        found.append(row_of(f"unchanged, {count} base jobs: red", chosen, is_red, 0.01, most=True))
        found.append(row_of(f"unchanged, {count} base jobs: listed", chosen, any_row, 0.05, most=True))
    found.append(row_of("unchanged, one run per side: red", chosen_by(SINGLE, UNCHANGED), is_red, 0.0, most=True))
    found += _disturbed("neighbour", "noisy neighbour") + _disturbed("everything-1.15", "everything 1.15x slower")
    jobs8 = f"{BY_JOBS} 8"
    return [
        *found,
        row_of("new function of 5 %: listed", chosen_by(INTERLEAVED, "new 5"), _named, 0.9),
        row_of("new function of 10 %: red by name", chosen_by(INTERLEAVED, "new 10"), named_red, 0.9),
        row_of("new function of 20 %: red by name", chosen_by(INTERLEAVED, "new 20"), named_red, 0.9),
        row_of("growth by 1 %, at most 10 % before: listed", chosen_by(INTERLEAVED, "at most 10 +1"), _named, None),
        row_of("growth by 3 %, at most 10 % before: listed", chosen_by(INTERLEAVED, "at most 10 +3"), _named, None),
        row_of("growth by 5 %, at most 10 % before: listed", chosen_by(INTERLEAVED, *a5), _named, 0.9),
        row_of("growth by 5 %, at most 10 % before: red by name", chosen_by(INTERLEAVED, *a5), named_red, 0.7),
        row_of("growth by 10 %, at most 10 % before: red by name", chosen_by(INTERLEAVED, a10), named_red, None),
        row_of(
            "growth by 10 %, about 20 % before: red by name", chosen_by(INTERLEAVED, "about 20 +10"), named_red, 0.9
        ),
        row_of(
            "growth by 20 %, about 40 % before: red by name", chosen_by(INTERLEAVED, "about 40 +20"), named_red, 0.9
        ),
        row_of(
            "growth by 5 %, at most 5 % before, 8 base jobs: red by name",
            chosen_by(jobs8, "at most 5 +5"),
            named_red,
            0.7,
        ),
        row_of("growth by 10 %, at most 10 % before, 8 base jobs: red by name", chosen_by(jobs8, a10), named_red, 0.9),
        row_of("new function of 10 %, 8 base jobs: red by name", chosen_by(jobs8, "new 10"), named_red, None),
        row_of("everything 3x slower, 8 base jobs: red", chosen_by(jobs8, "everything-3"), is_red, 1.0),
        row_of(
            "moved, split, renamed, inlined, collected elsewhere: red",
            chosen_by(INTERLEAVED, SAME_COST),
            is_red,
            0.0,
            most=True,
        ),
        row_of(
            "the same, but the total rose by more than 2 %: red", chosen_by(INTERLEAVED, SLOWER_REWRITE), is_red, None
        ),
        row_of("fewer than 1,000 samples: inconclusive", chosen_by(INTERLEAVED, FEW), _inconclusive, 1.0),
        row_of(
            "upgrade at least 9 % slower: red at a true cause", chosen_by(INTERLEAVED, "upgrade slower"), named_red, 0.8
        ),
        row_of("upgrade not slower: red", chosen_by(INTERLEAVED, "upgrade not slower"), is_red, 0.0, most=True),
        row_of("upgrade slightly slower or unclear: red", chosen_by(INTERLEAVED, "upgrade between"), is_red, None),
    ]


def _inconclusive(outcome: Outcome) -> bool:
    return outcome.conclusion == "inconclusive"


def exact_interval(hits: int, tried: int) -> tuple[float, float]:
    """Clopper-Pearson 95 % interval of a rate."""
    found = stats.binomtest(hits, tried).proportion_ci(method="exact")
    return float(found.low), float(found.high)


def reached(outcomes: Sequence[Outcome], wanted: Sequence[Row] | None = None) -> list[Reached]:
    """The wanted rows, by default those of the acceptance table, with what was counted."""
    found = []
    for row in wanted or rows():
        chosen = [outcome for outcome in outcomes if row.chosen(outcome)]
        shares = [outcome.achieved for outcome in chosen if outcome.achieved is not None]
        achieved = tuple(float(share) for share in np.quantile(shares, [0.0, 0.5, 1.0])) if shares else None
        groups = len({(outcome.program, outcome.variant) for outcome in chosen})
        hits = sum(map(row.counted, chosen))
        found.append(Reached(row, len(chosen), hits, groups, achieved))  # type: ignore[arg-type]
    return found


def both_halves(held_out: Sequence[Reached], dev: Sequence[Reached]) -> str:
    """The table of the page: one line for each row, with a cell for each half of the programs."""
    lines = ["| case | target | held-out programs | development programs |", "| --- | --- | --- | --- |"]
    lines += [
        f"| {one.row.name} | {one.row.wanted} | {_cell(one)} | {_cell(other)} |"
        for one, other in zip(held_out, dev, strict=True)
        if one.tried or other.tried
    ]
    return "\n".join(lines)


def _cell(found: Reached) -> str:
    if not found.tried:
        return ""
    low, high = exact_interval(found.hits, found.tried)
    text = f"{found.hits} of {found.tried} ({100 * low:.1f}–{100 * high:.1f})"
    return f"**{text}**" if found.met is False else text


def as_markdown(found: Sequence[Reached]) -> str:
    """The table of one half as text, with the number of recordings and the measured growth."""
    lines = [
        "| case | target | reached | 95 % interval | recordings | planted | met |",
        "| --- | --- | --: | --- | --: | --- | --- |",
    ]
    for one in found:
        if not one.tried:
            continue
        low, high = exact_interval(one.hits, one.tried)
        planted = (
            "" if one.achieved is None else "{1:.1f} % ({0:.1f} to {2:.1f})".format(*(100 * x for x in one.achieved))
        )
        met = {True: "yes", False: "**no**", None: ""}[one.met]
        rate = f"{one.hits} of {one.tried}, {100 * one.hits / one.tried:.1f} %"
        lines.append(
            f"| {one.row.name} | {one.row.wanted} | {rate} | {100 * low:.1f} to {100 * high:.1f} % "
            f"| {one.groups} | {planted} | {met} |"
        )
    return "\n".join(lines)
