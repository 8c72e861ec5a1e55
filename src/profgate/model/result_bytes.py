"""Results of tasks as bytes, which may come from another machine.

The bytes are the length of a JSON text, the text, and the content of arrays. `unpacked` reads them like an untrusted
file: the declared types of the fields decide what is created, and every value must have its declared type.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import numpy as np

from profgate.model.arrays import read_only
from profgate.model.comparison import Observations
from profgate.model.cost_models import CostModels
from profgate.model.durations import DurationTable
from profgate.model.profile import Model

LARGEST_RESULT = 1 << 30  # bytes of one task
LARGEST_TEXT = 1 << 27  # bytes of its text; in memory, a text takes many times its size
LENGTH = 8  # bytes of the length of the text
TYPES = frozenset({"|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8"})
KINDS = {"b": "b", "i": "iu", "u": "iu", "f": "iuf"}  # kinds of numbers that an array may have instead
ATTACHMENTS = {kind.__name__: kind for kind in (Observations, CostModels, DurationTable, Model)}  # written with names
SIMPLE = frozenset({str, int, bool, float, NoneType})

Result = TypeVar("Result")
Plain = Any  # a JSON value
Decoder = Callable[[Plain, memoryview], Any]  # takes a JSON value and the content of all arrays


@dataclass(frozen=True, slots=True)
class Failure:
    """The message of a `ProfgateError` that ended a task."""

    where: str
    what: str


def packed(result: object) -> bytes:
    """Return a result as bytes. Raises TypeError if the result contains anything but data."""
    buffers = bytearray()
    text = json.dumps([isinstance(result, Failure), _plain(result, buffers)], separators=(",", ":")).encode()
    return len(text).to_bytes(LENGTH, "little") + text + buffers


def unpacked(data: object, kind: type[Result]) -> Result | Failure:
    """Return the result of this type or the failure that the bytes contain. Raises ValueError for anything else."""
    if not isinstance(data, bytes):
        raise ValueError(f"it is {type(data).__name__}, not bytes")  # noqa: TRY004 - the type of the content
    if len(data) > LARGEST_RESULT:
        raise ValueError(f"it has {len(data):,} bytes, more than {LARGEST_RESULT:,}")
    end = LENGTH + int.from_bytes(data[:LENGTH], "little")
    if end > LENGTH + LARGEST_TEXT:
        raise ValueError(f"its text has more than {LARGEST_TEXT:,} bytes")
    expected: Any = kind
    try:
        failed, plain = json.loads(data[LENGTH:end])
        expected = Failure if failed is True else kind
        return cast("Result | Failure", _decoder(expected)(plain, memoryview(data)[end:]))
    except (ValueError, TypeError, LookupError, RecursionError, OverflowError) as error:
        name = getattr(expected, "__name__", str(expected))
        raise ValueError(f"it is not a valid {name} ({type(error).__name__}: {str(error)[:100]})") from None


def _plain(value: Any, buffers: bytearray) -> Plain:  # noqa: ANN401, PLR0911 - one case for each type
    kind: Any = type(value)
    if kind in SIMPLE:
        return value
    if kind is np.ndarray:
        little = value.astype(value.dtype.newbyteorder("<"), copy=False)
        return [little.dtype.str, value.shape, *_stored(little.tobytes(), buffers)]
    if kind is bytes:
        return _stored(value, buffers)
    if kind is dict:
        return [_plain(list(value), buffers), _plain(list(value.values()), buffers)]
    if isinstance(value, Enum):
        return value.value
    if _is_record(kind):
        values = [_plain(getattr(value, name), buffers) for name in _names(kind)]
        return [kind.__name__, values] if kind.__name__ in ATTACHMENTS else values
    if kind in (list, tuple, frozenset):
        return list(value) if set(map(type, value)) <= SIMPLE else [_plain(item, buffers) for item in value]
    raise TypeError(f"a result contains {kind.__name__}")


def _stored(data: bytes, buffers: bytearray) -> tuple[int, int]:
    """Append bytes, and return their position and length."""
    buffers += data
    return len(buffers) - len(data), len(data)


@cache
def _decoder(kind: Any) -> Decoder:  # noqa: ANN401, C901, PLR0911 - one case for each kind of annotation
    """Return a function that creates a value of the annotated type. It raises an error if the JSON value is another."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _decoder(arguments[0])
    if allowed := _simple(kind):
        return lambda plain, _: _valid(plain, type(plain) in allowed)
    if origin in (Union, UnionType):
        return _one_of([_decoder(each) for each in arguments if each is not NoneType], none=NoneType in arguments)
    if origin is Literal:
        return lambda plain, _: _valid(plain, type(plain) in SIMPLE and plain in arguments)
    if origin is np.ndarray:
        return _array_of("".join(KINDS[np.dtype(each).kind] for each in get_args(arguments[1]) if each is not Any))
    if kind is object:
        return lambda plain, content: _record_of(ATTACHMENTS[plain[0]])(plain[1], content)
    if _is_record(origin or kind):
        return _record_of(kind)
    if origin is tuple and arguments[-1:] != (...,):
        row = [_decoder(each) for each in arguments]
        return lambda plain, content: tuple(
            decoder(item, content) for decoder, item in zip(row, _listed(plain), strict=True)
        )
    if origin is not None and issubclass(origin, Mapping):
        keys, values = (_items_of(each) for each in arguments)
        return lambda plain, content: dict(zip(keys(plain[0], content), values(plain[1], content), strict=True))
    if origin is not None and issubclass(origin, Collection):
        items, make = _items_of(arguments[0]), list if origin is Sequence else cast("type", origin)
        return lambda plain, content: make(items(plain, content))
    if kind is bytes:
        return lambda plain, content: bytes(_content(plain, content))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return lambda plain, _: kind(plain)
    raise TypeError(f"results cannot contain {kind}")


