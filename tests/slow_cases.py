"""Marks cases that `./run test` leaves out, because other cases test the same in less time."""

from collections.abc import Iterable
from typing import Any

import pytest


def quick_first(cases: Iterable[Any], quick: int = 1) -> list[Any]:
    """The cases of a parametrized test, of which all but the first ones are slow."""
    given = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [pytest.param(*case, marks=[pytest.mark.slow] if place >= quick else []) for place, case in enumerate(given)]
