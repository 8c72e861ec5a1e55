"""The ``profgate overweight`` command."""

import json
import sys

import click

from profgate import pipeline
from profgate.cli.options import command, format_option, metric_option, width, workload_option
from profgate.cli.sides import GivenSides, chosen, sides_arguments
from profgate.decide.detect.overweight import overweight_document
from profgate.report.overweight_text import overweight_text


@command("profgate overweight baseline/ target/", "profgate overweight old.folded new.folded --pivot parse")
@sides_arguments
@click.option(
    "--pivot", "pivots", multiple=True, metavar="SYMBOL", help="Leave out the stacks with this symbol (repeatable)."
)
@metric_option
@workload_option
@format_option("terminal", "json")
def overweight(
    sides: GivenSides, pivots: tuple[str, ...], metric: str | None, workload: str | None, output: str
) -> int:
    """Show which functions are responsible for the change of the total, and what remains without each pivot."""
    comparison = chosen(pipeline.overlays(sides.read()), metric, workload)
    document = overweight_document(comparison, pivots)
    if output == "json":
        # Each field is written on a separate line. Indented output would take ten times as long.
        sys.stdout.write(json.dumps(document, allow_nan=False, separators=(",\n", ": ")) + "\n")
    else:
        sys.stdout.write(overweight_text(document, width(120)))
    return 0
