"""Measures two commits of a repository in turns, each with its own checkout, environment and build output."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from profgate import loading
from profgate.attribution.unified_diff import parse_diff
from profgate.io.files import scratch_folder
from profgate.io.worktrees import source_patch, tracked_files
from profgate.measuring.decision import Decision, decided
from profgate.measuring.sides import isolated_sides
from profgate.measuring.turns import Turns
from profgate.model.measurement import Suspect
from profgate.pipeline import PipelineInput


@dataclass(frozen=True, slots=True)
class MeasuringLimits:
    """How both sides are prepared and for how long they are measured, in seconds."""

    setup: str | None
    budget: float
    timeout: float


def decided_between(
    baseline: str,
    target: str | None,
    program: Sequence[str],
    extent: MeasuringLimits,
    given: PipelineInput,
    listed: Sequence[Suspect] | None = None,
    *,
    widen: bool = False,
) -> Decision:
    """Check out and set up both commits, or the working tree as the target, and decide as `decided` does.

    ``program`` runs in the checkout of each side. Raises ProfgateError if a step fails or both sides ran the same code.
    """
    with ExitStack() as stack:
        scratch = stack.enter_context(scratch_folder())
        turns = Turns(program, {}, extent.budget, extent.timeout)
        sides = isolated_sides(
            baseline, target, scratch, setup=extent.setup, timeout=extent.timeout, between=turns.note_foreign_code
        )
        turns.sides = stack.enter_context(sides)
        commits = [baseline] if target is None else [baseline, target]
        patch = source_patch(".", *commits)
        diff = replace(loading.with_texts(parse_diff(patch, "git diff")), repository_files=tracked_files("."))
        return decided(turns, replace(given, diff=diff), listed, widen=widen)
