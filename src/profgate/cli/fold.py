"""``profgate fold PROFILE``: the stacks of any readable profile as folded text."""

import argparse
import sys
from collections.abc import Sequence

from profgate import wiring
from profgate.cli.sides_options import one_comparison, pipeline_input, side
from profgate.errors import ProfgateError
from profgate.flamegraph.folded_export import one_column_folded
from profgate.model.policy import Policy


def run(argv: Sequence[str]) -> int:
    """Prints one line for each call path. Raises ProfgateError."""
    parser = argparse.ArgumentParser(prog="profgate fold", description=__doc__.replace("`", ""))
    parser.add_argument("profile", metavar="PROFILE", type=side)
    parser.add_argument("--metric", help="which metric, where the profile has several")
    parser.add_argument("--raw-names", action="store_true", help="names as the file gives them, without normalising")
    arguments = parser.parse_args(argv)
    policy = Policy(name_rules="none") if arguments.raw_names else Policy()
    comparison = one_comparison(
        wiring.overlays(pipeline_input(arguments.profile, None, policy, alone=True)), arguments.metric, None
    )
    tree, symbols = comparison.tree, comparison.symbols
    if tree is None:
        raise ProfgateError(arguments.profile, "has no stacks: its format holds no call paths")
    names = symbols.texts()
    text = one_column_folded(tree.parent, tree.symbol, tree.target_self, names, exponent=comparison.metric.exponent)[0]
    sys.stdout.write(text)
    return 0
