from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from profgate.model.source import source_of
from profgate.model.units import MetricKind
from profgate.readers.registry import READERS

DATA = Path(__file__).parents[2] / "data"
PERUN = (
    b'{"header": {"type": "memory", "cmd": "a", "units": {"memory": "B"}}, "collector_info": {"name": "memory"}, '
    b'"snapshots": [{"time": 0, "resources": [{"type": "memory", "amount": 8, "uid": {"function": "f"}}]}]}'
)  # there is no recorded file of this collector


@pytest.mark.parametrize("reader", tuple(READERS), ids=lambda reader: reader.name)
def test_reader_declares_which_metrics_are_counted(reader: Any) -> None:
    declared, found = reader.counted, Counter[str]()
    recorded = [path.read_bytes() for path in sorted((DATA / reader.name).rglob("*")) if path.is_file()]
    for data in [*recorded, PERUN]:
        if reader.recognizes(source := source_of("a", data)) is not None:
            metrics = reader.read(source).metrics
            found.update(metric.name for metric in metrics if metric.kind is MetricKind.COUNTED)
    undeclared = [name for name in found if not any(fnmatchcase(name, pattern) for pattern in declared)]
    unproven = [pattern for pattern in declared if not any(fnmatchcase(name, pattern) for name in found)]
    assert (undeclared, unproven) == ([], [])
