"""``profgate flamegraph BASELINE [TARGET] -o FILE``: one picture of two profiles, of one, or of two of its metrics."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from profgate import wiring
from profgate.attribution.function_changes import function_changes
from profgate.cli.sides_options import add_diff, add_sides, file, one_comparison, pipeline_input, sources_of
from profgate.errors import ProfgateError
from profgate.flamegraph.folded_export import Scaling, two_column_folded
from profgate.flamegraph.page import build_page
from profgate.flamegraph.page_columns import PageHeader, PageTree, exact_sum
from profgate.flamegraph.page_input import PageContext, metrics_against, page_input
from profgate.flamegraph.shading import CLASSIC, USUAL
from profgate.flamegraph.svg import build_svg
from profgate.io.files import write_text
from profgate.model.comparison import Comparison
from profgate.model.policy import Policy
from profgate.pipeline import states_of


def _texts(tree: PageTree) -> list[str]:
    """Name and file of each symbol as one text, the way stack collapsers write it."""
    files = tree.files or [None] * len(tree.names)
    return [name if place is None else f"{name} ({place})" for name, place in zip(tree.names, files, strict=True)]


def _folded(tree: PageTree, header: PageHeader, arguments: argparse.Namespace) -> str:
    before, after = exact_sum(tree.baseline_self), exact_sum(tree.target_self)
    scaling = None
    if arguments.normalize:
        if not before or not after:
            raise ProfgateError(arguments.output, "cannot be normalised: one side is empty")
        scaling = Scaling(Fraction(after, before), 0 if arguments.normalize == "whole" else 4)
    text, repairs = two_column_folded(tree, _texts(tree), header.exponent, scaling)
    if repairs:
        count = f"{repairs:,} names" if repairs > 1 else "1 name"
        sys.stderr.write(f"profgate: {count} could not stand in a folded line and was written with other signs\n")
    return text


def _drawn(tree: PageTree, header: PageHeader, arguments: argparse.Namespace) -> str:
    """The picture in the format the file's name asks for."""
    output = arguments.output
    if output.endswith(".folded"):
        return _folded(tree, header, arguments)
    if arguments.normalize or arguments.preset:
        header = replace(header, normalisation="total" if arguments.normalize else "none")
    if output.endswith(".svg"):
        return build_svg(tree, header, style=CLASSIC if arguments.preset == "classic" else USUAL)
    if output.endswith(".html"):
        if arguments.preset:
            raise ProfgateError(output, "has its own switch for the classic colours; --preset is for .svg")
        return build_page(tree, header)
    raise ProfgateError(output, "ends in none of .html, .svg and .folded; name the file after what it shall be")


def _sides(arguments: argparse.Namespace) -> tuple[PageTree, PageHeader]:
    diff = sources_of(arguments)
    given = pipeline_input(arguments.baseline, arguments.target, Policy(), difference=arguments.difference, alone=True)
    comparisons = wiring.overlays(replace(given, diff=diff))
    comparison = _drawable(one_comparison(comparisons, arguments.metric, arguments.workload))
    if arguments.against is None:
        states = None if diff is None else states_of(comparison, diff, function_changes(diff))
        return page_input(comparison, PageContext(states=states, diff=diff, embed=arguments.embed_source or "changed"))
    if diff is not None:
        raise ProfgateError("--diff", "tells two builds apart; --against draws one file, so leave one of them away")
    if arguments.metric is None or arguments.target is not None or arguments.difference:
        raise ProfgateError("--against", "draws two metrics of one file: name the first with --metric, give no TARGET")
    other = _drawable(one_comparison(comparisons, arguments.against, arguments.workload))
    try:
        return metrics_against(comparison, other)
    except ValueError as error:
        raise ProfgateError(arguments.baseline, str(error)) from None


def _drawable(comparison: Comparison) -> Comparison:
    if not comparison.drawable:
        raise ProfgateError(comparison.workload, "has no stacks to draw: its format holds no call paths")
    return comparison


def run(argv: Sequence[str]) -> int:
    """Writes the picture. Raises ProfgateError."""
    parser = argparse.ArgumentParser(prog="profgate flamegraph", description=__doc__.replace("`", ""))
    add_sides(parser, target="?")
    parser.add_argument(
        "-o", "--output", required=True, metavar="FILE", type=file, help="ends in .html, .svg or .folded"
    )
    parser.add_argument("--metric", help="which metric, where the profile has several")
    parser.add_argument("--against", metavar="METRIC", help="draw --metric against this one of the same profile")
    add_diff(parser)
    parser.add_argument("--workload", help="which workload, where a folder holds several")
    parser.add_argument("--preset", choices=("classic",), help="widths and colours of flamegraph.pl (.svg)")
    parser.add_argument(
        "--normalize",
        nargs="?",
        const="decimals",
        choices=("decimals", "whole"),
        help="scale the baseline to the target's total; .folded gets decimals, or whole numbers that keep the sum",
    )
    arguments = parser.parse_args(argv)
    write_text(arguments.output, _drawn(*_sides(arguments), arguments))
    return 0
