"""The commit status: one line beside the commit, written once, when the result is complete."""

from typing import Literal

from profgate.errors import GitHubError
from profgate.github.client import GitHubClient
from profgate.model.report import Verdict
from profgate.model.visible_text import cut, plain

LONGEST = 140  # characters of a description; GitHub refuses more
State = Literal["success", "failure", "error"]
LABELS = {
    "pass": "passed",
    "warn": "review",
    "fail": "failed",
    "not_compared": "not compared",
    "inconclusive": "inconclusive",
}


def status_context(key: str) -> str:
    """The name by which a branch rule requires the status; GitHub compares it without regard to case."""
    return f"profgate/{key}"


def publish_verdict(client: GitHubClient, sha: str, key: str, verdict: Verdict, text: str, url: str) -> None:
    """Sets the status of a commit; "not compared" passes or fails as the policy defines."""
    failed = verdict.conclusion == "fail" or verdict.exit_code == 1
    parts = filter(None, (LABELS[verdict.conclusion], text))
    _publish(client, sha, key, "failure" if failed else "success", ": ".join(parts), url)


def publish_failure(client: GitHubClient, sha: str, key: str, error: Exception, url: str) -> None:
    """Sets the status of a run without result, which a branch rule may require."""
    _publish(client, sha, key, "error", f"no result: {error}", url)


def _publish(client: GitHubClient, sha: str, key: str, state: State, text: str, url: str) -> None:
    if not sha:
        raise GitHubError("commit status", "the commit is not known; run on an event of a commit")
    client.set_status(sha, status_context(key), state, cut(plain(text), LONGEST), url)
