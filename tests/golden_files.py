"""Comparison of big texts with files below tests/golden; PROFGATE_UPDATE_GOLDEN=1 rewrites them."""

import os
from dataclasses import dataclass
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden"


@dataclass(frozen=True)
class Golden:
    """Checks texts against files by name, for example ``comment/regression.md``."""

    root: Path = GOLDEN
    update: bool = False

    @staticmethod
    def from_environment() -> "Golden":
        """Rewrites instead of comparing when the environment asks for it."""
        return Golden(update=os.environ.get("PROFGATE_UPDATE_GOLDEN") == "1")

    def check(self, name: str, text: str) -> None:
        """Fail unless the file holds exactly this text; the actual text is then left beside it as ``*.actual``."""
        expected, actual = self.root / name, self.root / f"{name}.actual"
        if self.update:
            expected.parent.mkdir(parents=True, exist_ok=True)
            expected.write_bytes(text.encode())
        if expected.is_file() and expected.read_bytes() == text.encode():
            actual.unlink(missing_ok=True)
            return
        actual.parent.mkdir(parents=True, exist_ok=True)
        actual.write_bytes(text.encode())
        raise AssertionError(
            f"{expected} differs from {actual.name}; look at both, then ./run golden takes the new one"
        )
