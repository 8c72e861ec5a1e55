"""The commands ``profgate fold`` and ``profgate overweight``, which print a profile or two in other forms."""

import json
import sys

import click

from profgate import pipeline
from profgate.cli.options import PROFILES, command, format_option, metric_option, width, workload_option
from profgate.cli.sides import GivenSides, chosen, sides_arguments
from profgate.decide.detect.overweight import overweight_document
from profgate.errors import ProfgateError
from profgate.flamegraph.folded_export import one_column_folded
from profgate.model.visible_text import visible
from profgate.report.overweight_text import overweight_text


@command("profgate fold profile.pb.gz > profile.folded", "profgate fold --metric cpu profile.speedscope.json")
@click.argument("profile", type=PROFILES)
@metric_option
@workload_option
def fold(profile: str, metric: str | None, workload: str | None) -> int:
    """Print PROFILE as folded stacks, one line for each call path."""
    given = GivenSides(profile, None).read(alone=True)
    comparison = chosen(pipeline.overlays(given), metric, workload)
    tree, names = comparison.tree, comparison.symbols.texts()
    if tree is None:
        raise ProfgateError(profile, "has no stacks: its format contains no call paths")
    text = one_column_folded(tree, tree.target_self, names, exponent=comparison.metric.exponent)[0]
    if sys.stdout.isatty():  # names must not send control characters to the terminal
        text = "\n".join(map(visible, text.split("\n")))
    sys.stdout.write(text)
    return 0


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
