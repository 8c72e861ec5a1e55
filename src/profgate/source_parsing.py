"""Parses the changed sources, which are untrusted, in a child process with limits on memory and time.

The parser of a language may need memory that grows with the square of the size of the source.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING

from profgate.attribution.fingerprints import ParsedSource, SourceFunction, parsed_source
from profgate.attribution.grammars import language_of
from profgate.io.limited_process import LimitedProcess, serve

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
    from profgate.attribution.function_changes import function_changes  # the child does not need it

    with LimitedProcess("profgate.source_parsing") as process:

        def parse(path: str, text: str) -> ParsedSource | None:
            response = process.response(json.dumps((path, text)).encode())
            return None if response is None else _from_json(response)

        @cache
        def changes() -> FunctionChanges:
            found = function_changes(diff, parse)
            process.end()
            return found

        if diff.texts is not None and any(language_of(file.path) for file in diff.files):
            process.start()
        yield changes


def _response(request: bytes) -> bytes:
    found = parsed_source(*json.loads(request))
    return json.dumps(None if found is None else asdict(found), default=list, separators=(",", ":")).encode()


def _from_json(response: bytes) -> ParsedSource | None:
    """Return the parsed source in a response, or None if the file was not parsed or the response is damaged."""
    try:
        found = json.loads(response)
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
