"""A place where untrusted data enters the program."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fuzz.mutation import Codec
from profgate.errors import ProfgateError

DATA = Path(__file__).parents[1] / "data"


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """``take`` gets any bytes and says in a word how they were taken; it raises one of ``refusals`` or nothing.

    ``seeds`` makes sound examples to begin with; ``codecs`` take them apart.
    """

    name: str
    take: Callable[[bytes], str]
    seeds: Callable[[], Sequence[bytes]]
    refusals: tuple[type[ProfgateError], ...]
    codecs: tuple[Codec, ...] = ()
