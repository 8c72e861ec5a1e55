"""Compares big texts with the files in tests/golden; ./run golden rewrites them."""

import os
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden"
UPDATE = "PROFGATE_UPDATE_GOLDEN"


class Golden:
    """What the fixture `golden` gives to a test."""

    def check(self, name: str, actual: str | bytes) -> None:
        """Fail unless tests/golden/NAME holds exactly this; the actual text is left beside it as NAME.actual."""
        expected = GOLDEN / name
        left = expected.with_name(f"{expected.name}.actual")
        data = actual.encode() if isinstance(actual, str) else actual
        left.unlink(missing_ok=True)
        if os.environ.get(UPDATE) == "1":
            expected.parent.mkdir(parents=True, exist_ok=True)
            expected.write_bytes(data)
            return
        if not expected.exists() or expected.read_bytes() != data:
            left.parent.mkdir(parents=True, exist_ok=True)
            left.write_bytes(data)
            message = f"tests/golden/{name} differs from {left.name} beside it; if that is right: ./run golden"
            raise AssertionError(message)
