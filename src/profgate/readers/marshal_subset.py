"""The part of Python's marshal format that call statistics use, decoded with every bound checked."""

import struct
from collections.abc import Callable

from profgate.errors import ProfileError

FLAG_REF = 0x80
MAX_NESTING = 16
_DIGIT_BITS = 15
_MAX_DIGITS = 16

Marshalled = None | bool | int | float | str | tuple["Marshalled", ...] | dict["Marshalled", "Marshalled"]


class _Unfinished:
    """The end of a dict, and an object that is not read to its end."""


_END = _Unfinished()


def loads(data: bytes, where: str) -> Marshalled:
    """The object in ``data``: dicts, tuples, numbers, texts and references to what stood before.

    Raises ProfileError, about ``where`` and the byte, for everything else and for data that ends early or late.
    """
    decoder = _Decoder(data, where)
    found = decoder.value()
    if decoder.at != len(data):
        raise decoder.error(f"{len(data) - decoder.at} bytes follow the end of the statistics")
    return found


class _Decoder:
    """Decodes the objects in turn; ``at`` is the next byte."""

    def __init__(self, data: bytes, where: str) -> None:
        self.data = data
        self.where = where
        self.at = 0
        self.depth = 0
        self.references: list[Marshalled | _Unfinished] = []
        self.kinds: dict[str, Callable[[], Marshalled]] = {
            "N": lambda: None,
            "T": lambda: True,
            "F": lambda: False,
            "i": lambda: int.from_bytes(self.take(4), "little", signed=True),
            "I": lambda: int.from_bytes(self.take(8), "little", signed=True),
            "l": self.long,
            "g": lambda: float(struct.unpack("<d", self.take(8))[0]),
            "f": self.float_text,
            "r": self.reference,
            **dict.fromkeys("sut", lambda: self.text(4, "utf-8")),
            **dict.fromkeys("aA", lambda: self.text(4, "ascii")),
            **dict.fromkeys("zZ", lambda: self.text(1, "ascii")),
            "(": lambda: self.tuple_of(4),
            ")": lambda: self.tuple_of(1),
            "{": self.dict_of,
        }

    def error(self, what: str) -> ProfileError:
        return ProfileError(f"{self.where}: byte {self.at}", f"{what}; record the statistics again")

    def take(self, count: int) -> bytes:
        end = self.at + count
        if end > len(self.data):
            raise self.error(f"the file ends {end - len(self.data)} bytes too early")
        taken = self.data[self.at : end]
        self.at = end
        return taken

    def value(self) -> Marshalled:
        found = self._value()
        if isinstance(found, _Unfinished):
            raise self.error("an end mark stands where a value is expected")
        return found

    def _value(self) -> Marshalled | _Unfinished:
        code = self.take(1)[0]
        kind, named = chr(code & ~FLAG_REF), bool(code & FLAG_REF)
        if kind == "0":
            return _END
        decode = self.kinds.get(kind)
        if decode is None:
            raise self.error(f"the type {kind!r} does not belong in call statistics")
        if self.depth == MAX_NESTING and kind in "(){":
            raise self.error("the statistics are nested too deeply")
        place = len(self.references)
        if named:
            self.references.append(_END)
        self.depth += 1
        found = decode()
        self.depth -= 1
        if named:
            self.references[place] = found
        return found

    def tuple_of(self, width: int) -> Marshalled:
        return tuple([self.value() for _ in range(self.size(width))])

    def dict_of(self) -> Marshalled:
        found: dict[Marshalled, Marshalled] = {}
        while not isinstance(key := self._value(), _Unfinished):
            try:
                found[key] = self.value()
            except TypeError:
                raise self.error("a dict is used as a key") from None
        return found

    def size(self, width: int) -> int:
        size = int.from_bytes(self.take(width), "little")
        # each element takes at least a byte, so that no size makes us reserve what the file does not hold
        if size > len(self.data) - self.at:
            raise self.error(f"{size} bytes or elements are announced, {len(self.data) - self.at} bytes are left")
        return size

    def text(self, width: int, encoding: str) -> str:
        return self.take(self.size(width)).decode(encoding, errors="replace")

    def long(self) -> int:
        count = int.from_bytes(self.take(4), "little", signed=True)
        if abs(count) > _MAX_DIGITS:
            raise self.error(f"a number of {abs(count)} digits is too large")
        digits = struct.unpack(f"<{abs(count)}H", self.take(2 * abs(count)))
        size: int = sum(digit << (_DIGIT_BITS * place) for place, digit in enumerate(digits))
        return -size if count < 0 else size

    def float_text(self) -> float:
        raw = self.take(self.size(1))
        try:
            return float(raw)
        except ValueError:
            raise self.error(f"{raw[:20]!r} is no number") from None

    def reference(self) -> Marshalled:
        number = int.from_bytes(self.take(4), "little")
        if number >= len(self.references):
            raise self.error(f"reference {number} names nothing that stood before")
        found = self.references[number]
        if isinstance(found, _Unfinished):
            raise self.error(f"reference {number} names what contains it")
        if not _is_flat(found):
            raise self.error(f"reference {number} repeats a table")
        return found


def _is_flat(value: Marshalled) -> bool:
    """Whether a repeated value costs little: tables repeated inside each other would grow without end."""
    if isinstance(value, tuple):
        return len(value) <= MAX_NESTING and not any(isinstance(part, tuple | dict) for part in value)
    return not isinstance(value, dict)
