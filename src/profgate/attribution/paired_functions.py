"""Functions with another name or file on each side, paired by their fingerprints."""

import re

from profgate.attribution.frame_functions import frame_name
from profgate.attribution.function_changes import KnownFunction
from profgate.attribution.grammars import language_of
from profgate.attribution.source_states import BASELINE, TARGET, Sides
from profgate.model.comparison import Comparison

Identity = tuple[str, str | None]
_STAYED = frozenset({"same", "changed"})
_NAMELESS = re.compile(r"^(?:.*[.:/])?(?:\(anonymous\)|<(?:anonymous|lambda|module|\w+comp|genexpr)>|)$")


def paired_functions(comparison: Comparison, sides: Sides) -> dict[Identity, Identity]:
    """(name, file) of functions of the baseline to those of the same functions in the target.

    Only names that stand on one side alone, and that can mean no other function of their file.
    """
    table, alone = comparison.symbols, _alone(comparison)
    new: dict[tuple[object, ...], list[int]] = {}
    for symbol in alone[TARGET]:
        if (known := _only(sides, symbol)) is not None:
            new.setdefault((known.path, known.function.parts, known.function.first), []).append(symbol)
    found: dict[Identity, Identity] = {}
    for symbol in alone[BASELINE]:
        known = _only(sides, symbol)
        if known is None or known.partner is None:
            continue
        path, function = known.partner
        partners = new.pop((path, function.parts, function.first), [])
        if len(partners) == 1:
            found[table.names[symbol], table.files[symbol]] = table.names[partners[0]], table.files[partners[0]]
    return found


def not_to_pair(comparison: Comparison, sides: Sides | None) -> frozenset[int]:
    """Symbols of one side alone that must not be paired by names and costs.

    Those without a name of their own, and those whose function the other side's source has too.
    """
    names = comparison.symbols.names
    alone = [symbol for side in _alone(comparison) for symbol in side]
    refused = {symbol for symbol in alone if _NAMELESS.match(names[symbol])}
    if sides is not None:
        refused |= {
            symbol for symbol in alone if (meant := sides.meant(symbol)) and {known.state for known in meant} <= _STAYED
        }
    return frozenset(refused)


def _alone(comparison: Comparison) -> tuple[list[int], list[int]]:
    known = [side.astype(bool) for side in comparison.present]
    return (known[0] & ~known[1]).nonzero()[0].tolist(), (known[1] & ~known[0]).nonzero()[0].tolist()


def _only(sides: Sides, symbol: int) -> KnownFunction | None:
    """The function that a symbol is; None for what only lies in one, as a comprehension does."""
    meant = sides.meant(symbol)
    if len(meant) != 1 or (language := language_of(meant[0].path)) is None:
        return None
    return None if frame_name(sides.symbols.names[symbol], language).within else meant[0]