def _simple(kind: Any) -> frozenset[type]:  # noqa: ANN401 - an annotation
    """Return the types of values of a simple type or of a union of simple types, and nothing for another annotation."""
    options = frozenset(get_args(kind)) if get_origin(kind) in (Union, UnionType) else frozenset({kind})
    return (options | {int} if float in options else options) if options <= SIMPLE else frozenset()


def _valid(plain: Plain, valid: bool) -> Plain:
    if not valid:
        raise ValueError(f"{plain!r:.40} is not allowed")
    return plain


def _one_of(decoders: Sequence[Decoder], *, none: bool) -> Decoder:
    def decode(plain: Plain, content: memoryview) -> object:
        if plain is None and none:
            return None
        for decoder in decoders[:-1]:
            try:
                return decoder(plain, content)
            except (ValueError, TypeError, LookupError):
                continue
        return decoders[-1](plain, content)

    return decode


def _array_of(kinds: str) -> Decoder:
    def decode(plain: Plain, content: memoryview) -> object:
        name, shape, *place = plain
        _valid(name, name in TYPES and (not kinds or np.dtype(name).kind in kinds))
        return read_only(np.frombuffer(bytes(_content(place, content)), name).reshape(shape))

    return decode


def _content(plain: Plain, content: memoryview) -> memoryview:
    start, length = plain
    _valid(plain, type(start) is int and type(length) is int and 0 <= start <= start + length <= len(content))
    return content[start : start + length]


def _items_of(kind: Any) -> Callable[[Plain, memoryview], Iterable[Any]]:  # noqa: ANN401 - an annotation
    """Return a decoder of the items of a list. Items of simple types are checked together, which is much faster."""
    if allowed := _simple(kind):
        return lambda plain, _: cast("list[Any]", _valid(plain, set(map(type, _listed(plain))) <= allowed))
    decoder = _decoder(kind)
    return lambda plain, content: [decoder(item, content) for item in _listed(plain)]


def _listed(plain: Plain) -> list[Plain]:
    return cast("list[Plain]", _valid(plain, type(plain) is list))


def _is_record(kind: object) -> bool:
    return isinstance(kind, type) and (is_dataclass(kind) or (issubclass(kind, tuple) and hasattr(kind, "_fields")))


@cache
def _names(kind: Any) -> list[str]:  # noqa: ANN401 - a dataclass or a named tuple
    return [part.name for part in fields(kind)] if is_dataclass(kind) else list(kind._fields)


@cache
def _record_of(kind: Any) -> Decoder:  # noqa: ANN401 - a dataclass or a named tuple
    """Return the decoder of a dataclass. Types of fields are looked up at first use, because they may be recursive."""
    made: Any = get_origin(kind) or kind
    types = dict(zip(getattr(made, "__parameters__", ()), get_args(kind), strict=True))
    names = _names(made)
    simple: list[tuple[int, frozenset[type]]] = []
    others: list[tuple[int, Decoder]] = []

    def decode(plain: Plain, content: memoryview) -> object:
        if not simple and not others:
            hints = get_type_hints(made, include_extras=True)
            kinds = [_with_types(hints[name], types) for name in names]
            simple.extend((place, _simple(each)) for place, each in enumerate(kinds) if _simple(each))
            others.extend((place, _decoder(each)) for place, each in enumerate(kinds) if not _simple(each))
        values = dict(zip(names, _listed(plain), strict=True))
        for place, allowed in simple:
            if type(plain[place]) not in allowed:
                _valid(plain[place], valid=False)
        for place, decoder in others:
            values[names[place]] = decoder(plain[place], content)
        return made(**values)

    return decode


def _with_types(hint: Any, types: Mapping[Any, Any]) -> Any:  # noqa: ANN401 - annotations
    """Return the type of a field of a generic class with these types."""
    open_types = getattr(hint, "__parameters__", ())
    return types.get(hint, hint) if not open_types else hint[tuple(types[each] for each in open_types)]
