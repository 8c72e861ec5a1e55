"""Which locations of one metric belong together, with the calibrated test's word on their net, for the report."""

import math
from collections.abc import Iterable, Sequence

from profgate.model.change import Change, Detection, Location
from profgate.model.comparison import Comparison
from profgate.model.kinds import Kind
from profgate.model.report import Cause, Direction, Relation

GATE_TEST = "calibrated_log_ratio"


def relations_of(comparison: Comparison, detections: Sequence[Detection]) -> tuple[Relation, ...]:
    """Renamed functions, then the comparison's groups; nets are missing where the calibrated test could not speak."""
    renamed = [
        Relation("renamed", location_of(comparison, symbol), (Location(*former),))
        for symbol, former in sorted(comparison.renamed.items())
    ]
    test = next((one for one in detections if one.strategy == GATE_TEST and one.groups), None)
    groups = [
        Relation(
            group.kind,
            location_of(comparison, group.lead),
            tuple(location_of(comparison, other) for other in group.others),
            None if test is None else _net(comparison, test, place),
        )
        for place, group in enumerate(comparison.groups)
    ]
    return (*renamed, *groups)


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


def _net(comparison: Comparison, test: Detection, place: int) -> Change:
    numbers = {name: _number(float(column[place])) for name, column in test.groups.items()}
    scale, group = comparison.metric.scale, comparison.groups[place]
    before, after = (scale * float(test.groups[side][place]) for side in ("from", "to"))
    split = comparison.runs.baseline
    totals = [scale * float(side.mean()) for side in (comparison.run_totals[:split], comparison.run_totals[split:])]
    return Change(
        strategy=test.strategy,
        family=test.family,
        kind=Kind(int(test.groups["kind"][place])).word,
        subtype="inclusive" if group.kind == "new" else "net",
        location=location_of(comparison, group.others[0] if group.kind == "new" else group.lead),
        from_value=before,
        to_value=after,
        delta=after - before,
        relative=(after - before) / before if before else None,
        share_from=_number(before / totals[0]) if totals[0] else None,
        share_to=_number(after / totals[1]) if totals[1] else None,
        confidence_type="q_value",
        confidence=numbers["q"],
        evidence={name: value for name, value in numbers.items() if name not in {"kind", "from", "to"}},
    )


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
