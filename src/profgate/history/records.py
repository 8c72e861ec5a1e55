"""What is kept of one run, as text: the track can go on, and draw again, without reading a profile twice."""

import json
from dataclasses import asdict, dataclass
from typing import Any

from profgate.model.evolution import BenchmarkValue
from profgate.model.units import Better, Metric, MetricKind

SCHEMA = "profgate.track-run/1"


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One finished run of one version. Without values, ``problem`` says why it counts for nothing."""

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
        return _record(content) if content["schema"] == SCHEMA else None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _record(content: dict[str, Any]) -> RunRecord:
    return RunRecord(
        values=tuple(_value(entry) for entry in content["values"]),
        seconds=float(content["seconds"]),
        machine=str(content["machine"]),
        problem=str(content["problem"]),
        warnings=tuple(str(warning) for warning in content["warnings"]),
    )


def _value(entry: dict[str, Any]) -> BenchmarkValue:
    said = entry["metric"]
    better: Better = "higher" if said["better"] == "higher" else "lower"
    metric = Metric(str(said["name"]), str(said["unit"]), better, MetricKind(said["kind"]))
    file, line, source = entry["file"], entry["line"], entry["source"]
    return BenchmarkValue(
        benchmark=str(entry["benchmark"]),
        metric=metric,
        value=float(entry["value"]),
        file=None if file is None else str(file),
        line=None if line is None else int(line),
        source=None if source is None else str(source),
    )
