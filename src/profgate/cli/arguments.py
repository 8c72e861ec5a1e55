"""Types of numbers for argparse, and commands behind ``--``."""

import argparse
import math
from collections.abc import Callable, Sequence


def whole_number(most: int) -> Callable[[str], int]:
    """A type for numbers from 1 on."""

    def parsed(text: str) -> int:
        if not (text.isascii() and text.isdigit() and 1 <= int(text) <= most):
            raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to {most:,}")
        return int(text)

    return parsed


def number_in(least: float, most: float) -> Callable[[str], float]:
    """A type for numbers between two bounds."""

    def parsed(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is no number from {least:,} to {most:,}")
        return value

    return parsed


def split_command(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """The arguments before the first ``--``, and the command behind it."""
    arguments = list(argv)
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return arguments[:end], arguments[end + 1 :]
