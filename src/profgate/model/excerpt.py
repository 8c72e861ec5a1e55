"""What a report quotes from call trees and sources, so that its findings can be explained without them."""

from profgate.model.bounded import Count
from profgate.model.change import Location
from profgate.model.record import Record


class Frame(Record):
    """A function in a call path, with the mean total cost of this path per run on both sides, in the base unit."""

    name: str
    file: str | None = None
    line: int | None = None
    from_value: float = 0.0
    to_value: float = 0.0


class LineCost(Record):
    """The mean cost per run of a source line, with everything it calls, in the base unit.

    ``before`` and ``after`` are its numbers. On a side without the line, the number is None. The costs are None if the
    profiles contain no lines. ``text`` is None if the source is unknown or may not be shown.
    """

    before: Count | None
    after: Count | None
    from_value: float | None
    to_value: float | None
    text: str | None = None


class Place(Record):
    """Where a finding happened: the call path with most of its change, and the lines that changed most.

    ``path`` begins with the outermost function and ends with the location. It leaves out functions that cost nearly as
    much as their caller, and is empty if no call path has half of the change. ``lines`` are in the order of the source.
    """

    location: Location
    path: tuple[Frame, ...] = ()
    lines: tuple[LineCost, ...] = ()


class Hunk(Record):
    """A part of the source change of a function, with the file on each side.

    Each line begins with its numbers on both sides and the sign of a unified diff. ``omitted`` counts further lines.
    """

    name: str
    file_from: str | None = None
    file_to: str | None = None
    lines: tuple[str, ...] = ()
    omitted: int = 0


class Excerpt(Record):
    """What explains the change of one function, or of the total if ``key`` is empty.

    ``key`` identifies the function (`report.rows.finding_key`). ``callers`` are its costs by direct caller, and
    ``hunks`` the source changes of the function and of the changed functions whose own costs changed most.
    """

    key: str = ""
    callers: tuple[Frame, ...] = ()
    hunks: tuple[Hunk, ...] = ()
