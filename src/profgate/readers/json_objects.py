"""Objects, numbers and weights in the JSON documents of profilers."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import TypeGuard

from profgate.model.source import SourceFile
from profgate.readers.containers import read_all, unwrap
from profgate.readers.json_text import Json, decode, listing, mapping, wrong
from profgate.readers.quantities import MAX_TOTAL


def document_of(source: SourceFile) -> Json:
    """The JSON object that a file holds. Raises ProfileError."""
    return mapping(decode(read_all(unwrap(source)), source.name), source.name, "the document")


def numbered_objects(values: object, where: str, key: str, item: str) -> Iterator[tuple[str, Json]]:
    """The objects of the array ``key``, each with its place, such as ``where: node 3``. Raises ProfileError."""
    for number, value in enumerate(listing(values, where, key)):
        place = f"{where}: {item} {number}"
        yield place, mapping(value, place, "it")


def is_number(value: object, least: int = -MAX_TOTAL, most: int = MAX_TOTAL) -> TypeGuard[int | Decimal]:
    """Whether the value is a number from ``least`` to ``most``."""
    return isinstance(value, int | Decimal) and not isinstance(value, bool) and least <= value <= most


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
