"""The fake itself: it must refuse what GitHub refuses, or the tests on it prove nothing."""

import pytest
import requests

from fake_github import FakeGitHub
from fake_github.description import ViolationError
from fake_github.events import payload

VERSION = {"X-GitHub-Api-Version": "2022-11-28"}


def call(fake: FakeGitHub, method: str, path: str, body: object = None, **headers: str) -> requests.Response:
    sent = {"Authorization": f"Bearer {fake.token}", **VERSION, **headers}
    return requests.request(method, f"{fake.api_url}/repos/octo-org/shop{path}", json=body, headers=sent, timeout=10)


@pytest.mark.parametrize(
    ("method", "path", "body", "message"),
    [
        ("GET", "/branches", None, "not among the described operations"),
        ("PUT", "/pulls/1", None, "not among the described operations"),
        ("GET", "/commits?shaa=main", None, "'shaa' is not a documented parameter"),
        ("GET", "/commits?per_page=many", None, "query per_page"),
        ("GET", "/compare/fix/a...main", None, "not among the described operations"),
        ("GET", "/pulls/one", None, "pull_number"),
        ("GET", "/pulls?state=opened", None, "query state"),
        ("POST", "/issues/1/comments", {"body": 3}, '/body: 3 is not of type "string"'),
        ("POST", "/issues/1/comments", {}, '"body" is a required property'),
        ("POST", "/issues/1/comments", {"body": "x", "marker": "y"}, "['marker'] are not documented"),
        ("POST", "/statuses/abc", {"state": "red"}, '/state: "red" is not one of'),
    ],
)
def test_a_request_outside_the_description_fails_the_test(method: str, path: str, body: object, message: str) -> None:
    fake = FakeGitHub()
    with pytest.raises(AssertionError) as caught, fake:
        assert call(fake, method, path, body).status_code == 599
    assert message in str(caught.value)


def test_a_request_without_version_fails_the_test() -> None:
    with pytest.raises(AssertionError, match="X-GitHub-Api-Version"), FakeGitHub() as fake:
        call(fake, "GET", "/commits", **{"X-GitHub-Api-Version": "2026-03-10"})


def test_an_answer_outside_the_description_fails_the_test() -> None:
    fake = FakeGitHub()
    sha = fake.add_commit(message=7)  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="answer 200"), fake:
        assert call(fake, "GET", f"/commits/{sha}").status_code == 599


def test_storage_host_refuses_tokens_and_old_addresses(fake: FakeGitHub) -> None:
    run = fake.add_run(fake.add_commit())
    number = fake.add_artifact(run, "a", {"x": b"1"})
    path = f"{fake.api_url}/repos/octo-org/shop/actions/artifacts/{number}/zip"
    headers = {"Authorization": f"Bearer {fake.token}", **VERSION}
    address = requests.get(path, headers=headers, allow_redirects=False, timeout=10).headers["Location"]
    assert requests.get(address, headers=headers, timeout=10).status_code == 400
    assert requests.get(address.replace("sig=", "sig=x"), timeout=10).status_code == 403
    assert requests.get(address, timeout=10).status_code == 200
    fake.blobs.expire_addresses()
    assert requests.get(address, timeout=10).status_code == 403


@pytest.mark.parametrize(
    ("event", "given", "message"),
    [
        ("pull_request", {"action": "opened", "pull_request": {"head": {"shaa": "a"}}}, r"no \['shaa'\]"),
        ("pull_request", {"action": "opened", "pull_request": {"number": "7"}}, 'not of type "integer"'),
        ("pull_request", {"action": "invented"}, "not among the described"),
        ("release", {"action": "published", "release": {"tag": "v1"}}, r"no \['tag'\]"),
        ("merge_group", {}, "not among the described"),
        ("pushed", {}, "not among the described"),
    ],
)
def test_impossible_event_is_a_violation(event: str, given: dict[str, object], message: str) -> None:
    with pytest.raises(ViolationError, match=message):
        payload(event, given)
