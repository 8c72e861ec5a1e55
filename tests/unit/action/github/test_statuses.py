from collections.abc import Iterator

import pytest

from fake_github import FakeGitHub
from profgate.action.github.statuses import publish_verdict
from profgate.model.report import Conclusion, Verdict

URL = "https://github.com/octo/shop/actions/runs/7"


@pytest.fixture
def fake() -> Iterator[FakeGitHub]:
    with FakeGitHub(in_process=True) as server:
        server.add_commit(branch="main")
        yield server


@pytest.mark.parametrize(
    ("conclusion", "code", "state"),
    [
        ("pass", 0, "success"),
        ("warn", 0, "success"),
        ("fail", 1, "failure"),
        ("not_compared", 3, "success"),
        ("not_compared", 1, "failure"),
        ("inconclusive", 0, "success"),
        ("inconclusive", 1, "failure"),
    ],
)
def test_verdict_sets_status_state(fake: FakeGitHub, conclusion: Conclusion, code: int, state: str) -> None:
    verdict = Verdict(conclusion, "neutral", (), exit_code=code)
    text = "parse\u202e got\nworse " + "x" * 500
    publish_verdict(fake.client(), fake.state.branches["main"], "api", verdict, text, URL)
    (status,) = fake.state.statuses
    assert (status["state"], status["context"], status["target_url"]) == (state, "profgate/api", URL)
    description = str(status["description"])
    assert len(description) == 140
    assert "parse got worse" in description
