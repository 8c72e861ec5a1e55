from pathlib import Path

from profgate.model.profile import Profile
from profgate.model.source import HEAD_SIZE, source_of
from profgate.readers.benchmarks import pytest_durations, pytest_report_log
from result_rows import means

DATA = Path(__file__).parents[2] / "data"
TEXT = (DATA / "pytest-durations" / "pytest-9.2.txt").read_bytes()
LOG = (DATA / "pytest-report-log" / "pytest-reportlog-1.0.jsonl").read_bytes()


def read(text: str) -> Profile:
    return pytest_durations.FORMAT.read(source_of("a.txt", text.encode()))


def milliseconds(profile: Profile) -> dict[str, int]:
    return {name: round(mean / 1e6) for name, mean in means(profile).items()}


def test_a_recorded_output_adds_the_phases_of_each_test() -> None:
    found = pytest_durations.FORMAT.read(source_of("a.txt", TEXT))
    assert milliseconds(found) == {
        "test_suite.py::test_waits[40]": 50,
        "test_suite.py::test_waits[20]": 30,
        "test_suite.py::test_quick": 20,
        "test_suite.py::test_fails": 0,
        "test_suite.py::test_later": 0,
    }
    assert found.warnings == ()


def test_a_recorded_report_log_has_the_tests_that_ran() -> None:
    found = pytest_report_log.FORMAT.read(source_of("a.jsonl", LOG))
    times = means(found)
    assert set(times) == {f"test_suite.py::test_{name}" for name in ("quick", "waits[20]", "waits[40]", "fails")}
    assert 20e6 < times["test_suite.py::test_waits[20]"] < times["test_suite.py::test_waits[40]"]
    assert list(found.warning_counts.values()) == [1]


def test_tests_are_parts_of_one_run() -> None:
    for found in (
        pytest_report_log.FORMAT.read(source_of("a", LOG)),
        pytest_durations.FORMAT.read(source_of("a", TEXT)),
    ):
        assert found.measurements is not None
        assert not found.measurements.scenarios


def test_hidden_phases_are_a_warning() -> None:
    found = read(
        "= slowest durations =\n1.00s call     a.py::t\n\n(3 durations < 0.005s hidden.  Use -vv)\n= in 1.00s =\n"
    )
    assert list(found.warning_counts.values()) == [3]


def test_a_list_after_a_long_log_is_found() -> None:
    printed = "9.00s call     printed.py::t\n"
    text = (
        printed
        + "x" * (2 * HEAD_SIZE)
        + "\n= slowest 1 durations =\n1.00s call     a.py::t[x y]  \n= 1 passed in 1.00s =\n"
    )
    assert pytest_durations.FORMAT.recognizes(source_of("a.txt", text.encode()))
    assert milliseconds(read(text)) == {"a.py::t[x y]": 1000}
