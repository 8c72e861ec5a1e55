"""The lines of pytest-reportlog (`pytest --report-log=a.jsonl`): a time for each test, with its setup and teardown."""

import re
from collections.abc import Iterable
from math import fsum

from profgate.readers.benchmarks.results import Results
from profgate.readers.benchmarks.specification import Record, ResultFormat, json_lines


def _phases(reports: Iterable[Record], results: Results) -> list[Record]:
    """The phases of tests that ran."""
    phases, skipped, ended = list[Record](), set[str](), False
    for report in reports:
        kind, test = report.text("$report_type"), report.text("nodeid")
        ended |= kind == "SessionFinish"
        if kind != "TestReport":
            continue
        if not test or report.text("when") not in {"setup", "call", "teardown"}:
            raise report.error("a report of a test lacks its name or its phase")
        if report.text("outcome") == "skipped":
            skipped.add(test)
        phases.append(report)
    results.warnings["tests skipped"] += len(skipped)
    results.warnings["ends before the session does: the run was cut off"] += not ended
    return [phase for phase in phases if phase.text("nodeid") not in skipped]


FORMAT = ResultFormat(
    name="pytest-report-log",
    looks="its first line states a kind of report",
    pattern=re.compile(rb'\A\s*\{[^\n]*"\$report_type"'),
    records=json_lines,
    select=_phases,
    title=("nodeid",),
    value="duration",
    profiler="pytest",
    scenarios=False,
    combine=fsum,
)
