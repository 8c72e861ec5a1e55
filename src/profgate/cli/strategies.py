"""``profgate strategies``."""

import inspect
import sys

import click

from profgate import wiring
from profgate.cli.main import Commands
from profgate.cli.options import DIRECTORY, command
from profgate.model.change import OptionSpec


@command(
    "profgate strategies",
    "profgate strategies new mean_shift",
    of=click.group,
    cls=Commands,
    invoke_without_command=True,
)
@click.pass_context
def strategies(context: click.Context) -> int:
    """Describe the detection strategies: what each finds, in which data, with which options, and when it can fail."""
    if context.invoked_subcommand is None:
        for strategy in wiring.strategies():
            text = inspect.cleandoc(type(strategy).__doc__ or "No description.")
            sys.stdout.write(f"{strategy.name} ({strategy.short}), family {strategy.family}\n")
            sys.stdout.write("".join(f"  {line}".rstrip() + "\n" for line in text.splitlines()))
            for option in strategy.options:
                sys.stdout.write(f"  option {option.name} = {option.default}{_bounds(option)}: {option.meaning}\n")
            sys.stdout.write("\n")
    return 0


@command(
    "profgate strategies new mean_shift",
    "profgate strategies new mean_shift --short ms -o plugins",
    of=strategies.command,
)
@click.argument("name")
@click.option("--short", metavar="NAME", help="Short name (default: the initials).")
@click.option("-o", "--output-dir", type=DIRECTORY, default=".", metavar="DIR", help="Folder for the package.")
def new(name: str, short: str | None, output_dir: str) -> int:
    """Write a package with a working strategy NAME and its test."""
    from profgate.cli.new_strategy import write_package

    place, short = write_package(name, short, output_dir)
    sys.stdout.write(
        f"Wrote the package {place} with the strategy {name} ({short}) and its test.\n"
        f"Install it beside profgate with 'pip install {place}'; 'profgate strategies' then lists it.\n"
    )
    return 0


def _bounds(spec: OptionSpec) -> str:
    """The values that an option takes, in brackets; empty where there is no bound."""
    if spec.choices:
        return f" (one of {', '.join(spec.choices)})"
    if spec.minimum is not None and spec.maximum is not None:
        return f" ({spec.minimum:g} to {spec.maximum:g})"
    bounds = [(spec.minimum, "at least"), (spec.maximum, "at most")]
    return next((f" ({what} {bound:g})" for bound, what in bounds if bound is not None), "")
