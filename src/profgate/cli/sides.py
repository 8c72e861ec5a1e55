"""The arguments and options of commands that read the profiles of two sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, get_args

import click

from profgate.cli.options import DIRECTORY, FILE, PROFILES, Choice, Decorator, bundled
from profgate.errors import ProfgateError, did_you_mean
from profgate.loading import load_diff
from profgate.model.policy import EmbedSource, Policy
from profgate.pipeline import two_columns, two_sides

if TYPE_CHECKING:
    from profgate.model.attribution import SourceDiff
    from profgate.model.comparison import Comparison
    from profgate.pipeline import PipelineInput


class GivenSides(NamedTuple):
    """The paths of two sides, or of one folded file with two columns."""

    baseline: str
    target: str | None
    difference: bool

    def read(self, policy: Policy | None = None, *, alone: bool = False) -> PipelineInput:
        """Read the input of a comparison, or of one profile if it is ``alone``. Raises ProfgateError if that fails."""
        policy = policy or Policy()
        if self.difference:
            if self.target is not None:
                raise ProfgateError(
                    self.target, "cannot be used with --difference, which takes one folded file; omit TARGET"
                )
            return two_columns(self.baseline, policy)
        if self.target is None and not alone:
            raise ProfgateError(self.baseline, "TARGET is missing; use two profiles, or --difference")
        return two_sides(self.baseline, self.target or self.baseline, policy)


class Sources(NamedTuple):
    """The source changes, and the sources to embed in a page. A value is None if its option is not given."""

    diff: SourceDiff | None
    embed: EmbedSource | None

    def added_to(self, given: PipelineInput) -> PipelineInput:
        """Return the input of a comparison with these sources added."""
        policy = given.policy if self.embed is None else replace(given.policy, embed_source=self.embed)
        return replace(given, diff=self.diff, policy=policy)


def chosen(comparisons: Sequence[Comparison], metric: str | None, workload: str | None) -> Comparison:
    """Return the comparison for a workload and a metric, by default the first metric.

    Raises ProfgateError with a list of the possible choices if there is no such comparison.
    """
    found = [each for each in comparisons if metric in (None, each.metric.name) and workload in (None, each.workload)]
    if len(found) == 1 or (found and len({each.workload for each in found}) == 1 and metric is None):
        return found[0]
    for what, name, known in (
        ("workload", workload, [each.workload for each in comparisons]),
        ("metric", metric, [each.metric.name for each in comparisons]),
    ):
        if name is not None and known and name not in known:
            raise ProfgateError("profiles", f"no {what} {name!r}; {did_you_mean(name, dict.fromkeys(known))}")
    choices = ", ".join(f"{each.workload}/{each.metric.name}" for each in comparisons) or "none"
    raise ProfgateError("profiles", f"choose with --workload and --metric from: {choices}")


def _sources(
    diff: str | None, baseline_source: str | None, target_source: str | None, embed_source: EmbedSource | None
) -> Sources:
    if embed_source and None in (baseline_source, target_source):
        raise ProfgateError(
            "--embed-source", "needs the sources of both sides; add --baseline-source and --target-source"
        )
    return Sources(load_diff(diff, baseline_source, target_source), embed_source)


sides_arguments: Decorator = bundled(
    "sides",
    GivenSides,
    click.argument("baseline", type=PROFILES),
    click.argument("target", type=PROFILES, required=False),
    click.option("--difference", is_flag=True, help="BASELINE is one folded file with two columns."),
)
sources_options: Decorator = bundled(
    "sources",
    _sources,
    click.option("--diff", type=FILE, metavar="FILE", help="Unified diff of the sources, or - for standard input."),
    click.option(
        "--baseline-source",
        type=DIRECTORY,
        metavar="DIR",
        help="Folder with the sources of BASELINE, instead of --diff.",
    ),
    click.option(
        "--target-source", type=DIRECTORY, metavar="DIR", help="Folder with the sources of TARGET, instead of --diff."
    ),
    click.option(
        "--embed-source",
        type=Choice(get_args(EmbedSource)),
        help="Functions whose sources the pages show.",
    ),
)
