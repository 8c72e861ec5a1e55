"""Lines of pytest-reportlog (`pytest --report-log=a.jsonl`): the time of each test, including setup and teardown."""

import re
from collections import defaultdict
from collections.abc import Iterable

from profgate.readers.benchmarks.results import Results
from profgate.readers.benchmarks.specification import Record, ResultFormat, json_lines


def _tests(reports: Iterable[Record], results: Results) -> list[Record]:
    """Return one record per test that ran, with the total time of its phases in seconds."""
    seconds, skipped, ended = defaultdict[str, float](float), set[str](), False
    for report in reports:
        fields = report.fields
        if fields.get("$report_type") != "TestReport":
            ended = ended or fields.get("$report_type") == "SessionFinish"
            continue
        test = report.text("nodeid")
        if not test or fields.get("when") not in ("setup", "call", "teardown"):
            raise report.error("a report of a test lacks its name or its phase")
        if fields.get("outcome") == "skipped":
            skipped.add(test)
        seconds[test] += report.number("duration")
    results.warnings["tests skipped"] += len(skipped)
    results.warnings["ends before the session does: the run was cut off"] += not ended
    ran = {test: spent for test, spent in seconds.items() if test not in skipped}
    return [Record(results.where, {"name": test, "value": spent}) for test, spent in ran.items()]


FORMAT = ResultFormat(
    name="pytest-report-log",
    looks="lines of JSON with the key $report_type",
    record="pytest --report-log=a.jsonl",
    pattern=re.compile(rb'\s*\{[^\n]*"\$report_type"'),
    records=json_lines,
    select=_tests,
    profiler="pytest",
    scenarios=False,
)
