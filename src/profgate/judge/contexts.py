"""What strategies say of calling contexts, as one word for the function and as evidence of its finding."""

from collections.abc import Sequence
from dataclasses import replace

from profgate.model.change import Change, path_text
from profgate.model.kinds import BETTER, BY_WORD, WORSE, Kind
from profgate.model.report import Direction
from profgate.model.visible_text import cut

SHOWN_CONTEXTS = 3
LONGEST_FRAME = 28  # characters of a name in a path, so that the words around it are not cut


def one_word_each(changes: Sequence[Change]) -> list[Change]:
    """The changes of one location with a single word from each strategy that speaks of its calling contexts.

    Of contexts that all go one way the heaviest speaks; contexts that go both ways say nothing of the function as a
    whole (Unknown). A context of one side is no word: the function itself may be on both.
    """
    spoken = [change for change in changes if change.location.context is None]
    by_strategy: dict[str, list[Change]] = {}
    for change in changes:
        if change.location.context is not None and BY_WORD[change.kind] in WORSE | BETTER:
            by_strategy.setdefault(change.strategy, []).append(change)
    for rows in by_strategy.values():
        heaviest = min(rows, key=lambda row: -_weight(row))
        kind = heaviest.kind if len({BY_WORD[row.kind] in WORSE for row in rows}) == 1 else Kind.UNKNOWN.word
        spoken.append(replace(heaviest, kind=kind, location=replace(heaviest.location, context=None)))
    return spoken


def contexts_told(changes: Sequence[Change], direction: Direction) -> str:
    """The few contexts that carry a finding of this direction, the heaviest first; empty where there is none."""
    cost = {Kind.NOT_IN_BASELINE: "new", Kind.NOT_IN_TARGET: "gone"}
    carrying = {"worse": WORSE | {Kind.NOT_IN_BASELINE}, "better": BETTER | {Kind.NOT_IN_TARGET}}.get(direction)
    rows = sorted(
        (
            change
            for change in changes
            if change.location.context is not None and (carrying is None or BY_WORD[change.kind] in carrying)
        ),
        key=lambda change: -_weight(change),
    )
    told = [
        f"{path_text([cut(name, LONGEST_FRAME) for name in row.location.context or ()])} "
        + (f"{cost[BY_WORD[row.kind]]}, " if BY_WORD[row.kind] in cost else "")
        + f"{100.0 * ((row.share_to or 0.0) - (row.share_from or 0.0)):+.1f} % of the run".replace(
            "-", "\N{MINUS SIGN}"
        )
        for row in rows[:SHOWN_CONTEXTS]
    ]
    more = len(rows) - len(told)
    return "; ".join(told) + (f"; and {more} more" if more else "")


def _weight(change: Change) -> float:
    return abs((change.share_to or 0.0) - (change.share_from or 0.0))
