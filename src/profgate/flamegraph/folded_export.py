"""Write call trees as folded stacks, with one or both sides on each line."""

import re
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from profgate.model.arrays import IntArray
from profgate.model.call_tree import CallTree
from profgate.model.comparison import DiffTree

_BREAKS = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_COUNT_LOOKALIKE = re.compile(r"(?<!\s)\s++(?=[0-9.]++$)")
_UNKNOWN = "[unknown]"


def two_column_folded(
    tree: DiffTree, names: Sequence[str], exponent: int = 0, ratio: Fraction | None = None
) -> tuple[str, int]:
    """Return lines of `stack before after`, sorted by bytes, and the number of modified names.

    The values are integers times ten to the power of `exponent`. With a `ratio`, the values of the before side are
    multiplied by it and rounded to four decimals.
    """
    frames, repairs = _frames(names, _repaired)
    sums = _sums(tree, tree.baseline_self, tree.target_self, frames)
    befores, places = [before for before, _ in sums.values()], exponent
    if ratio is not None:
        befores, places = [round(before * ratio * 10_000) for before in befores], exponent - 4
    lines = [
        f"{stack} {_decimal(before, places)} {_decimal(after, exponent)}"
        for (stack, (_, after)), before in zip(sums.items(), befores, strict=True)
    ]
    return _sorted_text(lines), repairs


def one_column_folded(tree: CallTree, values: IntArray, names: Sequence[str], exponent: int = 0) -> tuple[str, int]:
    """Return lines of `stack value` for one side, sorted by bytes, and the number of modified names.

    A space before trailing digits becomes `_`, because a parser would read the digits as the value.
    """
    frames, repairs = _frames(names, lambda name: _COUNT_LOOKALIKE.sub("_", _repaired(name)))
    sums = _sums(tree, values, np.zeros_like(values), frames)
    return _sorted_text([f"{stack} {_decimal(value, exponent)}" for stack, (value, _) in sums.items()]), repairs


def _frames(names: Sequence[str], repair: Callable[[str], str]) -> tuple[list[str], int]:
    frames = [repair(name) for name in names]
    return frames, sum(frame != name for frame, name in zip(frames, names, strict=True))


def _repaired(name: str) -> str:
    text = _SURROGATES.sub("\ufffd", _BREAKS.sub(" ", name))  # UTF-8 cannot encode lone surrogates
    return text.replace(";", ":").strip() or _UNKNOWN


def _sums(tree: CallTree, before: IntArray, after: IntArray, frames: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return the self values of both sides by stack, in the order of the rows."""
    sums: dict[str, tuple[int, int]] = {}
    path: list[str] = []
    columns = (tree.symbol.tolist(), tree.depth.tolist(), before.tolist(), after.tolist())
    for symbol, depth, first, second in zip(*columns, strict=True):
        path[max(depth - 1, 0) :] = [frames[symbol]] if depth else []
        if first > 0 or second > 0:
            stack = ";".join(path) or _UNKNOWN
            known = sums.get(stack, (0, 0))
            sums[stack] = (known[0] + first, known[1] + second)
    return sums


def _decimal(value: int, exponent: int) -> str:
    if exponent >= 0 or value == 0:
        return str(value * 10 ** max(exponent, 0))
    digits = str(value).rjust(1 - exponent, "0")
    return f"{digits[:exponent]}.{digits[exponent:]}".rstrip("0").rstrip(".")


def _sorted_text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in sorted(lines, key=lambda line: line.encode("utf-8", "surrogatepass")))
