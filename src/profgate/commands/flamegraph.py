"""``profgate flamegraph BASELINE [TARGET] -o FILE``: one picture of two profiles, or of one."""

import argparse
from collections.abc import Sequence

from profgate import wiring
from profgate.adapters.files import write_text
from profgate.commands.inputs import add_sides, one_comparison, pipeline_input
from profgate.errors import ProfgateError
from profgate.model.comparison import Comparison
from profgate.model.policy import Policy
from profgate.pipeline import normalisation_of
from profgate.report.folded_export import two_column_folded
from profgate.report.page import build_page
from profgate.report.page_columns import PageHeader, PageTree
from profgate.report.svg import build_svg


def _drawn(comparison: Comparison, output: str) -> str:
    """The picture in the format the file's name asks for."""
    tree, symbols, metric = comparison.tree, comparison.symbols, comparison.metric
    if tree is None:
        raise ProfgateError(comparison.workload, "has no stacks to draw: its format knows functions and calls alone")
    columns = PageTree(
        tree.parent, tree.symbol, tree.baseline_self, tree.target_self, symbols.names, symbols.files, symbols.lines
    )
    header = PageHeader(
        title=f"{comparison.workload}: {metric.name}",
        workload=comparison.workload,
        metric=metric.name,
        unit=metric.unit,
        exponent=metric.exponent,
        better=metric.better,
        runs=(comparison.runs.baseline, comparison.runs.target),
        normalisation=normalisation_of(comparison),
        sample_value=comparison.period,
    )
    if output.endswith(".html"):
        return build_page(columns, header)
    if output.endswith(".svg"):
        return build_svg(columns, header)
    if output.endswith(".folded"):
        return two_column_folded(columns, symbols.texts(), metric.exponent)[0]
    raise ProfgateError(output, "ends in none of .html, .svg and .folded; name the file after what it shall be")


def run(argv: Sequence[str]) -> int:
    """Writes the picture. Raises ProfgateError."""
    parser = argparse.ArgumentParser(prog="profgate flamegraph", description=__doc__)
    add_sides(parser, target="?")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="ends in .html, .svg or .folded")
    parser.add_argument("--metric", help="which metric, where the profile has several")
    parser.add_argument("--workload", help="which workload, where a folder holds several")
    arguments = parser.parse_args(argv)
    given = pipeline_input(arguments.baseline, arguments.target, Policy(), difference=arguments.difference, alone=True)
    comparison = one_comparison(wiring.overlays(given), arguments.metric, arguments.workload)
    write_text(arguments.output, _drawn(comparison, arguments.output))
    return 0
