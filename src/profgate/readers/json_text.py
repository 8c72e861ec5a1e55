"""Helpers for JSON profiles: detection by keys, decoding with exact numbers, and validation.

The functions raise ProfileError with location ``where`` if a value is not what its format requires.
"""

import json
import re
from collections.abc import Iterator, Sequence
from decimal import Context, Decimal, InvalidOperation
from typing import TypeGuard

from profgate.errors import ProfileError
from profgate.model.source import HEAD_SIZE, SourceFile
from profgate.readers.containers import read_all, unwrap
from profgate.readers.quantities import MAX_TOTAL, NOT_READ

_NUMBERS = (int, Decimal)
# with more digits or larger exponents, a file could contain many numbers with the same hash, which make sets slow
_DECIMAL = Context(prec=19, Emin=-400, Emax=400, traps=[InvalidOperation])

# a string, or what C's printf and old versions of Google Benchmark write where a number is expected
_NO_NUMBER = re.compile(r'"(?:[^"\\]|\\.)*+"?|[-+]?(?i:nan|inf(?:inity)?)\b(?:\(\w*\))?|-?(?<![\d.])\d[\d.]*+%')

Json = dict[str, object]


def decode(data: bytes, where: str) -> object:
    """Decode and return a JSON document, with fractions as Decimal of at most 19 digits.

    NaN and infinity are decoded as floats, also in the spelling of C. Raises ProfileError with ``where`` and the
    position if the JSON is invalid.
    """
    text = data.decode(errors="replace")
    try:
        try:
            return json.loads(text, parse_float=_DECIMAL.create_decimal)
        except json.JSONDecodeError:
            text = _NO_NUMBER.sub(lambda match: match[0] if match[0][0] == '"' else "NaN", text)
            return json.loads(text, parse_float=_DECIMAL.create_decimal)
    except json.JSONDecodeError as error:
        raise ProfileError(
            f"{where}: line {error.lineno}, column {error.colno}", f"{error.msg}; the file is cut off or damaged"
        ) from None
    except RecursionError:
        raise ProfileError(where, "nested too deeply to be read; record with a limited depth") from None
    except (ValueError, ArithmeticError) as error:
        raise ProfileError(where, f"a number cannot be read ({error}); the file is damaged") from None


def document_of(source: SourceFile) -> Json:
    """Return the JSON object in a file."""
    return mapping(decode(read_all(unwrap(source)), source.name), source.name, "the document")


def objects_by_line(source: SourceFile) -> Iterator[tuple[str, Json]]:
    """Yield the position and the JSON object of each line that starts with ``{``. Other lines are skipped."""
    decoded = json.JSONDecoder().decode
    for number, line in enumerate(read_all(unwrap(source)).splitlines(), start=1):
        if not line.startswith(b"{"):
            continue
        where = f"{source.name}:{number}"
        try:
            content = decoded(line.decode(errors="replace"))
        except (ValueError, RecursionError) as error:
            raise ProfileError(where, f"is not JSON ({error}); the file is cut off or damaged") from None
        if isinstance(content, dict):
            yield where, content


def mapping(value: object, where: str, what: str) -> Json:
    """Return ``value`` as a JSON object."""
    if not isinstance(value, dict):
        raise wrong(where, f"{what} is not a JSON object")
    return value


def listing(value: object, where: str, what: str) -> list[object]:
    """Return ``value`` as a list."""
    if not isinstance(value, list):
        raise wrong(where, f"{what} is not a JSON array")
    return value


def refuse_newer(version: object, newest: int, where: str) -> None:
    """Raise ProfileError if the version of a format is newer than ``newest``, the last one that is known.

    A reader calls it first, because a newer version may have other columns or other meanings. Of a version such as
    "1.0", the first number counts.
    """
    first = str(version).partition(".")[0]
    if first.isdecimal() and int(first[:9]) > newest:
        what = f"has version {str(version)[:20]} of this format, of which versions up to {newest} are read"
        raise ProfileError(where, f"{what}; update profgate, or write an earlier version")


def wrong(where: str, what: str) -> ProfileError:
    """Return the error for a document that does not match its format."""
    return ProfileError(where, f"{what}; {NOT_READ}")


def numbered_objects(values: object, where: str, key: str, item: str) -> Iterator[tuple[str, Json]]:
    """Yield the position, such as ``where: node 3``, and content of each object in an array, named ``key``."""
    for number, value in enumerate(listing(values, where, key)):
        place = f"{where}: {item} {number}"
        yield place, mapping(value, place, "it")


def is_number(value: object, least: int = -MAX_TOTAL, most: int = MAX_TOTAL) -> TypeGuard[int | Decimal]:
    """Return whether the value is a number from ``least`` to ``most``."""
    return isinstance(value, _NUMBERS) and value is not True and value is not False and least <= value <= most


def is_integer(value: object, least: int = 0, most: int = MAX_TOTAL) -> TypeGuard[int]:
    """Return whether the value is an integer from ``least`` to ``most``."""
    return type(value) is int and least <= value <= most


def number(value: object, where: str, what: str, least: int = -MAX_TOTAL, most: int = MAX_TOTAL) -> int | Decimal:
    """Return ``value`` as a number from ``least`` to ``most``."""
    if not is_number(value, least, most):
        raise wrong(where, f"has {str(value)[:40]!r} for {what}")
    return value


def weights_of(values: Sequence[object], count: int, where: str) -> Sequence[int | Decimal]:
    """Return the weights of ``count`` samples."""
    if len(values) != count:
        raise wrong(where, f"has {count} samples and {len(values)} weights")
    if set(map(type, values)) - {int, Decimal}:
        raise wrong(where, "has a weight that is not a number")
    weights: Sequence[int | Decimal] = values  # type: ignore[assignment]
    if min(weights, default=0) < 0:
        raise wrong(where, "has a negative weight, as in a difference of two profiles")
    if max(weights, default=0) > MAX_TOTAL:
        raise wrong(where, "has a weight beyond 2^63")
    return weights


def begins_object(source: SourceFile) -> bool:
    """Return whether the first non-blank character opens a JSON object."""
    return source.head.lstrip(b" \t\r\n").startswith(b"{")


def ends_hold(source: SourceFile, *texts: bytes) -> bool:
    """Return whether each string occurs in the first or last 64 KiB of the file, where profilers write metadata."""
    if all(text in source.head for text in texts):
        return True
    if source.size <= len(source.head):
        return False
    with source.open(max(0, source.size - HEAD_SIZE), None) as stream:
        tail = stream.read()
    return all(text in source.head or text in tail for text in texts)
