"""Folded stacks written from columns: one side alone, or both sides on each line."""

import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from profgate.report.page_columns import Ints, PageTree, Rows

_BREAKS = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_COUNT_LOOKALIKE = re.compile(r"\s+(?=[0-9.]+$)")
_UNKNOWN = "[unknown]"


def two_column_folded(tree: PageTree, names: Sequence[str], exponent: int = 0) -> tuple[str, int]:
    """Lines of `stack before after` sorted by bytes, and how many names had to be repaired.

    The values are raw: integers times ten to the exponent, written without rounding.
    """
    frames, repairs = _frames(names, _repaired)
    sums: dict[str, tuple[int, int]] = {}
    for stack, row in _stacks(tree, frames):
        before, after = sums.get(stack, (0, 0))
        sums[stack] = (before + int(tree.baseline_self[row]), after + int(tree.target_self[row]))
    lines = [
        f"{stack} {_decimal(before, exponent)} {_decimal(after, exponent)}" for stack, (before, after) in sums.items()
    ]
    return _sorted_text(lines), repairs


def one_column_folded(
    parent: Rows, symbol: Rows, values: Ints, names: Sequence[str], exponent: int = 0
) -> tuple[str, int]:
    """Lines of `stack value` of one side sorted by bytes, and how many names had to be repaired.

    A blank before trailing digits becomes `_` here, because a reader would take the digits for the value.
    """
    frames, repairs = _frames(names, lambda name: _COUNT_LOOKALIKE.sub("_", _repaired(name)))
    tree = PageTree(parent, symbol, values, np.zeros(len(values), np.int64), names)
    sums: dict[str, int] = {}
    for stack, row in _stacks(tree, frames):
        sums[stack] = sums.get(stack, 0) + int(values[row])
    return _sorted_text([f"{stack} {_decimal(value, exponent)}" for stack, value in sums.items()]), repairs


def _frames(names: Sequence[str], repair: Callable[[str], str]) -> tuple[list[str], int]:
    frames = [repair(name) for name in names]
    return frames, sum(frame != name for frame, name in zip(frames, names, strict=True))


def _repaired(name: str) -> str:
    text = _SURROGATES.sub("\ufffd", _BREAKS.sub(" ", name))  # JSON can name halves of characters, files cannot
    return text.replace(";", ":").strip() or _UNKNOWN


def _stacks(tree: PageTree, frames: Sequence[str]) -> Iterator[tuple[str, int]]:
    """The stack and row of every row with a self value, in the order of the rows."""
    parent, symbol = tree.parent.tolist(), tree.symbol.tolist()
    used: NDArray[np.intp] = np.flatnonzero((tree.baseline_self > 0) | (tree.target_self > 0))
    for row in used.tolist():
        stack = []
        above = row
        while above > 0:
            stack.append(frames[symbol[above]])
            above = parent[above]
        yield ";".join(reversed(stack)) or _UNKNOWN, row


def _decimal(value: int, exponent: int) -> str:
    if exponent >= 0 or value == 0:
        return str(value * 10 ** max(exponent, 0))
    digits = str(value).rjust(1 - exponent, "0")
    return f"{digits[:exponent]}.{digits[exponent:]}".rstrip("0").rstrip(".")


def _sorted_text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in sorted(lines, key=lambda line: line.encode("utf-8", "surrogatepass")))
