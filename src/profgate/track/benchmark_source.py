"""The source of one benchmark inside its file, to know whether the benchmark itself changed."""

import hashlib
from collections.abc import Sequence

from profgate.attribution.fingerprints import SourceFunction, parsed_source


def benchmark_source(path: str, line: int | None, text: str) -> bytes:
    """A digest of the function or class that stands at this line (counted from 1), with its decorators and all in it.

    Layout, comments and the rest of the file do not count. Where the line is not known, or nothing stands there, the
    whole file is the benchmark. Plain text is taken where the language has no grammar or the parser met an error.
    """
    parsed = parsed_source(path, text)
    if parsed is None:
        return _digest([text.encode("utf-8", "surrogatepass")])
    own = None if line is None else _at(parsed.functions, line)
    inside = [
        function
        for function in parsed.functions
        if own is None or (own.first <= function.first and function.last <= own.last)
    ]
    if any(function.broken for function in inside):
        lines = text.split("\n")[slice(None) if own is None else slice(own.first - 1, own.last)]
        return _digest([line.encode("utf-8", "surrogatepass") for line in lines])
    imports = sorted(name.encode("utf-8", "surrogatepass") for name, _ in parsed.imports) if own is None else []
    return _digest([*imports, *(function.fingerprint for function in inside)])


def _at(functions: Sequence[SourceFunction], line: int) -> SourceFunction | None:
    """The largest that begins at the line, else the innermost with a name around it, else the innermost.

    An anonymous function on a single line is part of what somebody wrote there.
    """
    around = [
        function for function in functions if function.kind != "module" and function.first <= line <= function.last
    ]
    opening = [found for found in around if line <= found.opens and (found.kind != "anonymous" or _size(found))]
    if opening:
        return max(opening, key=_size)
    return min(around, key=lambda function: (function.kind == "anonymous", _size(function)), default=None)


def _size(function: SourceFunction) -> int:
    return function.last - function.first


def _digest(parts: Sequence[bytes]) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(b"%d:%b" % (len(part), part))
    return digest.digest()
