"""JUnit XML from any test runner: the time of every test in one run.

XML entities, which require a DOCTYPE, can be used for attacks. Therefore, files with a DOCTYPE are rejected.
"""

import re
from collections.abc import Iterator
from xml.parsers import expat

from profgate.errors import ProfileError
from profgate.model.source import SourceFile
from profgate.readers.benchmarks.results import Results, quantity_of
from profgate.readers.benchmarks.specification import Record, ResultFormat
from profgate.readers.containers import CHUNK, read_all
from profgate.readers.json_text import wrong

_LINE = re.compile(r"0*[1-9][0-9]{0,8}")


def _tests(source: SourceFile) -> Iterator[Record]:
    """Yield the attributes of all tests. If a test did not pass, the key ``<outcome>`` contains its result."""
    where, data = source.name, read_all(source)
    tests, open_tags = list[Record](), list[str]()

    def refuse(*_: object) -> None:
        raise wrong(where, "has a DOCTYPE, which no test report needs")

    def start(tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        if name == "testcase":
            tests.append(Record(where, attributes))  # type: ignore[arg-type]
        elif "testcase" in open_tags and name in {"skipped", "disabled", "failure", "error"}:
            tests[-1].fields["<outcome>"] = name
        open_tags.append(name)
        if len(open_tags) > 100:
            raise wrong(where, "nested too deeply to be read")

    # UTF-16 files have already been converted to UTF-8, but their XML declaration is unchanged
    parser = expat.ParserCreate("utf-8" if b"utf-16" in data[:100].lower() else None)
    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: open_tags.pop()
    try:
        for begin in range(0, len(data), CHUNK):
            parser.Parse(data[begin : begin + CHUNK], begin + CHUNK >= len(data))
            yield from tests[:-1]  # the last test may still be incomplete
            del tests[:-1]
    except expat.ExpatError as error:
        raise wrong(f"{where}: line {error.lineno}, column {error.offset}", expat.ErrorString(error.code)) from None
    except (LookupError, ValueError) as error:  # raised by Python if expat does not know the encoding
        raise ProfileError(where, f"{error}; let the tests write it in UTF-8") from None
    yield from tests


def _add(results: Results, test: Record) -> None:
    outcome = test.fields.get("<outcome>")
    if outcome in {"skipped", "disabled"}:
        results.warnings["tests skipped"] += 1
        return
    if "time" not in test.fields:
        results.warnings["tests without a time"] += 1
        return
    name, line = test.joined("classname", "name"), test.text("line")
    first = int(line) if line and _LINE.fullmatch(line) else None
    results.add(name, quantity_of("s"), [test.get("time")], test.text("file") or None, first)
    if outcome:
        results.warnings["tests that failed and are compared all the same"] += 1


FORMAT = ResultFormat(
    name="junit",
    looks="XML whose root is testsuite or testsuites",
    record="pytest --junitxml=a.xml",
    pattern=re.compile(rb"\s*+(?:<\?xml[^>]*+>\s*+)?(?><!--.*?-->\s*)*+<testsuites?[\s>/]", re.DOTALL),
    records=_tests,
    add=_add,
    scenarios=False,
)
