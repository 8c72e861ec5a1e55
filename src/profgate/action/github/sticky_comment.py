"""Publish one comment for each key. Results for an outdated head are skipped.

The comment of a key is identified by its marker and its author. The existing comment is edited, because an edit sends
no notification.
"""

import re
from contextlib import suppress

from profgate.action.github.client import GitHubClient, same_text
from profgate.action.github.records import CommentRecord
from profgate.action.github.requests import NotFoundError
from profgate.errors import NotAllowed
from profgate.model.record import Record

ACTIONS_LOGIN = "github-actions[bot]"


class Texts(Record):
    """The texts of a comment: ``full`` is the complete text, and ``quiet`` is the text for an unimportant result.

    If ``worth`` is False, ``quiet`` may replace the text of an old comment, but no new comment is created.
    """

    full: str
    quiet: str
    worth: bool


class CommentOutcome(Record):
    """The URL of the comment. ``skipped`` is the reason why nothing was written, or None if the comment was written."""

    url: str = ""
    skipped: str | None = None


def publish_comment(
    client: GitHubClient, number: int, head_sha: str, key: str, texts: Texts, *, base_ref: str = ""
) -> CommentOutcome:
    """Create or edit the comment, unless the pull request has changed since the comparison.

    The base branch is checked if ``base_ref`` is given. Comments that were read earlier in this run are not requested
    again. Raises `NotAllowed` if the token cannot write, and `GitHubError` if a request fails.
    """
    existing = owned(client.known_comments(number), key, ACTIONS_LOGIN)
    body = texts.full if texts.worth else texts.quiet
    if not existing and not texts.worth:
        return CommentOutcome(skipped="nothing changed")
    if existing and same_text(existing[0].body, body):
        _remove(client, existing[1:])
        return CommentOutcome(existing[0].html_url, "the comment is up to date")
    if reason := _objection(client, number, head_sha, base_ref, creates=not existing):
        return CommentOutcome(skipped=reason)
    if not existing:
        return CommentOutcome(_create(client, number, key, body).html_url)
    try:
        written = client.edit_comment(existing[0].id, body)
    except NotFoundError:  # the comment was deleted in the meantime
        written = _create(client, number, key, body)
    _remove(client, [comment for comment in existing[1:] if comment.id != written.id])
    return CommentOutcome(written.html_url)


def owned(comments: list[CommentRecord], key: str, author: str) -> list[CommentRecord]:
    """Return the comments by this author that begin with the marker of this key, oldest first."""
    marker = re.compile(rf"\s*<!-- profgate v1 key={re.escape(key)}[ >]")
    found = [comment for comment in comments if comment.author == author and marker.match(comment.body)]
    return sorted(found, key=lambda comment: comment.id)


def _objection(client: GitHubClient, number: int, head_sha: str, base_ref: str, *, creates: bool) -> str:
    """Return why a result is outdated or no comment may be created, or an empty string if neither is the case."""
    pull = client.pull(number)
    if pull.head.sha != head_sha:
        return "the pull request has newer commits"
    if base_ref and base_ref not in {pull.base.ref, pull.trunk.ref}:
        return "the base branch of the pull request has changed"
    return f"the pull request is {pull.state}" if creates and pull.state != "open" else ""


def _create(client: GitHubClient, number: int, key: str, body: str) -> CommentRecord:
    """Create a comment. If concurrent runs have also created comments, delete all comments except the oldest."""
    created = client.create_comment(number, body)
    existing = owned(client.comments(number), key, created.author)
    remaining = created
    if existing and existing[0].id != created.id:
        remaining = client.edit_comment(existing[0].id, body)
    _remove(client, existing[1:])
    return remaining


def _remove(client: GitHubClient, comments: list[CommentRecord]) -> None:
    with suppress(NotAllowed):
        for comment in comments:
            client.delete_comment(comment.id)
