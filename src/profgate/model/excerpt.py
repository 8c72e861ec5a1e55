"""What a report quotes from call trees and sources, so that its findings can be explained without them."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Frame:
    """A function in a call path, with the mean total cost of this path per run on both sides, in the base unit."""

    name: str
    file: str | None = None
    line: int | None = None
    from_value: float = 0.0
    to_value: float = 0.0


@dataclass(frozen=True, slots=True)
class Hunk:
    """A part of the source change of a function, with the file on each side.

    Each line begins with its numbers on both sides and the sign of a unified diff. ``omitted`` counts further lines.
    """

    name: str = field(compare=False)  # functions whose sources are unknown share the parts of the diff
    file_from: str | None = None
    file_to: str | None = None
    lines: tuple[str, ...] = ()
    omitted: int = 0


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What explains the change of one function, or of the total if ``key`` is empty.

    ``key`` identifies the function (`report.rows.finding_key`). ``path_from`` and ``path_to`` are the most expensive
    call paths through it in the baseline and in the target, root first. ``callers`` are its costs by direct caller, and
    ``hunks`` the source changes of the function and of the changed functions that are nearest to it.
    """

    key: str = ""
    path_from: tuple[Frame, ...] = ()
    path_to: tuple[Frame, ...] = ()
    callers: tuple[Frame, ...] = ()
    hunks: tuple[Hunk, ...] = ()
