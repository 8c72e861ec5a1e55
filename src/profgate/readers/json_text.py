"""JSON documents of profilers: decoded with exact numbers, and recognised by what they hold."""

import gc
import json
from decimal import Decimal

from profgate.errors import ProfileError
from profgate.model.source import HEAD_SIZE, SourceFile

_SPACE = b" \t\r\n"

Json = dict[str, object]


def decode(data: bytes, where: str, missing: float | None = None) -> object:
    """The document, its fractions as Decimal. Raises ProfileError, about ``where`` and the place, for other texts.

    ``missing`` is what the word NaN stands for; without it, it is no JSON, as infinite numbers never are.
    """

    def constant(word: str) -> object:
        if word == "NaN" and missing is not None:
            return missing
        raise ValueError(f"{word} is no JSON number")

    collecting = gc.isenabled()
    # millions of small lists make every collection scan all that came before, and none of them is garbage
    gc.disable()
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
    finally:
        if collecting:
            gc.enable()


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


def begins_object(source: SourceFile) -> bool:
    """Whether the first letter that is no blank opens a JSON object."""
    return source.head.lstrip(_SPACE).startswith(b"{")


def ends_hold(source: SourceFile, *words: bytes) -> bool:
    """Whether each word stands in the first or the last 64 KiB; profilers put what describes a file there."""
    if all(word in source.head for word in words):
        return True
    with source.open(max(0, source.size - HEAD_SIZE), None) as stream:
        tail = stream.read()
    return all(word in source.head or word in tail for word in words)
