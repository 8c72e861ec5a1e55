"""What pytest itself says of how long tests took: the text of ``--durations=0`` and the lines of pytest-reportlog."""

import re
from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal

from profgate.errors import ProfileError
from profgate.model.profile import Facts, Profile
from profgate.model.source import HEAD_SIZE, SourceFile
from profgate.readers.containers import read_all, unwrap
from profgate.readers.json_lines import objects_of
from profgate.readers.json_text import begins_object, wrong
from profgate.readers.results import Results, measured, time_in

_SECONDS = time_in("s")
_HEADING = re.compile(rb"^=+ slowest (?:\d+ )?durations =+\s*$", re.MULTILINE)
_PHASE = rb"^(\d{1,9}\.\d{1,9})s (?:call|setup|teardown) +(\S[^\r\n]*?)[ \t\r]*$"
_ANY_PHASE = re.compile(_PHASE, re.MULTILINE)
_HIDDEN = re.compile(rb"^\((\d{1,12}) durations < ", re.MULTILINE)
_END = re.compile(rb"\bin \d+\.\d\ds\b")
_PHASES = ("setup", "call", "teardown")


class PytestDurationsReader:
    """Reads what `pytest --durations=0 -vv` prints: a time for each test, its setup and teardown among it."""

    name = "pytest-durations"

    def recognizes(self, source: SourceFile) -> str | None:
        """Why this file looks like the format, or None."""
        with source.open(max(0, source.size - HEAD_SIZE), None) as stream:
            ends = (source.head, stream.read())
        return "it lists pytest's slowest durations" if any(map(_ANY_PHASE.search, ends)) else None

    def read(self, source: SourceFile) -> Profile:
        """Seconds of all tests that are listed. Raises ProfileError."""
        data = read_all(unwrap(source))
        heading = _HEADING.search(data)
        if heading is None:
            raise ProfileError(source.name, "has no list of slowest durations; keep the whole output of pytest")
        listed = data[heading.end() :]
        found = _ANY_PHASE.findall(listed)
        results = _summed(
            source.name, ((name.decode(errors="replace"), Decimal(said.decode())) for said, name in found)
        )
        hidden = sum(int(count) for count in _HIDDEN.findall(listed))
        results.warnings["phases of tests that pytest left out for being short; add -vv to see them"] += hidden
        results.warnings["ends without pytest's last line: the output was cut off or filtered"] += not _END.search(
            listed
        )
        return results.profile(Facts(format=self.name, profiler="pytest"))


class PytestReportLogReader:
    """Reads the lines of pytest-reportlog (`pytest --report-log=a.jsonl`): a time for each test, with its setup."""

    name = "pytest-report-log"

    def recognizes(self, source: SourceFile) -> str | None:
        """Why this file looks like the format, or None."""
        start = source.head.split(b"\n", 1)[0]
        return (
            "its first line states a kind of report" if begins_object(source) and b'"$report_type"' in start else None
        )

    def read(self, source: SourceFile) -> Profile:
        """Seconds of all tests that ran. Raises ProfileError."""
        phases: list[tuple[str, float]] = []
        skipped: set[str] = set()
        ended = False
        for where, record in objects_of(source):
            ended |= record.get("$report_type") == "SessionFinish"
            if record.get("$report_type") != "TestReport":
                continue
            name = record.get("nodeid")
            if not isinstance(name, str) or record.get("when") not in _PHASES:
                raise wrong(where, "a report of a test lacks its name or its phase")
            if record.get("outcome") == "skipped":
                skipped.add(name)
            phases.append((name, measured(record.get("duration"), where)))
        results = _summed(source.name, ((name, seconds) for name, seconds in phases if name not in skipped))
        results.warnings["tests skipped"] += len(skipped)
        results.warnings["ends before the session does: the run was cut off"] += not ended
        return results.profile(Facts(format=self.name, profiler="pytest"))


def _summed(where: str, phases: Iterable[tuple[str, Decimal | float]]) -> Results:
    """The phases of each test added up."""
    seconds: defaultdict[str, float] = defaultdict(float)
    for name, spent in phases:
        seconds[name] += float(spent)
    results = Results(where, scenarios=False)
    for name, spent in seconds.items():
        results.add(name, _SECONDS, [spent])
    return results
