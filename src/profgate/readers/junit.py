"""JUnit's XML: the time of every test of a suite.

What makes XML dangerous, entities, needs a DOCTYPE, and the first one ends the reading.
"""

import re
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from xml.parsers import expat

from profgate.errors import ProfileError
from profgate.model.profile import Facts, Profile
from profgate.model.source import SourceFile
from profgate.readers.containers import read_all, unwrap
from profgate.readers.results import Results, time_in

_TIME = time_in("s")
_ROOT = re.compile(rb"\A\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*)*<testsuites?[\s>/]", re.DOTALL)
_NOT_RUN = {"skipped", "disabled"}
_FAILED = {"failure", "error"}
_MOST_DEPTH = 100
_MAX_LINE = 1 << 31


class JunitReader:
    """Reads JUnit XML of any test runner: one time a test, which are the parts of one run."""

    name = "junit"

    def recognizes(self, source: SourceFile) -> str | None:
        """Why this file looks like the format, or None."""
        return "it is XML with a test suite for a root" if _ROOT.match(source.head) else None

    def read(self, source: SourceFile) -> Profile:
        """Times in nanoseconds of all tests that ran. Raises ProfileError."""
        where = source.name
        suite = _Suite(where)
        suite.read(read_all(unwrap(source)))
        return suite.results.profile(Facts(format=self.name))


@dataclass
class _Suite:
    where: str
    results: Results = field(init=False)
    depth: int = 0
    test: dict[str, str] | None = None
    outcome: str = ""

    def __post_init__(self) -> None:
        self.results = Results(self.where, scenarios=False)

    def read(self, data: bytes) -> None:
        """All tests of a document. Raises ProfileError."""
        # bytes that were UTF-16 are UTF-8 by now, whatever their declaration says
        parser = expat.ParserCreate("utf-8" if b"utf-16" in data[:100].lower() else None)
        parser.StartDoctypeDeclHandler = self._refuse
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        try:
            parser.Parse(data, True)
        except expat.ExpatError as error:
            place = f"{self.where}: line {error.lineno}, column {error.offset}"
            raise ProfileError(place, f"{expat.ErrorString(error.code)}; let the tests write it again") from None
        except (LookupError, ValueError) as error:  # Python's own word on an encoding that expat does not know
            raise ProfileError(self.where, f"{error}; let the tests write it in UTF-8") from None

    def _refuse(self, *_: object) -> None:
        raise ProfileError(self.where, "has a DOCTYPE, which no test report needs; remove it")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > _MOST_DEPTH:
            raise ProfileError(self.where, "nested too deeply to be read; let the tests write it again")
        name = tag.rpartition(":")[2]
        if name == "testcase":
            self.test, self.outcome = attributes, ""
        elif self.test is not None and name in _NOT_RUN | _FAILED:
            self.outcome = name

    def _end(self, tag: str) -> None:
        self.depth -= 1
        if tag.rpartition(":")[2] == "testcase" and self.test is not None:
            self._add(self.test)
            self.test = None

    def _add(self, test: dict[str, str]) -> None:
        warnings = self.results.warnings
        if self.outcome in _NOT_RUN:
            warnings["tests skipped"] += 1
        elif "time" not in test:
            warnings["tests without a time"] += 1
        else:
            name = ".".join(filter(None, (test.get("classname"), test.get("name"))))
            seconds = _seconds(test["time"], f"{self.where}: {name[:120]}")
            self.results.add(name, _TIME, [seconds], test.get("file") or None, _line(test.get("line", "")))
            warnings["tests that failed and are compared all the same"] += self.outcome in _FAILED


def _seconds(written: str, where: str) -> Decimal:
    """A time as Java writes it too, ``1,234.5``."""
    try:
        return Decimal(written.strip().replace(",", ""))
    except InvalidOperation:
        raise ProfileError(where, f"has {written[:40]!r} for a time; let the tests write it again") from None


def _line(written: str) -> int | None:
    short = len(written) < 12 and written.isascii() and written.isdigit()
    return int(written) if short and 0 < int(written) < _MAX_LINE else None
