"""Parses the changed sources, which are untrusted, in a child process with limits on memory and time.

The parser of a language may need memory that grows with the square of the size of the source.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import cache
from typing import TYPE_CHECKING

from profgate.attribution.fingerprints import ParsedSource, SourceFunction, parsed_source
from profgate.io.limited_process import LimitedProcess, serve
from profgate.model.record import to_builtins

if TYPE_CHECKING:
    from profgate.attribution.function_changes import FunctionChanges
    from profgate.model.attribution import SourceDiff


def changed_functions(diff: SourceDiff) -> FunctionChanges:
    """Find the state of every function in the changed files whose texts are known, as `function_changes` does.

    A file is not parsed if its parser reaches a limit.
    """
    with parsing(diff) as changes:
        return changes()


@contextmanager
def parsing(diff: SourceDiff) -> Iterator[Callable[[], FunctionChanges]]:
    """Start the child, and yield a function that returns the result of `changed_functions` and ends the child."""
    from profgate.attribution.function_changes import function_changes, known_texts  # the child does not need it

    sources = [(file.path, text) for file, texts in known_texts(diff) for text in texts or ()]
    requests = [json.dumps(source).encode() for source in sources]
    with closing(LimitedProcess("profgate.source_parsing", requests)) as process:

        @cache
        def changes() -> FunctionChanges:
            parsed = dict(zip(sources, map(_from_json, process.responses()), strict=True))
            return function_changes(diff, lambda *source: parsed[source])

        if requests:
            process.start()
        yield changes


def _response(request: bytes) -> bytes:
    found = parsed_source(*json.loads(request))
    return json.dumps(None if found is None else to_builtins(found), default=list, separators=(",", ":")).encode()


def _from_json(response: bytes | None) -> ParsedSource | None:
    """Return the parsed source in a response, or None if the file was not parsed or the response is damaged."""
    try:
        found = json.loads(response or b"null")
        if found is None:
            return None
        functions = [
            SourceFunction(**{**one, "parts": tuple(one["parts"]), "calls": frozenset(one["calls"])})
            for one in found["functions"]
        ]
        return ParsedSource(tuple(functions), str(found["exact"]))
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


if __name__ == "__main__":
    serve(_response)
