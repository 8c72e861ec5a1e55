"""Write the commit status."""

from profgate.action.github.client import GitHubClient
from profgate.errors import GitHubError
from profgate.model.report import Verdict
from profgate.model.visible_text import cut, plain
from profgate.report.groups import CONCLUSIONS


def publish_verdict(client: GitHubClient, sha: str, key: str, verdict: Verdict, text: str, url: str) -> None:
    """Set the commit status for a verdict. The policy determines whether "not compared" passes or fails."""
    parts = filter(None, (CONCLUSIONS[verdict.conclusion].word, text))
    _publish(client, sha, key, "failure" if verdict.fails else "success", ": ".join(parts), url)


def publish_failure(client: GitHubClient, sha: str, key: str, error: Exception, url: str) -> None:
    """Set the commit status of a run without a result, because a branch protection rule may require the status."""
    _publish(client, sha, key, "error", f"no result: {error}", url)


def _publish(client: GitHubClient, sha: str, key: str, state: str, text: str, url: str) -> None:
    if not sha:
        raise GitHubError("commit status", "the commit is not known; run on an event of a commit")
    # branch protection rules require a status by its name; GitHub refuses longer descriptions
    client.set_status(sha, f"profgate/{key}", state, cut(plain(text), 140), url)
