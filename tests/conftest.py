"""Fixtures for all tests, hypothesis without clock or chance, and test runs in two parts."""

import gc
from pathlib import Path

import hypothesis
import pytest

from golden_files import Golden

E2E = Path(__file__).parent / "e2e"

hypothesis.settings.register_profile("profgate", deadline=None, derandomize=True, database=None, max_examples=60)
hypothesis.settings.load_profile("profgate")


@pytest.fixture
def golden() -> Golden:
    return Golden.from_environment()


def pytest_addoption(parser: pytest.Parser) -> None:
    help_text = "leave out the tests that this file lists, and add those that pass; .ci/run tests in two environments"
    parser.addoption("--passed", type=Path, metavar="FILE", help=help_text)


def pytest_configure(config: pytest.Config) -> None:
    passed = config.getoption("passed")
    if passed and not hasattr(config, "workerinput"):  # worker processes of xdist report to this one
        config.pluginmanager.register(PassedTests(passed))


class PassedTests:
    """Writes the names of passed tests to a file."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.names: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self.names.append(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        with self.file.open("a", encoding="utf-8") as lines:
            lines.writelines(f"{name}\n" for name in self.names)


def pytest_collection_finish() -> None:
    gc.freeze()  # so that the garbage collector does not visit all modules and tests again and again


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(E2E):
            item.add_marker(pytest.mark.e2e)
    passed = config.getoption("passed")
    if passed and passed.exists():
        names = set(passed.read_text(encoding="utf-8").splitlines())
        items[:] = [item for item in items if item.nodeid not in names]
