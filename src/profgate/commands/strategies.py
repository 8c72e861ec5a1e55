"""``profgate strategies``: what each strategy finds, on which data, how sure it is and when it fails."""

import argparse
import inspect
import sys
from collections.abc import Sequence

from profgate import wiring


def run(argv: Sequence[str]) -> int:
    """Prints every strategy's own docstring and its options."""
    argparse.ArgumentParser(prog="profgate strategies", description=__doc__).parse_args(argv)
    for strategy in wiring.strategies():
        text = inspect.cleandoc(type(strategy).__doc__ or "")
        sys.stdout.write(f"{strategy.name} ({strategy.short}), family {strategy.family}\n")
        sys.stdout.write("".join(f"  {line}\n" for line in text.splitlines()))
        for option in strategy.options:
            sys.stdout.write(f"  option {option.name} = {option.default}: {option.meaning}\n")
        sys.stdout.write("\n")
    return 0
