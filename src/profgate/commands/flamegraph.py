"""``profgate flamegraph BASELINE [TARGET] -o FILE``: one picture of two profiles, or of one."""

import argparse
from collections.abc import Sequence

from profgate import wiring
from profgate.adapters.files import write_text
from profgate.commands.inputs import add_sides, file, one_comparison, pipeline_input
from profgate.errors import ProfgateError
from profgate.model.comparison import Comparison
from profgate.model.policy import Policy
from profgate.report.folded_export import two_column_folded
from profgate.report.page import build_page
from profgate.report.page_columns import PageTree
from profgate.report.page_input import has_page, page_input
from profgate.report.svg import build_svg


def _texts(tree: PageTree) -> list[str]:
    """Name and file of each symbol as one text, the way stack collapsers write it."""
    return [name if file is None else f"{name} ({file})" for name, file in zip(tree.names, tree.files, strict=True)]


def _drawn(comparison: Comparison, output: str) -> str:
    """The picture in the format the file's name asks for."""
    if not has_page(comparison):
        raise ProfgateError(comparison.workload, "has no stacks to draw: its format knows functions alone")
    columns, header = page_input(comparison)
    if output.endswith(".html"):
        return build_page(columns, header)
    if output.endswith(".svg"):
        return build_svg(columns, header)
    if output.endswith(".folded"):
        return two_column_folded(columns, _texts(columns), header.exponent)[0]
    raise ProfgateError(output, "ends in none of .html, .svg and .folded; name the file after what it shall be")


def run(argv: Sequence[str]) -> int:
    """Writes the picture. Raises ProfgateError."""
    parser = argparse.ArgumentParser(prog="profgate flamegraph", description=__doc__)
    add_sides(parser, target="?")
    parser.add_argument(
        "-o", "--output", required=True, metavar="FILE", type=file, help="ends in .html, .svg or .folded"
    )
    parser.add_argument("--metric", help="which metric, where the profile has several")
    parser.add_argument("--workload", help="which workload, where a folder holds several")
    arguments = parser.parse_args(argv)
    given = pipeline_input(arguments.baseline, arguments.target, Policy(), difference=arguments.difference, alone=True)
    comparison = one_comparison(wiring.overlays(given), arguments.metric, arguments.workload)
    write_text(arguments.output, _drawn(comparison, arguments.output))
    return 0
