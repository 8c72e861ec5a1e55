"""The commands profgate strategies and profgate formats, which describe what is built in."""

import inspect
import sys

from profgate import loading
from profgate.cli.options import command
from profgate.model.change import OptionSpec
from profgate.readers.foreign import FOREIGN
from profgate.readers.reader import BuiltInReader, ProfileReader
from profgate.report.assets import read_asset

UNPROVEN = "no recorded file; based on the documentation of the format"


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


@command("profgate strategies")
def strategies() -> int:
    """Describe the detection strategies: results, data, options, and whether they can fail the gate."""
    for strategy in loading.strategies():
        text = inspect.cleandoc(type(strategy).__doc__ or "No description.")
        sys.stdout.write(f"{strategy.name} ({strategy.short}), family {strategy.family}\n")
        sys.stdout.write("".join(f"  {line}".rstrip() + "\n" for line in text.splitlines()))
        for option in strategy.options:
            sys.stdout.write(f"  option {option.name} = {option.default}{_bounds(option)}: {option.meaning}\n")
        sys.stdout.write("\n")
    return 0


def _bounds(spec: OptionSpec) -> str:
    """Return the valid values of an option in brackets, or an empty string if any value is valid."""
    if spec.choices:
        return f" (one of {', '.join(spec.choices)})"
    if spec.minimum is not None and spec.maximum is not None:
        return f" ({spec.minimum:g} to {spec.maximum:g})"
    bounds = [(spec.minimum, "at least"), (spec.maximum, "at most")]
    return next((f" ({what} {bound:g})" for bound, what in bounds if bound is not None), "")
