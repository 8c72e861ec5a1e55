"""``profgate overweight BASELINE TARGET``: who carries the change of the total, and what is left without a pivot."""

import argparse
import json
import math
import shutil
import sys
from collections.abc import Sequence
from typing import Any

from profgate import wiring
from profgate.commands.inputs import add_sides, one_comparison, pipeline_input
from profgate.detect.overweight import OverweightTable, overweight_table
from profgate.errors import ProfgateError
from profgate.model.comparison import Comparison
from profgate.model.policy import Policy
from profgate.model.visible_text import fitting, name_text, plain

SCHEMA = "profgate.overweight/1"
ROWS = 40
NUMBERS_WIDTH = 80  # what stands before the name
NARROWEST_NAME = 40
LONGEST_NAME = 400


def _number(value: float, scale: float) -> float | int | None:
    """A JSON number in the unit; whole numbers stay whole, unknown is None."""
    if not math.isfinite(value):
        return None
    scaled = float(value) * scale
    return int(scaled) if scaled.is_integer() else scaled


def _ratio(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def as_json(table: OverweightTable, comparison: Comparison) -> dict[str, Any]:
    """The published form; ratios are fractions (1.0 = 100 %), null where undefined."""
    scale, symbols = comparison.metric.scale, comparison.symbols

    def place(symbol: int) -> dict[str, Any]:
        return {"name": symbols.names[symbol], "file": symbols.files[symbol]}

    rows = zip(
        table.symbol.tolist(),
        table.baseline.tolist(),
        table.target.tolist(),
        table.delta.tolist(),
        table.responsibility.tolist(),
        table.overweight.tolist(),
        strict=True,
    )
    return {
        "schema": SCHEMA,
        "unit": comparison.metric.unit,
        "total": {
            "baseline": _number(table.baseline_total, scale),
            "target": _number(table.target_total, scale),
            "delta": _number(table.total_delta, scale),
        },
        "symbols": [
            {
                **place(symbol),
                "baseline": _number(before, scale),
                "target": _number(after, scale),
                "delta": _number(delta, scale),
                "responsibility": _ratio(responsibility),
                "overweight": _ratio(overweight),
            }
            for symbol, before, after, delta, responsibility, overweight in rows
        ],
        "only_baseline": [
            {**place(symbol), "baseline": _number(value, scale)}
            for symbol, value in zip(table.only_baseline.tolist(), table.only_baseline_value.tolist(), strict=True)
        ],
        "only_target": [
            {**place(symbol), "target": _number(value, scale)}
            for symbol, value in zip(table.only_target.tolist(), table.only_target_value.tolist(), strict=True)
        ],
    }


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.2f}"


def _value(value: float | None) -> str:
    return "-" if value is None else f"{value:,.1f}"


def as_text(document: dict[str, Any], width: int) -> str:
    """The table of the published reports, at most 40 rows; long names are cut in the middle to keep the width."""
    total, room = document["total"], max(width - NUMBERS_WIDTH, NARROWEST_NAME)
    sides = f"{_value(total['baseline'])} -> {_value(total['target'])} {plain(document['unit'])}"
    lines = [
        f"Total: {sides}, change {_value(total['delta'])}",
        f"{'baseline':>18} {'target':>18} {'change':>16} {'resp. %':>9} {'overweight %':>13}  symbol",
    ]
    for row in document["symbols"][:ROWS]:
        name = row["name"] if row["file"] is None else f"{row['name']} ({row['file']})"
        shown = fitting(name_text(name, LONGEST_NAME), room)
        lines.append(
            f"{_value(row['baseline']):>18} {_value(row['target']):>18} {_value(row['delta']):>16} "
            f"{_percent(row['responsibility']):>9} {_percent(row['overweight']):>13}  {shown}"
        )
    hidden = len(document["symbols"]) - ROWS
    if hidden > 0:
        lines.append(f"and {hidden} more; --format json prints all")
    lines += [
        f"{len(document[key])} symbols only in the {side}: not rated"
        for key, side in (("only_baseline", "baseline"), ("only_target", "target"))
        if document[key]
    ]
    return "\n".join(lines) + "\n"


def _pivots(comparison: Comparison, names: Sequence[str]) -> tuple[int, ...]:
    found = []
    for name in names:
        places = [place for place, known in enumerate(comparison.symbols.names) if known == name]
        if not places:
            raise ProfgateError("--pivot", f"no symbol is called {name!r}; names are shown by 'profgate overweight'")
        found += places
    return tuple(found)


def run(argv: Sequence[str]) -> int:
    """Prints the table as text or JSON. Raises ProfgateError."""
    parser = argparse.ArgumentParser(prog="profgate overweight", description=__doc__)
    add_sides(parser, target="?")
    parser.add_argument("--pivot", action="append", default=[], metavar="SYMBOL", help="drop its stacks (repeatable)")
    parser.add_argument("--metric", help="which metric, where the profile has several")
    parser.add_argument("--workload", help="which workload, where a folder holds several")
    parser.add_argument("--format", choices=("terminal", "json"), default="terminal")
    arguments = parser.parse_args(argv)
    given = pipeline_input(arguments.baseline, arguments.target, Policy(), difference=arguments.difference)
    comparison = one_comparison(wiring.overlays(given), arguments.metric, arguments.workload)
    dropped = _pivots(comparison, arguments.pivot)
    if dropped and comparison.tree is None:
        raise ProfgateError("--pivot", "this format has no stacks, so none can be dropped")
    document = as_json(overweight_table(comparison, dropped=dropped), comparison)
    if arguments.format == "json":
        sys.stdout.write(json.dumps(document, indent=1, allow_nan=False) + "\n")
    else:
        sys.stdout.write(as_text(document, shutil.get_terminal_size((120, 24)).columns))
    return 0
