"""Write call trees as folded stacks, with one or both sides on each line."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from profgate.model.arrays import IntArray
from profgate.model.call_tree import CallTree
from profgate.model.comparison import DiffTree

_BREAKS = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_COUNT_LOOKALIKE = re.compile(r"(?<!\s)\s++(?=[0-9.]++$)")
_UNKNOWN = "[unknown]"


@dataclass(frozen=True, slots=True)
class Scaling:
    """Factor for the values of the before side, and number of decimals in the result. Rounding preserves the sum."""

    ratio: Fraction
    decimals: int = 4


def two_column_folded(
    tree: DiffTree, names: Sequence[str], exponent: int = 0, scaling: Scaling | None = None
) -> tuple[str, int]:
    """Return lines of `stack before after`, sorted by bytes, and the number of modified names.

    The values are integers times ten to the power of `exponent`. Values are rounded only if `scaling` is given.
    """
    frames, repairs = _frames(names, _repaired)
    sums = _sums(tree, tree.baseline_self, tree.target_self, frames)
    befores, places = [before for before, _ in sums.values()], exponent
    if scaling is not None:
        befores, places = _scaled(befores, scaling), exponent - scaling.decimals
    lines = [
        f"{stack} {_decimal(before, places)} {_decimal(after, exponent)}"
        for (stack, (_, after)), before in zip(sums.items(), befores, strict=True)
    ]
    return _sorted_text(lines), repairs


def _scaled(values: list[int], scaling: Scaling) -> list[int]:
    """Return the scaled values in units of the last decimal, rounded by the largest remainder method."""
    factor = scaling.ratio * 10**scaling.decimals
    parts = [divmod(value * factor.numerator, factor.denominator) for value in values]
    missing = round(sum(values) * factor) - sum(whole for whole, _ in parts)
    larger = set(sorted(range(len(parts)), key=lambda place: (-parts[place][1], place))[:missing])
    return [whole + (place in larger) for place, (whole, _) in enumerate(parts)]


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
