"""Fixtures for all tests, and hypothesis without clock or chance."""

import gc
from pathlib import Path

import hypothesis
import pytest

from golden_files import Golden

E2E = Path(__file__).parent / "e2e"

hypothesis.settings.register_profile("profgate", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("profgate")


@pytest.fixture
def golden() -> Golden:
    return Golden.from_environment()


def pytest_collection_finish() -> None:
    gc.freeze()  # so that the garbage collector does not visit all modules and tests again and again


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(E2E):
            item.add_marker(pytest.mark.e2e)
