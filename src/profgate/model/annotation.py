"""An annotation of a line of a pull request."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Annotation:
    """``path`` is one of the repository, ``line`` one of the pull request's head."""

    path: str
    line: int
    level: Literal["failure", "warning"]
    title: str
    message: str
