"""Output of `pytest --durations=0 -vv`: the time of each test, including setup and teardown."""

import re
from collections import defaultdict
from collections.abc import Iterable

from profgate.errors import ProfileError
from profgate.readers.benchmarks.results import Results
from profgate.readers.benchmarks.specification import Record, ResultFormat, lines


def _tests(written: Iterable[Record], results: Results) -> list[Record]:
    """Return one record per test in the list of slowest durations, with the total time of its phases in seconds."""
    seconds, hidden, listed, ended = defaultdict[str, float](float), 0, False, False
    for line in written:
        fields = line.fields
        listed = listed or fields["heading"] is not None
        if listed and fields["name"]:
            seconds[line.text("name")] += float(line.text("seconds"))
        elif listed:
            hidden += int(line.text("hidden") or 0)
            ended = ended or fields["end"] is not None
    if not listed:
        raise ProfileError(results.where, "has no list of slowest durations; keep the whole output of pytest")
    results.warnings["phases of tests that pytest left out for being short; add -vv to see them"] += hidden
    results.warnings["ends without pytest's last line: the output was cut off or filtered"] += not ended
    return [Record(results.where, {"name": test, "value": spent}) for test, spent in seconds.items()]


FORMAT = ResultFormat(
    name="pytest-durations",
    looks="the heading 'slowest durations' of pytest",
    record="pytest --durations=0 -vv > a.txt",
    line=re.compile(rb"^\d{1,9}\.\d{1,9}s (?:call|setup|teardown) +\S", re.MULTILINE),
    at_end=True,
    records=lines(
        r"(?P<heading>=+ slowest (?:\d+ )?durations =+)"
        r"|(?P<seconds>\d{1,9}\.\d{1,9})s (?:call|setup|teardown) +(?P<name>\S.*)"
        r"|\((?P<hidden>\d{1,12}) durations < .*|(?P<end>.*\bin \d+\.\d\ds\b.*)"
    ),
    select=_tests,
    profiler="pytest",
    scenarios=False,
)
