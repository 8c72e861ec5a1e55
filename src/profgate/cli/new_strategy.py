"""The package that ``profgate strategies new`` writes."""

import re
from pathlib import Path

from profgate import wiring
from profgate.errors import ProfgateError
from profgate.io.files import exists, write_text
from profgate.report.templates import render_template

NAME = re.compile(r"(?=.{1,60}$)[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
SHORT = re.compile(r"[a-z][a-z0-9]{0,59}")
FILES = {
    "pyproject.toml": "pyproject.toml",
    "README.md": "README.md",
    "src/{package}/__init__.py": "init.py",
    "src/{package}/strategy.py": "strategy.py",
    "tests/test_{name}.py": "test.py",
}


def write_package(name: str, short: str | None, folder: str) -> tuple[str, str]:
    """Write the package below the folder; return its path and the strategy's short name.

    Raises ProfgateError for a name that is invalid or taken, and for a path that exists.
    """
    short = _short_name(name, short)
    place = Path(folder, name)
    if exists(str(place)):
        raise ProfgateError(str(place), "exists already; choose another name or folder, or remove it")
    package = f"profgate_{name}"
    class_name = "".join(part.capitalize() for part in name.split("_"))
    for path, template in FILES.items():
        text = render_template(
            f"strategy/{template}.j2", name=name, short=short, package=package, class_name=class_name
        )
        write_text(str(place / path.format(name=name, package=package)), text)
    return str(place), short


def _short_name(name: str, given: str | None) -> str:
    if not NAME.fullmatch(name):
        what = "is not a valid name; use lower-case letters, digits and _, such as mean_shift"
        raise ProfgateError(f"NAME {name[:60]!r}", what)
    initials = "".join(part[0] for part in name.split("_"))
    short = given or (initials if len(initials) > 1 else name[:4])
    if not SHORT.fullmatch(short):
        what = "is not a valid short name; use lower-case letters and digits, such as ms"
        raise ProfgateError(f"--short {short[:60]!r}", what)
    for strategy in wiring.strategies():
        for value, what, fix in ((name, "NAME", "choose another"), (short, "--short", "give another with --short")):
            if value in (strategy.name, strategy.short):
                raise ProfgateError(f"{what} {value!r}", f"is taken by the strategy {strategy.name}; {fix}")
    return short
