"""Readings for tests, from folded stacks."""

from profgate.compare.columns import CompareOptions
from profgate.compare.readings import readings_of
from profgate.model.history import Column, Reading
from profgate.model.source import source_of
from profgate.readers.folded import FoldedReader


def reading(
    text: str, commit: str = "c1", name: str = "bench/1.folded", job: str = "", *, keep: bool = False
) -> Reading:
    """The reading of a folded profile, named by its file and bytes."""
    profile = FoldedReader().read(source_of(name, text.encode()))
    content = text.encode() if keep else None
    (made,) = readings_of(profile, CompareOptions(), commit, job, f"{name}:{text}", content)
    return made


def rows(column: Column) -> dict[str, tuple[int, int]]:
    """Self and total by name."""
    values = zip(column.symbols, column.own.tolist(), column.total.tolist(), strict=True)
    return {name: (own, total) for (name, _), own, total in values}
