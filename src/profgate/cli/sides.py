"""The arguments and options of commands that read the profiles of two sides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

from profgate.cli.options import FILE, PROFILES, Decorator, bundled
from profgate.errors import ProfgateError, did_you_mean
from profgate.model.policy import Policy
from profgate.pipeline import two_sides

if TYPE_CHECKING:
    from profgate.model.comparison import Comparison
    from profgate.pipeline import PipelineInput


class GivenSides(NamedTuple):
    """The paths of two sides."""

    baseline: str
    target: str | None

    def read(self, policy: Policy | None = None, *, alone: bool = False) -> PipelineInput:
        """Read the input of a comparison, or of one profile if it is ``alone``. Raises ProfgateError if that fails."""
        if self.target is None and not alone:
            raise ProfgateError(self.baseline, "TARGET is missing; use two profiles")
        return two_sides(self.baseline, self.target or self.baseline, policy or Policy())


def chosen(comparisons: Sequence[Comparison], metric: str | None, workload: str | None) -> Comparison:
    """Return the comparison for a workload and a metric, by default the first metric.

    Raises ProfgateError with a list of the possible choices if there is no such comparison.
    """
    found = [each for each in comparisons if metric in (None, each.metric.name) and workload in (None, each.workload)]
    if len(found) == 1 or (found and len({each.workload for each in found}) == 1 and metric is None):
        return found[0]
    workloads = [each.workload for each in comparisons]
    metrics = [each.metric.name for each in comparisons]
    for what, name, known in (("workload", workload, workloads), ("metric", metric, metrics)):
        if name is not None and known and name not in known:
            raise ProfgateError("profiles", f"no {what} {name!r}; {did_you_mean(name, dict.fromkeys(known))}")
    choices = ", ".join(f"{each.workload}/{each.metric.name}" for each in comparisons) or "none"
    raise ProfgateError("profiles", f"choose with --workload and --metric from: {choices}")


sides_arguments: Decorator = bundled(
    "sides",
    GivenSides,
    click.argument("baseline", type=PROFILES),
    click.argument("target", type=PROFILES, required=False),
)
diff_option = click.option(
    "--diff", type=FILE, metavar="FILE", help="Unified diff of the sources, or - for standard input."
)
