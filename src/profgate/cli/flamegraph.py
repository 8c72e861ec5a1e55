"""The ``profgate flamegraph`` command."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from profgate import pipeline
from profgate.cli.options import FILE, command, metric_option, workload_option
from profgate.cli.sides import GivenSides, chosen, diff_option, sides_arguments
from profgate.errors import ProfgateError
from profgate.flamegraph.page import build_page
from profgate.flamegraph.page_input import PageContext, alone, page_input
from profgate.flamegraph.page_runs import FEWEST_RUNS
from profgate.flamegraph.svg import build_svg
from profgate.io.files import write_text
from profgate.io.workers import started
from profgate.loading import load_diff
from profgate.model.record import replace
from profgate.pipeline import states_of

if TYPE_CHECKING:
    from profgate.flamegraph.page_columns import NamedTree, PageHeader
    from profgate.model.attribution import SourceDiff
    from profgate.model.comparison import Comparison


@command(
    "profgate flamegraph profile.folded -o profile.svg",
    "profgate flamegraph baseline/ target/ --workload api -o difference.html",
)
@sides_arguments
@click.option("-o", "--output", required=True, type=FILE, metavar="FILE", help="File to write: .html, .svg or .folded.")
@metric_option
@diff_option
@workload_option
@click.option("--normalize", is_flag=True, help="Scale the baseline to the target's total; .folded gets decimals.")
def flamegraph(
    sides: GivenSides,
    output: str,
    metric: str | None,
    diff: str | None,
    workload: str | None,
    *,
    normalize: bool,
) -> int:
    """Draw one profile, or the difference of two."""
    changes = None if diff is None else load_diff(diff)
    comparisons = pipeline.overlays(replace(sides.read(alone=True), diff=changes))
    tree, header = _tree(chosen(comparisons, metric, workload), sides, changes)
    text, repairs = _drawn(tree, header, output, normalize=normalize)
    if repairs:
        count = f"{repairs:,} names" if repairs > 1 else "1 name"
        sys.stderr.write(
            f"profgate: {count} contained characters that folded lines cannot contain; these characters were replaced\n"
        )
    write_text(output, text)
    return 0


def _tree(comparison: Comparison, sides: GivenSides, diff: SourceDiff | None) -> tuple[NamedTree, PageHeader]:
    """Return the tree of a comparison, and its header. Raises ProfgateError if it has no stacks."""
    if not comparison.drawable:
        raise ProfgateError(comparison.workload, "has no stacks to draw: its format contains no call paths")
    context = PageContext(diff=diff)
    if diff is not None:
        from profgate.source_parsing import changed_functions

        context = replace(context, states=states_of(comparison, diff, changed_functions(diff)))
    if len(comparison.run_totals) >= FEWEST_RUNS:
        from profgate.decide.detect.evidence import run_values

        context = replace(context, run_values=run_values(comparison))
    found = page_input(comparison, context)
    return found if sides.target is not None else alone(*found)


def _drawn(tree: NamedTree, header: PageHeader, output: str, *, normalize: bool) -> tuple[str, int]:
    """Return the flame graph in the format of the file name ``output``, and the number of names that had to change."""
    if output.endswith(".folded"):
        return _folded(tree, header, output, normalize=normalize)
    if normalize:
        header = replace(header, normalisation="total")
    if output.endswith(".svg"):
        return build_svg(tree, header), 0
    if not output.endswith(".html"):
        raise ProfgateError(
            output, "does not end in .html, .svg or .folded, which select the format; choose another name"
        )
    return build_page(tree, header, start=started), 0


def _folded(tree: NamedTree, header: PageHeader, output: str, *, normalize: bool) -> tuple[str, int]:
    from fractions import Fraction

    from profgate.flamegraph.folded_export import two_column_folded

    before, after = int(tree.tree.baseline_total[0]), int(tree.tree.target_total[0])
    ratio = None
    if normalize:
        if not before or not after:
            raise ProfgateError(output, "cannot be normalised, because one side is empty; omit --normalize")
        ratio = Fraction(after, before)
    files = tree.files or [None] * len(tree.names)  # files are appended to names, as stack collapsers do
    names = [name if file is None else f"{name} ({file})" for name, file in zip(tree.names, files, strict=True)]
    return two_column_folded(tree.tree, names, header.exponent, ratio)
