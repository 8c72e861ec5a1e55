"""Files of one JSON object a line, as test runners write them while they go on."""

import json
from collections.abc import Iterator

from profgate.errors import ProfileError
from profgate.model.source import SourceFile
from profgate.readers.containers import read_all, unwrap
from profgate.readers.json_text import Json


def objects_of(source: SourceFile) -> Iterator[tuple[str, Json]]:
    """Each object with its place; lines that begin no object are what other programs printed. Raises ProfileError."""
    for number, line in enumerate(read_all(unwrap(source)).splitlines(), start=1):
        if not line.startswith(b"{"):
            continue
        where = f"{source.name}:{number}"
        try:
            content = json.loads(line.decode(errors="replace"))
        except (ValueError, RecursionError) as error:
            raise ProfileError(where, f"is no JSON ({error}); the file is cut off or damaged") from None
        if isinstance(content, dict):
            yield where, content
