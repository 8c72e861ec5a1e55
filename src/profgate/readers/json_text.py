"""JSON documents of profilers: recognised by their keys, decoded with exact numbers, checked while they are read."""

import json
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import TypeGuard

from profgate.errors import ProfileError
from profgate.model.source import HEAD_SIZE, SourceFile
from profgate.readers.containers import read_all, unwrap
from profgate.readers.quantities import MAX_TOTAL

_NUMBERS = (int, Decimal)
_SPACE = b" \t\r\n"

Json = dict[str, object]


def decode(data: bytes, where: str, missing: float | None = None) -> object:
    """The document, its fractions as Decimal. Raises ProfileError, about ``where`` and the place, for other texts.

    ``missing`` is what NaN means; without it, it is no JSON, as infinite numbers never are.
    """

    def constant(text: str) -> object:
        if text == "NaN" and missing is not None:
            return missing
        raise ValueError(f"{text} is no JSON number")

    try:
        return json.loads(data.decode(errors="replace"), parse_float=Decimal, parse_constant=constant)
    except json.JSONDecodeError as error:
        raise ProfileError(
            f"{where}: line {error.lineno}, column {error.colno}", f"{error.msg}; the file is cut off or damaged"
        ) from None
    except RecursionError:
        raise ProfileError(where, "nested too deeply to be read; record with a limited depth") from None
    except (ValueError, ArithmeticError) as error:
        raise ProfileError(where, f"a number cannot be read ({error}); record the profile again") from None


def document_of(source: SourceFile) -> Json:
    """The JSON object that a file holds. Raises ProfileError."""
    return mapping(decode(read_all(unwrap(source)), source.name), source.name, "the document")


def objects_by_line(source: SourceFile) -> Iterator[tuple[str, Json]]:
    """Each object with its place; lines that begin no object are what other programs printed. Raises ProfileError."""
    decoded = json.JSONDecoder().decode
    for number, line in enumerate(read_all(unwrap(source)).splitlines(), start=1):
        if not line.startswith(b"{"):
            continue
        where = f"{source.name}:{number}"
        try:
            content = decoded(line.decode(errors="replace"))
        except (ValueError, RecursionError) as error:
            raise ProfileError(where, f"is no JSON ({error}); the file is cut off or damaged") from None
        if isinstance(content, dict):
            yield where, content


def mapping(value: object, where: str, what: str) -> Json:
    """The value as an object. Raises ProfileError, about ``where``, for anything else."""
    if not isinstance(value, dict):
        raise wrong(where, f"{what} is no JSON object")
    return value


def listing(value: object, where: str, what: str) -> list[object]:
    """The value as an array. Raises ProfileError, about ``where``, for anything else."""
    if not isinstance(value, list):
        raise wrong(where, f"{what} is no JSON array")
    return value


def wrong(where: str, what: str) -> ProfileError:
    """The error about a document that does not hold what its format promises."""
    return ProfileError(where, f"{what}; export the profile again")


def numbered_objects(values: object, where: str, key: str, item: str) -> Iterator[tuple[str, Json]]:
    """The objects of the array ``key``, each with its place, such as ``where: node 3``. Raises ProfileError."""
    for number, value in enumerate(listing(values, where, key)):
        place = f"{where}: {item} {number}"
        yield place, mapping(value, place, "it")


def is_number(value: object, least: int = -MAX_TOTAL, most: int = MAX_TOTAL) -> TypeGuard[int | Decimal]:
    """Whether the value is a number from ``least`` to ``most``."""
    return isinstance(value, _NUMBERS) and value is not True and value is not False and least <= value <= most


def is_integer(value: object, least: int = 0, most: int = MAX_TOTAL) -> TypeGuard[int]:
    """Whether the value is a whole number from ``least`` to ``most``."""
    return type(value) is int and least <= value <= most


def number(value: object, where: str, what: str, least: int = -MAX_TOTAL, most: int = MAX_TOTAL) -> int | Decimal:
    """The value as a number from ``least`` to ``most``. Raises ProfileError, about ``where``, for anything else."""
    if not is_number(value, least, most):
        raise wrong(where, f"has {str(value)[:40]!r} for {what}")
    return value


def weights_of(values: Sequence[object], count: int, where: str) -> Sequence[int | Decimal]:
    """The weights of ``count`` samples. Raises ProfileError unless they are numbers from 0 to 2^63."""
    if len(values) != count:
        raise wrong(where, f"has {count} samples and {len(values)} weights")
    if set(map(type, values)) - {int, Decimal}:
        raise wrong(where, "has a weight that is no number")
    weights: Sequence[int | Decimal] = values  # type: ignore[assignment]
    distinct = set(weights)
    if any(weight < 0 for weight in distinct):
        raise wrong(where, "has a negative weight, as in a difference of two profiles")
    if any(weight > MAX_TOTAL for weight in distinct):
        raise wrong(where, "has a weight beyond 2^63")
    return weights


def begins_object(source: SourceFile) -> bool:
    """Whether the first letter that is no blank opens a JSON object."""
    return source.head.lstrip(_SPACE).startswith(b"{")


def ends_hold(source: SourceFile, *texts: bytes) -> bool:
    """Whether each text is in the first or the last 64 KiB; profilers put what describes a file there."""
    if all(text in source.head for text in texts):
        return True
    with source.open(max(0, source.size - HEAD_SIZE), None) as stream:
        tail = stream.read()
    return all(text in source.head or text in tail for text in texts)
