"""What the rows of a history hold, checked value by value: SQLite keeps any type in any column.

Every function raises TypeError or ValueError for a value that profgate does not write.
"""

import hashlib
import json
import re
import zlib
from dataclasses import fields
from typing import Any

from profgate.model.history import Series
from profgate.model.profile import Configuration, Facts
from profgate.model.units import Better, Metric, MetricKind

MOST_TEXT = 1 << 20  # characters of a description
MOST_PROFILE = 1 << 28  # bytes of a stored profile, unpacked
MOST_EXPONENT = 30
RUN = re.compile(r"[0-9a-f]{16}")


def run_bytes(text: str) -> bytes:
    """Eight bytes that tell the runs of a job apart; a reading that came out of a history has their digits already."""
    return bytes.fromhex(text) if RUN.fullmatch(text) else hashlib.sha256(text.encode("utf-8", "replace")).digest()[:8]


def text_of(text: str) -> str:
    """The text without halves of surrogate pairs, which no file can hold."""
    return text.encode("utf-8", "replace").decode()


def hash_of(text: object) -> str:
    """The name of a commit."""
    if not isinstance(text, str) or not text:
        raise TypeError("a commit has no hash")
    return text


def integer_of(number: object) -> int:
    """A number that columns can hold; 0 for none."""
    if number is None:
        return 0
    if not isinstance(number, int) or abs(number) > 1 << 62:
        raise TypeError(f"{number!r:.40} is no number that fits")
    return number


def power_of_ten(number: object) -> int:
    """An exponent as metrics have them."""
    power = integer_of(number)
    if abs(power) > MOST_EXPONENT:
        raise ValueError(f"{power} is no exponent")
    return power


def metric_of(name: object, unit: object, better: object, kind: object, exponent: object) -> Metric:
    """A metric."""
    if better not in {"lower", "higher"}:
        raise ValueError(f"a metric is better {better!r:.40}")
    towards: Better = "higher" if better == "higher" else "lower"
    return Metric(str(name), str(unit), towards, MetricKind(str(kind)), power_of_ten(exponent))


def value_of(value: object, kind: str) -> object:
    """A value of a column so described, as it may be copied."""
    if value is None and not ("NOT NULL" in kind or "PRIMARY KEY" in kind):
        return None
    if kind.startswith("INTEGER") and value is not None:
        return integer_of(value)
    if not isinstance(value, bytes if kind.startswith("BLOB") else str):
        raise TypeError(f"{value!r:.40} is no {kind.partition(' ')[0]}")
    if isinstance(value, str) and len(value) > MOST_TEXT:
        raise ValueError("a text is too long")
    return value


def series_of(key: object, workload: object, kind: object, content: object) -> Series:
    """A series; what is not known of its configuration is empty."""
    given = table_of(content)
    names = {field.name for field in fields(Configuration)}
    known: dict[str, Any] = {name: value for name, value in given.items() if name in names and isinstance(value, str)}
    if isinstance(given.get("postprocessors"), list):
        known["postprocessors"] = tuple(map(str, given["postprocessors"]))
    return Series(str(key), str(workload or ""), Configuration(**known), str(kind or ""))


def facts_of(content: object) -> Facts:
    """How a reading was recorded."""
    kinds: dict[str, type | tuple[type, ...]] = {"rate": (int, float), "truncated": bool}
    given = table_of(content)
    names = {field.name for field in fields(Facts)}
    known: dict[str, Any] = {
        name: value for name, value in given.items() if name in names and isinstance(value, kinds.get(name, str))
    }
    return Facts(**known)


def table_of(content: object) -> dict[str, Any]:
    """The JSON object of a column."""
    if content is None:
        return {}
    if not isinstance(content, str) or len(content) > MOST_TEXT:
        raise TypeError("a description is no text")
    value = json.loads(content)
    if not isinstance(value, dict):
        raise TypeError("a description is no table")
    return value


def inflated(data: object) -> bytes:
    """What was packed, if it is not too large."""
    if not isinstance(data, bytes):
        raise TypeError("a profile is no bytes")
    machine = zlib.decompressobj()
    try:
        content = machine.decompress(data, MOST_PROFILE)
    except zlib.error as error:
        raise ValueError(f"a profile cannot be unpacked: {error}") from None
    if not machine.eof:
        raise ValueError("a profile is cut off or too large")
    return content


def inflated_text(data: object) -> str:
    """The text that was packed, "" for none."""
    return "" if data is None else inflated(data).decode("utf-8", "replace")
