"""Describe the locations in a comparison by their names, call paths, former names and causes."""

from collections.abc import Iterable
from dataclasses import replace

from profgate.model.change import Detection, Location
from profgate.model.comparison import Comparison
from profgate.model.report import TOTAL, Cause, Direction, Relation

WHOLE = -1  # symbol of a row for the whole workload
LONGEST_PATH = 100  # maximum number of frames; longer paths are shortened in the middle


def location_in(comparison: Comparison, detection: Detection, row: int) -> Location:
    """Return the location of a row: a symbol, a calling context, a module or the whole workload."""
    symbol = int(detection.symbol[row])
    if symbol == WHOLE:
        return TOTAL
    if symbol < 0:
        module = detection.labels.get(row, "")
        return Location(module or "(no module)", module=module or None)
    context = None if detection.node is None else path_to(comparison, int(detection.node[row]))
    return replace(location_of(comparison, symbol), context=context)


def path_to(comparison: Comparison, node: int) -> tuple[str, ...]:
    """Return the function names from the root to a node of the tree. A very long path is shortened in the middle."""
    tree, path = comparison.tree, []
    while tree is not None and node > 0:
        path.append(comparison.symbols.names[tree.symbol[node]])
        node = int(tree.parent[node])
    path.reverse()
    half = LONGEST_PATH // 2
    return (
        tuple(path) if len(path) <= LONGEST_PATH else (*path[:half], f"({len(path) - 2 * half} frames)", *path[-half:])
    )


def relations_of(comparison: Comparison) -> tuple[Relation, ...]:
    """Return the relations between renamed functions and their former locations."""
    return tuple(
        Relation("renamed", location_of(comparison, symbol), (Location(*former),))
        for symbol, former in sorted(comparison.renamed.items())
    )


def causes_of(comparison: Comparison, symbols: Iterable[int]) -> tuple[Cause, ...]:
    """Return what caused the changes of these symbols. Symbols that are their own cause are omitted."""
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
    """Return the name, file, line and module of a symbol."""
    table = comparison.symbols
    name, file, module = table.names[symbol], table.files[symbol], table.modules[symbol]
    if (name, file, module) == ("total", None, None):
        module = ""  # distinguishes a function named "total" from the whole workload
    return Location(name, file, table.lines[symbol], module)
