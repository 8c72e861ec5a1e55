"""The ``profgate fold`` command."""

import sys

import click

from profgate import pipeline
from profgate.cli.options import PROFILES, command, metric_option, workload_option
from profgate.cli.sides import GivenSides, chosen
from profgate.errors import ProfgateError
from profgate.flamegraph.folded_export import one_column_folded
from profgate.model.visible_text import visible


@command("profgate fold profile.pb.gz > profile.folded", "profgate fold --metric cpu profile.speedscope.json")
@click.argument("profile", type=PROFILES)
@metric_option
@workload_option
def fold(profile: str, metric: str | None, workload: str | None) -> int:
    """Print PROFILE as folded stacks, one line for each call path."""
    given = GivenSides(profile, None, difference=False).read(alone=True)
    comparison = chosen(pipeline.overlays(given), metric, workload)
    tree, names = comparison.tree, comparison.symbols.texts()
    if tree is None:
        raise ProfgateError(profile, "has no stacks: its format contains no call paths")
    text = one_column_folded(tree, tree.target_self, names, exponent=comparison.metric.exponent)[0]
    if sys.stdout.isatty():  # names must not send control characters to the terminal
        text = "\n".join(map(visible, text.split("\n")))
    sys.stdout.write(text)
    return 0
