"""``profgate formats``: which profile formats are read and what each reader delivers."""

import argparse
import inspect
import sys
from collections.abc import Sequence

from profgate import wiring


def run(argv: Sequence[str]) -> int:
    """Prints every reader, in the order in which they are asked."""
    argparse.ArgumentParser(prog="profgate formats", description=__doc__.replace("`", "")).parse_args(argv)
    for reader in wiring.readers():
        text = " ".join(inspect.cleandoc(type(reader).__doc__ or "").replace("`", "").split())
        sys.stdout.write(f"{reader.name:<13} {text}\n")
    return 0
