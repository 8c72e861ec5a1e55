"""One comment for each key, found by marker and author, never written for an older head.

It is edited in place, which sends no notification; on request a new one is written and the older ones are minimised.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from profgate.errors import NotAllowed
from profgate.github.client import GitHubClient
from profgate.github.records import CommentRecord
from profgate.github.requests import NotFoundError

ACTIONS_LOGIN = "github-actions[bot]"


@dataclass(frozen=True, slots=True)
class Texts:
    """Possible texts. ``worth``: a new comment may be written; else ``quiet`` replaces an old one."""

    full: str
    quiet: str
    worth: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """The comment's address; ``skipped`` is why nothing was written, None where something was."""

    url: str = ""
    skipped: str | None = None


OFF = Outcome(skipped="comments are switched off")
UP_TO_DATE = "the comment is up to date"


def publish_comment(
    client: GitHubClient, number: int, head_sha: str, key: str, texts: Texts, mode: str, *, base_ref: str = ""
) -> Outcome:
    """Writes or edits the comment, unless the pull request has changed since.

    ``mode`` is always, on-change or never; ``base_ref`` is the compared branch, empty where it does not matter. The
    comments may have been read before the comparison. Raises `GitHubError`; `NotAllowed` where the token cannot write.
    """
    if mode == "never":
        return OFF
    existing = owned(client.known_comments(number), key, ACTIONS_LOGIN)
    body = texts.full if mode == "always" or texts.worth else texts.quiet
    if not existing and mode == "on-change" and not texts.worth:
        return Outcome(skipped="nothing changed")
    if existing and _same(existing[0].body, body):
        _remove(client, existing[1:])
        return Outcome(existing[0].html_url, UP_TO_DATE)
    if reason := _objection(client, number, head_sha, base_ref, creates=not existing):
        return Outcome(skipped=reason)
    if not existing:
        return Outcome(_create(client, number, key, body).html_url)
    try:
        written = client.edit_comment(existing[0].id, body)
    except NotFoundError:  # somebody has deleted it
        written = _create(client, number, key, body)
    _remove(client, [comment for comment in existing[1:] if comment.id != written.id])
    return Outcome(written.html_url)


def publish_anew(
    client: GitHubClient, number: int, head_sha: str, key: str, texts: Texts, mode: str, *, base_ref: str = ""
) -> Outcome:
    """As `publish_comment`, but a new comment takes the place of the older ones, which are minimised as outdated."""
    if mode == "never":
        return OFF
    existing = owned(client.known_comments(number), key, ACTIONS_LOGIN)
    hidden = client.minimized([comment.node_id for comment in existing]) if existing else frozenset()
    shown = [comment for comment in existing if comment.node_id not in hidden]
    creates = mode == "always" or texts.worth
    if not creates and not shown:
        return Outcome(skipped="nothing changed")
    if creates and shown and _same(shown[-1].body, texts.full):
        _minimize(client, shown[:-1])
        return Outcome(shown[-1].html_url, UP_TO_DATE)
    if reason := _objection(client, number, head_sha, base_ref, creates=creates):
        return Outcome(skipped=reason)
    if not creates:
        _minimize(client, shown)
        return Outcome(skipped="nothing changed; the earlier comment is minimised")
    created = client.create_comment(number, texts.full)
    # another run may have written meanwhile: of all comments that are shown now, the newest stays
    minimised = {comment.id for comment in existing} - {comment.id for comment in shown}
    current = owned(client.comments(number), key, created.author)
    current = [comment for comment in current if comment.id not in minimised] or [created]
    _minimize(client, current[:-1])
    return Outcome(current[-1].html_url)


def answer_in_comment(
    client: GitHubClient, number: int, key: str, answered: Callable[[str], str], *, newest: bool
) -> str:
    """Edits the comment with ``answered``; returns its address, empty where there is none.

    ``newest``: older comments are minimised, so the newest is edited.
    """
    existing = owned(client.comments(number), key, ACTIONS_LOGIN)
    if not existing:
        return ""
    comment = existing[-1 if newest else 0]
    body = answered(comment.body)
    return comment.html_url if _same(comment.body, body) else client.edit_comment(comment.id, body).html_url


def owned(comments: list[CommentRecord], key: str, author: str) -> list[CommentRecord]:
    """Comments that begin with the marker of this key and were written by this author, oldest first."""
    marker = re.compile(rf"\s*<!-- profgate v1 key={re.escape(key)}[ >]")
    found = (comment for comment in comments if comment.author == author and marker.match(comment.body))
    return sorted(found, key=lambda comment: comment.id)


def _objection(client: GitHubClient, number: int, head_sha: str, base_ref: str, *, creates: bool) -> str:
    """Why a result is no longer about this pull request, or needs no new comment; empty where neither holds."""
    pull = client.pull(number)
    if pull.head.sha != head_sha:
        return "the pull request has newer commits"
    if base_ref and pull.base.ref != base_ref:
        return "the base branch of the pull request has changed"
    return f"the pull request is {pull.state}" if creates and pull.state != "open" else ""


def _create(client: GitHubClient, number: int, key: str, body: str) -> CommentRecord:
    """Creates a comment; of those that concurrent runs created, the oldest stays."""
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


def _minimize(client: GitHubClient, comments: list[CommentRecord]) -> None:
    with suppress(NotAllowed):
        for comment in comments:
            client.minimize_comment(comment.node_id)


def _same(stored: str, body: str) -> bool:
    return stored.replace("\r\n", "\n").strip() == body.strip()
