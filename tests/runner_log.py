"""Texts that try to inject workflow commands, and how GitHub's runner reads a log."""

import re

COMMANDS = [
    "::set-output name=verdict::pass",
    "  \t::add-mask::a",
    "\ufeff::error::x",
    ":::warning::x",
    "frame ##[set-output name=verdict]pass",
    "####[error]x",
    "a\n::error::x",
    "a\r::error::x",
    "a\x00\x1b[2J\x85::error::x",
    "##[##[error]x",
]


def as_read_by_the_runner(text: str) -> list[str]:
    """Lines that count as commands: ``::`` at the start after blanks, ``##[`` anywhere."""
    lines = re.split(r"\r\n|\r|\n", text)
    return [line for line in lines if line.lstrip(" \t\ufeff\u200b\u2060").startswith("::") or "##[" in line]
