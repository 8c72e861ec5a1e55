"""``profgate formats``: which formats are read, how each is recognised and recorded, and what proved its reader."""

import argparse
import inspect
import sys
from collections.abc import Sequence

from profgate import wiring
from profgate.readers.foreign import FOREIGN
from profgate.readers.reader import BuiltInReader, ProfileReader

UNPROVEN = "nothing yet: read by its documentation"


def run(argv: Sequence[str]) -> int:
    """Prints every reader, in the order in which they are asked, and then what is not read."""
    argparse.ArgumentParser(prog="profgate formats", description=__doc__.replace("`", "")).parse_args(argv)
    parts = [_described(reader) for reader in wiring.readers()]
    parts.append("Packed with gzip or zstandard and texts in UTF-16 are read as they are. Not read:\n")
    parts += [f"  {foreign.what}: {foreign.advice.format(name='FILE')}" for foreign in FOREIGN]
    sys.stdout.write("\n".join(parts) + "\n")
    return 0


def _described(reader: ProfileReader) -> str:
    text = " ".join(inspect.cleandoc(reader.__doc__ or "").replace("`", "").split())
    lines = [f"{reader.name}", f"  {text}"]
    if isinstance(reader, BuiltInReader):
        lines += [f"  known by: {reader.looks}", f"  record:   {reader.record}"]
        lines.append(f"  proven:   {reader.proven or UNPROVEN}")
    return "\n".join(lines) + "\n"
