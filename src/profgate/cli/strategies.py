"""``profgate strategies``: what each strategy finds, on which data, how sure it is and when it fails."""

import argparse
import inspect
import sys
from collections.abc import Sequence

from profgate import wiring
from profgate.model.change import OptionSpec


def _bounds(spec: OptionSpec) -> str:
    """The values an option takes, in words; empty where there is no bound."""
    if spec.choices:
        return f" (one of {', '.join(spec.choices)})"
    if spec.minimum is not None and spec.maximum is not None:
        return f" ({spec.minimum:g} to {spec.maximum:g})"
    if spec.minimum is not None:
        return f" (at least {spec.minimum:g})"
    return "" if spec.maximum is None else f" (at most {spec.maximum:g})"


def run(argv: Sequence[str]) -> int:
    """Prints every strategy's own docstring and its options, or writes a new one. Raises ProfgateError."""
    if argv[:1] == ["new"]:
        from profgate.cli import new_strategy

        return new_strategy.run(argv[1:])
    argparse.ArgumentParser(
        prog="profgate strategies",
        description=__doc__.replace("`", ""),
        epilog="'profgate strategies new NAME' writes one of your own.",
    ).parse_args(argv)
    for strategy in wiring.strategies():
        text = inspect.cleandoc(type(strategy).__doc__ or "It does not say what it finds.")
        sys.stdout.write(f"{strategy.name} ({strategy.short}), family {strategy.family}\n")
        sys.stdout.write("".join(f"  {line}".rstrip() + "\n" for line in text.splitlines()))
        for option in strategy.options:
            sys.stdout.write(f"  option {option.name} = {option.default}{_bounds(option)}: {option.meaning}\n")
        sys.stdout.write("\n")
    return 0
