"""Perun's kinds of change, with their published codes and the rank by which they are sorted."""

from enum import IntEnum
from typing import Annotated

from annotated_types import Predicate


class Kind(IntEnum):
    """Kinds of change with their published codes, listed from worst to best."""

    TOTAL_DEGRADATION = -4
    SEVERE_DEGRADATION = -3
    DEGRADATION = -2
    MAYBE_DEGRADATION = -1
    NOT_IN_BASELINE = -5
    UNKNOWN = -6
    NO_CHANGE = 0
    NOT_IN_TARGET = 5
    MAYBE_OPTIMIZATION = 1
    OPTIMIZATION = 2
    SEVERE_OPTIMIZATION = 3
    TOTAL_OPTIMIZATION = 4

    @property
    def word(self) -> str:
        """Published name, for example ``NotInBaseline``."""
        return _WORDS[self]


_WORDS = {kind: "".join(part.capitalize() for part in kind.name.split("_")) for kind in Kind}
RANKED = tuple(Kind)
RANKS = {kind: place for place, kind in enumerate(RANKED, start=1)}
WORSE, BETTER = frozenset(RANKED[:4]), frozenset(RANKED[-4:])
MAYBE = frozenset({Kind.MAYBE_DEGRADATION, Kind.MAYBE_OPTIMIZATION})
BY_WORD = {word: kind for kind, word in _WORDS.items()}
KindWord = Annotated[str, Predicate(BY_WORD.__contains__)]
