"""`profgate.durations/1`, written by `profgate ranks record`: one duration for each test of a run."""

import re

from profgate.model.source import SourceFile
from profgate.readers.benchmarks.specification import Record, ResultFormat


def _tests(source: SourceFile) -> list[Record]:
    from profgate.model.durations import MOST_BYTES, durations_from_json  # this module is imported for every text file

    run = durations_from_json(source.read(MOST_BYTES), source.name)
    tests = ({"name": name, "value": value, "unit": run.unit} for name, value in run.values.items())
    return [Record(source.name, test) for test in tests]


FORMAT = ResultFormat(
    name="durations",
    looks="JSON with the schema profgate.durations/1",
    record="profgate ranks record",
    proven="profgate",
    pattern=re.compile(rb"\s*\{.{0,180}profgate\.durations/1", re.DOTALL),
    records=_tests,
    scenarios=False,
)
