"""One run of a track as JSON text, so that the track can go on, and be drawn again, without reading a profile twice."""

import json
from dataclasses import asdict, dataclass

from pydantic import TypeAdapter

from profgate.track.versions import BenchmarkValue

SCHEMA = "profgate.track-run/1"


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One finished run of one version; without values, ``problem`` is the reason."""

    values: tuple[BenchmarkValue, ...] = ()
    seconds: float = 0.0
    machine: str = ""
    problem: str = ""
    warnings: tuple[str, ...] = ()


def record_to_json(record: RunRecord) -> str:
    """The record as JSON text, `profgate.track-run/1`."""
    return json.dumps({"schema": SCHEMA, **asdict(record)}, indent=1, allow_nan=False) + "\n"


def record_from_json(text: str) -> RunRecord | None:
    """The record of this text; None for anything that is none, so that the run is done again."""
    try:
        content = json.loads(text)
        return (
            TypeAdapter(RunRecord).validate_python(content)
            if content["schema"] == SCHEMA and "values" in content
            else None
        )
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
