"""Fixtures of the reporters' tests."""

import pytest

from golden_files import Golden


@pytest.fixture
def golden() -> Golden:
    return Golden.from_environment()
