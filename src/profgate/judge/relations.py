"""Which locations of one metric belong together: former names, and where changes end."""

from collections.abc import Iterable

from profgate.model.change import Location
from profgate.model.comparison import Comparison
from profgate.model.report import Cause, Direction, Relation


def relations_of(comparison: Comparison) -> tuple[Relation, ...]:
    """Renamed functions."""
    return tuple(
        Relation("renamed", location_of(comparison, symbol), (Location(*former),))
        for symbol, former in sorted(comparison.renamed.items())
    )


def causes_of(comparison: Comparison, symbols: Iterable[int]) -> tuple[Cause, ...]:
    """Where the changes of these symbols end, for those that do not end where they are."""
    causes = comparison.causes
    if causes is None:
        return ()
    dearer: Direction = "worse" if comparison.metric.better == "lower" else "better"
    cheaper: Direction = "better" if dearer == "worse" else "worse"
    ways = ((dearer, causes.grown_end, causes.grown_steps), (cheaper, causes.fallen_end, causes.fallen_steps))
    return tuple(
        Cause(location_of(comparison, symbol), way, location_of(comparison, int(end[symbol])), int(steps[symbol]))
        for symbol in sorted(symbols)
        for way, end, steps in ways
        if end[symbol] != symbol
    )


def location_of(comparison: Comparison, symbol: int) -> Location:
    """Where a symbol stands."""
    table = comparison.symbols
    name, file, module = table.names[symbol], table.files[symbol], table.modules[symbol]
    if (name, file, module) == ("total", None, None):
        module = ""  # a function of this name is not the whole workload
    return Location(name, file, table.lines[symbol], module)
