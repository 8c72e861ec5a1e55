"""The commands profgate strategies and profgate formats, which describe what is built in."""

import inspect
import re
import sys
from pathlib import Path

import click

from profgate import loading
from profgate.cli.main import Commands
from profgate.cli.options import DIRECTORY, command
from profgate.errors import ProfgateError
from profgate.io.files import exists, write_text
from profgate.model.change import OptionSpec
from profgate.readers.foreign import FOREIGN
from profgate.readers.reader import BuiltInReader, ProfileReader
from profgate.report.assets import read_asset

UNPROVEN = "no recorded file; based on the documentation of the format"
NAME = re.compile(r"(?=.{1,60}$)[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
FILES = {
    "pyproject.toml": "pyproject.toml",
    "README.md": "README.md",
    "src/{package}/__init__.py": "init.py",
    "src/{package}/strategy.py": "strategy.py",
    "tests/test_{name}.py": "test.py",
}


@command("profgate formats")
def formats() -> int:
    """Describe how each supported format is detected, recorded and tested, and list the unsupported formats."""
    # the test files: their format, the tool that recorded them with its version, and their metrics with unit and kind
    recorded = [line.split("\t") for line in read_asset("formats/recorded.tsv").splitlines()]
    parts = [_described(reader, recorded) for reader in loading.readers()]
    parts.append(
        "Files compressed with gzip or zstandard and text in UTF-16 are read directly. Not supported:\
"
    )
    parts += [f"  {foreign.what}: {foreign.advice.format(name='FILE')}" for foreign in FOREIGN]
    sys.stdout.write("\n".join(parts) + "\n")
    return 0


def _described(reader: ProfileReader, recorded: list[list[str]]) -> str:
    text = " ".join(inspect.cleandoc(reader.__doc__ or "").replace("`", "").split())
    lines = [f"{reader.name}", f"  {text}"]
    if isinstance(reader, BuiltInReader):
        lines += [f"  detection: {reader.looks}", f"  record:    {reader.record}"]
        tests = [f"{tool}: {metrics}" for name, tool, metrics in recorded if name == reader.name] or [UNPROVEN]
        lines += [f"  tests:     {test}" for test in tests]
    return "\n".join(lines) + "\n"


@command(
    "profgate strategies",
    "profgate strategies new mean_shift",
    of=click.group,
    cls=Commands,
    invoke_without_command=True,
)
@click.pass_context
def strategies(context: click.Context) -> int:
    """Describe the detection strategies: results, data, options, and whether they can fail the gate."""
    if context.invoked_subcommand is None:
        for strategy in loading.strategies():
            text = inspect.cleandoc(type(strategy).__doc__ or "No description.")
            sys.stdout.write(f"{strategy.name} ({strategy.short}), family {strategy.family}\n")
            sys.stdout.write("".join(f"  {line}".rstrip() + "\n" for line in text.splitlines()))
            for option in strategy.options:
                sys.stdout.write(f"  option {option.name} = {option.default}{_bounds(option)}: {option.meaning}\n")
            sys.stdout.write("\n")
    return 0


@command("profgate strategies new mean_shift", of=strategies.command)
@click.argument("name")
@click.option("-o", "--output-dir", type=DIRECTORY, default=".", metavar="DIR", help="Folder for the package.")
def new(name: str, output_dir: str) -> int:
    """Create a package with a working strategy NAME and its test."""
    place, short = _write_package(name, output_dir)
    sys.stdout.write(
        f"Wrote the package {place} with the strategy {name} ({short}) and its test.\n"
        f"Install it beside profgate with 'pip install {place}'; 'profgate strategies' then lists it.\n"
    )
    return 0


def _bounds(spec: OptionSpec) -> str:
    """Return the valid values of an option in brackets, or an empty string if any value is valid."""
    if spec.choices:
        return f" (one of {', '.join(spec.choices)})"
    if spec.minimum is not None and spec.maximum is not None:
        return f" ({spec.minimum:g} to {spec.maximum:g})"
    bounds = [(spec.minimum, "at least"), (spec.maximum, "at most")]
    return next((f" ({what} {bound:g})" for bound, what in bounds if bound is not None), "")


def _write_package(name: str, folder: str) -> tuple[str, str]:
    """Write the package to a subfolder of the folder. Return its path and the short name of the strategy.

    Raises ProfgateError if the name is invalid or is used by another strategy, or if the path already exists.
    """
    from profgate.report.templates import render_template

    short = _short_name(name)
    place = Path(folder, name)
    if exists(str(place)):
        raise ProfgateError(str(place), "already exists; choose another name or folder, or remove it")
    package = f"profgate_{name}"
    class_name = "".join(part.capitalize() for part in name.split("_"))
    for path, template in FILES.items():
        text = render_template(
            f"strategy/{template}.j2", name=name, short=short, package=package, class_name=class_name
        )
        write_text(str(place / path.format(name=name, package=package)), text)
    return str(place), short


def _short_name(name: str) -> str:
    """Return the initials of a name, or the start of a name of one word."""
    if not NAME.fullmatch(name):
        what = "is not a valid name; use lower-case letters, digits and _, such as mean_shift"
        raise ProfgateError(f"NAME {name[:60]!r}", what)
    first, *others = name.split("_")
    short = "".join(part[0] for part in (first, *others)) if others else name[:4]
    for strategy in loading.strategies():
        if {name, short} & {strategy.name, strategy.short}:
            raise ProfgateError(
                f"NAME {name!r}", f"or {short!r} is taken by the strategy {strategy.name}; choose another"
            )
    return short
