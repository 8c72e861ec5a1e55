"""What one benchmark is inside its file, to tell whether the benchmark itself changed."""

import hashlib
from collections.abc import Sequence

from profgate.attribute.fingerprints import SourceFunction, parsed_source


def benchmark_source(path: str, line: int | None, text: str) -> bytes:
    """A digest of the function or class that stands at this line (counted from 1), with its decorators and all in it.

    Layout, comments and the rest of the file do not count. Where the line is not known, or nothing stands there, the
    whole file is the benchmark. Plain text is taken where the language has no grammar or the parser met an error.
    """
    parsed = parsed_source(path, text)
    if parsed is None:
        return _digest([text.encode("utf-8", "surrogatepass")])
    own = None if line is None else _at(parsed.functions, line)
    inside = [one for one in parsed.functions if own is None or (own.first <= one.first and one.last <= own.last)]
    if any(one.broken for one in inside):
        lines = text.split("\n")[slice(None) if own is None else slice(own.first - 1, own.last)]
        return _digest([line.encode("utf-8", "surrogatepass") for line in lines])
    imports = sorted(name.encode("utf-8", "surrogatepass") for name, _ in parsed.imports) if own is None else []
    return _digest([*imports, *(one.fingerprint for one in inside)])


def _at(functions: Sequence[SourceFunction], line: int) -> SourceFunction | None:
    """The largest that begins at the line, else the innermost with a name around it, else the innermost.

    An anonymous function on a single line is part of what somebody wrote there.
    """
    around = [one for one in functions if one.kind != "module" and one.first <= line <= one.last]
    opening = [one for one in around if line <= one.opens and (one.kind != "anonymous" or _size(one))]
    if opening:
        return max(opening, key=_size)
    return min(around, key=lambda one: (one.kind == "anonymous", _size(one)), default=None)


def _size(function: SourceFunction) -> int:
    return function.last - function.first


def _digest(parts: Sequence[bytes]) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(b"%d:%b" % (len(part), part))
    return digest.digest()
