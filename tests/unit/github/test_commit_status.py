from collections.abc import Iterator

import pytest

from fake_github import FakeGitHub
from profgate.errors import GitHubError, ProfileError
from profgate.github.client import GitHubClient
from profgate.github.commit_status import publish_failure, publish_verdict
from profgate.model.report import Conclusion, Verdict

URL = "https://github.com/octo/shop/actions/runs/7"


@pytest.fixture
def fake() -> Iterator[FakeGitHub]:
    with FakeGitHub() as server:
        server.add_commit(branch="main")
        yield server


def client_of(fake: FakeGitHub) -> GitHubClient:
    return fake.closing(
        GitHubClient(fake.token, fake.api_url, fake.state.repository, pauses=(0, 0), retries=0, backoff=0)
    )


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
def test_the_verdict_as_a_state(fake: FakeGitHub, conclusion: Conclusion, code: int, state: str) -> None:
    verdict = Verdict(conclusion, "neutral", (), exit_code=code)
    text = "parse\u202e got\nworse " + "x" * 500
    publish_verdict(client_of(fake), fake.state.branches["main"], "api", verdict, text, URL)
    (status,) = fake.state.statuses
    assert (status["state"], status["context"], status["target_url"]) == (state, "profgate/api", URL)
    description = str(status["description"])
    assert len(description) == 140
    assert "parse got worse" in description


def test_that_there_is_no_result_is_an_error_and_no_success(fake: FakeGitHub) -> None:
    publish_failure(client_of(fake), fake.state.branches["main"], "api", ProfileError("a", "is broken"), URL)
    assert [(one["state"], one["description"]) for one in fake.state.statuses] == [("error", "no result: a: is broken")]


def test_a_server_that_stumbles_once_gets_it_again(fake: FakeGitHub) -> None:
    fake.fail("POST", "/statuses/", stored=True)
    publish_verdict(client_of(fake), fake.state.branches["main"], "api", Verdict("pass", "green", ()), "", URL)
    assert {str(one["state"]) for one in fake.state.statuses} == {"success"}


def test_without_a_commit_there_is_no_status(fake: FakeGitHub) -> None:
    with pytest.raises(GitHubError, match="the commit is not known"):
        publish_verdict(client_of(fake), "", "api", Verdict("pass", "green", ()), "", URL)
