"""The ``profgate formats`` command."""

import inspect
import sys

from profgate import loading
from profgate.cli.options import command
from profgate.readers.foreign import FOREIGN
from profgate.readers.reader import BuiltInReader, ProfileReader

UNPROVEN = "no recorded file; based on the documentation of the format"


@command("profgate formats")
def formats() -> int:
    """Describe how each supported format is detected, recorded and tested, and list the unsupported formats."""
    parts = [_described(reader) for reader in loading.readers()]
    parts.append(
        "Files compressed with gzip or zstandard and text in UTF-16 are read directly. Not supported:\
"
    )
    parts += [f"  {foreign.what}: {foreign.advice.format(name='FILE')}" for foreign in FOREIGN]
    sys.stdout.write("\n".join(parts) + "\n")
    return 0


def _described(reader: ProfileReader) -> str:
    text = " ".join(inspect.cleandoc(reader.__doc__ or "").replace("`", "").split())
    lines = [f"{reader.name}", f"  {text}"]
    if isinstance(reader, BuiltInReader):
        lines += [f"  detection: {reader.looks}", f"  record:    {reader.record}"]
        lines.append(f"  tests:     {reader.proven or UNPROVEN}")
    return "\n".join(lines) + "\n"
