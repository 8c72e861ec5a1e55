"""Align text in columns for the terminal."""

from collections.abc import Container, Sequence
from typing import Literal

from profgate.model.visible_text import columns_of, fitting

Tone = Literal["head", "bad", "warn", "good", "quiet", "text"]
Line = tuple[Tone, str]  # a line and its style, which the terminal maps to a colour


def aligned(rows: Sequence[Sequence[str]], width: int, *, name: int = 0, right: Container[int] = ()) -> list[str]:
    """Format rows as lines that fit into ``width`` terminal columns.

    If necessary, the texts in column ``name`` are shortened. The columns in ``right`` are right-aligned.
    """
    if not rows:
        return []
    sizes = [max(map(columns_of, column)) for column in zip(*rows, strict=True)]
    others = sum(sizes) - sizes[name] + 2 * (len(sizes) - 1)
    # minimum width of the name column, in terminal columns
    sizes[name] = max(min(sizes[name], width - others), 12)
    lines = []
    for row in rows:
        cells = []
        for column, (cell, size) in enumerate(zip(row, sizes, strict=True)):
            text = fitting(cell, size)
            gap = " " * (size - columns_of(text))
            cells.append(gap + text if column in right else text + gap)
        lines.append("  ".join(cells).rstrip())
    return lines
