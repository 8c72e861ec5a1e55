"""``profgate strategies new NAME``: a small package of its own with a working strategy and its test."""

import argparse
import os
import re
import sys
from collections.abc import Iterable, Sequence

from profgate import wiring
from profgate.cli.sides_options import folder
from profgate.detect.strategy import Strategy
from profgate.errors import ProfgateError
from profgate.io.files import exists, write_text
from profgate.report.templates import render_template

NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
SHORT = re.compile(r"[a-z][a-z0-9]*")
LONGEST = 60
FILES = {
    "pyproject.toml": "pyproject.toml",
    "README.md": "README.md",
    "src/{package}/__init__.py": "init.py",
    "src/{package}/strategy.py": "strategy.py",
    "tests/test_{name}.py": "test.py",
}


def skeleton(name: str, short: str) -> dict[str, str]:
    """Path and text of each file of the package; paths use forward slashes."""
    package = f"profgate_{name}"
    class_name = "".join(part.capitalize() for part in name.split("_"))
    return {
        path.format(name=name, package=package): render_template(
            f"strategy/{template}.j2", name=name, short=short, package=package, class_name=class_name
        )
        for path, template in FILES.items()
    }


def _checked(name: str, given: str | None, known: Iterable[Strategy]) -> str:
    """The short name of a strategy that may be called so. Raises ProfgateError."""
    if not NAME.fullmatch(name) or len(name) > LONGEST:
        raise ProfgateError(
            f"NAME {name[:LONGEST]!r}", "is no name for a strategy; write small letters, digits and _, like mean_shift"
        )
    initials = "".join(part[0] for part in name.split("_"))
    short = given or (initials if len(initials) > 1 else name[:4])
    if not SHORT.fullmatch(short) or len(short) > LONGEST:
        raise ProfgateError(f"--short {short[:LONGEST]!r}", "is no short name; write small letters and digits, like ms")
    for strategy in known:
        for word, what, other in ((name, "NAME", "choose another"), (short, "--short", "give another with --short")):
            if word in (strategy.name, strategy.short):
                raise ProfgateError(f"{what} {word!r}", f"is taken by the strategy {strategy.name}; {other}")
    return short


def run(argv: Sequence[str]) -> int:
    """Writes the package below the given folder. Raises ProfgateError for a bad name and a target that exists."""
    parser = argparse.ArgumentParser(prog="profgate strategies new", description=__doc__.replace("`", ""))
    parser.add_argument("name", metavar="NAME", help="its full name, like mean_shift")
    parser.add_argument("--short", metavar="WORD", help="its short name (default: the initials)")
    parser.add_argument(
        "--output-dir", "-o", metavar="DIR", type=folder, default=".", help="where to write the package"
    )
    arguments = parser.parse_args(argv)
    short = _checked(arguments.name, arguments.short, wiring.strategies())
    place = os.path.join(arguments.output_dir or "", arguments.name)  # noqa: PTH118 - doors pass plain paths
    if exists(place):
        raise ProfgateError(place, "exists already; choose another name or folder, or remove it")
    for path, text in skeleton(arguments.name, short).items():
        write_text(os.path.join(place, *path.split("/")), text)  # noqa: PTH118 - doors pass plain paths
    sys.stdout.write(
        f"Wrote the package {place} with the strategy {arguments.name} ({short}) and its test.\n"
        "Install it beside profgate with 'pip install' and this folder; 'profgate strategies' then lists it.\n"
    )
    return 0
