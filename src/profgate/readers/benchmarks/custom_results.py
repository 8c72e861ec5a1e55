"""Arrays of ``{"name", "unit", "value"}``, the format for custom tools in github-action-benchmark.

``"better": "higher"`` specifies the direction if the unit does not imply one. Entries with the same name are runs of
the same benchmark.
"""

import re
from typing import get_args

from profgate.model.units import Better
from profgate.readers.benchmarks.results import Results, quantity_of
from profgate.readers.benchmarks.specification import Record, ResultFormat, json_array


def _add(results: Results, entry: Record) -> None:
    stated = entry.get("better")
    better: Better | None = next((direction for direction in get_args(Better) if direction == stated), None)
    if stated is not None and better is None:
        raise entry.error(f"'better' is {str(stated)[:40]!r}, which is neither lower nor higher")
    results.add(entry.get("name"), quantity_of(entry.text("unit"), better=better), [entry.get("value")])


FORMAT = ResultFormat(
    name="custom-results",
    looks="a JSON array of objects with the keys name, unit and value",
    record="whatever writes it",
    pattern=re.compile(rb'\s*\[\s*\{(?=[^{}\[\]]*"name")(?=[^{}\[\]]*"unit")(?=[^{}\[\]]*"value")'),
    records=json_array,
    add=_add,
)
