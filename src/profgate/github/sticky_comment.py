"""One comment for each key, found by marker and author, never written for an older head.

It is edited in place, which notifies nobody; on request a new one is written and the older ones are minimised.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from profgate.errors import NotAllowed
from profgate.github.client import GitHubClient
from profgate.github.records import CommentRecord, PullRecord
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


def publish_comment(
    client: GitHubClient, number: int, head_sha: str, key: str, texts: Texts, mode: str, *, base_ref: str = ""
) -> Outcome:
    """Writes or edits the comment, unless the pull request has changed since.

    ``mode`` is always, on-change or never; ``base_ref`` is the compared branch, empty where it does not matter. The
    comments may have been read before the comparison. Raises `GitHubError`; `NotAllowed` where the token cannot write.
    """
    if mode == "never":
        return Outcome(skipped="comments are switched off")
    existing = owned(client.known_comments(number), key, ACTIONS_LOGIN)
    wanted = texts.full if mode == "always" or texts.worth else texts.quiet
    if not existing and mode == "on-change" and not texts.worth:
        return Outcome(skipped="nothing changed")
    if existing and _same(existing[0].body, wanted):
        _remove(client, existing[1:])
        return Outcome(existing[0].html_url, "the comment is up to date")
    pull = client.pull(number)
    if reason := _moved_on(pull, head_sha, base_ref) or (not existing and _closed(pull)):
        return Outcome(skipped=reason)
    if not existing:
        return Outcome(_create(client, number, key, wanted).html_url)
    try:
        written = client.edit_comment(existing[0].id, wanted)
    except NotFoundError:  # somebody deleted it meanwhile
        written = _create(client, number, key, wanted)
    _remove(client, [one for one in existing[1:] if one.id != written.id])
    return Outcome(written.html_url)


def publish_anew(
    client: GitHubClient, number: int, head_sha: str, key: str, texts: Texts, mode: str, *, base_ref: str = ""
) -> Outcome:
    """As `publish_comment`, but a new comment takes the place of the older ones, which are minimised as outdated."""
    if mode == "never":
        return Outcome(skipped="comments are switched off")
    mine = owned(client.known_comments(number), key, ACTIONS_LOGIN)
    shown = _shown(client, mine)
    wanted = mode == "always" or texts.worth
    if not wanted and not shown:
        return Outcome(skipped="nothing changed")
    if wanted and shown and _same(shown[-1].body, texts.full):
        _minimize(client, shown[:-1])
        return Outcome(shown[-1].html_url, "the comment is up to date")
    pull = client.pull(number)
    if reason := _moved_on(pull, head_sha, base_ref) or (wanted and _closed(pull)):
        return Outcome(skipped=reason)
    if not wanted:
        _minimize(client, shown)
        return Outcome(skipped="nothing changed; the earlier comment is minimised")
    created = client.create_comment(number, texts.full)
    # Another run may have written meanwhile: of all that are shown now, the newest stays.
    others = owned(client.comments(number), key, created.author)
    known = {one.id for one in mine} - {one.id for one in shown}
    now = [one for one in others if one.id not in known] or [created]
    _minimize(client, now[:-1])
    return Outcome(now[-1].html_url)


def _moved_on(pull: PullRecord, head_sha: str, base_ref: str) -> str:
    """Why a result is no longer about this pull request; empty where it is."""
    if pull.head.sha != head_sha:
        return "the pull request has newer commits"
    return "the pull request has another base branch by now" if base_ref and pull.base.ref != base_ref else ""


def _closed(pull: PullRecord) -> str:
    """Why no new comment is written; empty where the pull request is open."""
    return "" if pull.state == "open" else f"the pull request is {pull.state}"


def answer_in_comment(
    client: GitHubClient, number: int, key: str, answered: Callable[[str], str], *, newest: bool
) -> str:
    """Edits the comment with ``answered``; its address, empty where there is none.

    ``newest``: older comments are minimised, so the newest is edited.
    """
    mine = owned(client.comments(number), key, ACTIONS_LOGIN)
    if not mine:
        return ""
    comment = mine[-1 if newest else 0]
    wanted = answered(comment.body)
    return comment.html_url if _same(comment.body, wanted) else client.edit_comment(comment.id, wanted).html_url


def owned(comments: list[CommentRecord], key: str, author: str) -> list[CommentRecord]:
    """Comments that begin with the marker of this key and were written by this author, oldest first."""
    marker = re.compile(rf"\s*<!-- profgate v1 key={re.escape(key)}[ >]")
    return sorted((one for one in comments if one.author == author and marker.match(one.body)), key=lambda one: one.id)


def _create(client: GitHubClient, number: int, key: str, body: str) -> CommentRecord:
    """Creates a comment, and removes others of a concurrent run."""
    created = client.create_comment(number, body)
    mine = owned(client.comments(number), key, created.author)
    if not mine or mine[0].id == created.id:
        _remove(client, mine[1:])
        return created
    edited = client.edit_comment(mine[0].id, body)
    _remove(client, mine[1:])
    return edited


def _remove(client: GitHubClient, comments: list[CommentRecord]) -> None:
    for comment in comments:
        try:
            client.delete_comment(comment.id)
        except NotAllowed:
            return


def _shown(client: GitHubClient, comments: list[CommentRecord]) -> list[CommentRecord]:
    hidden = client.minimized([one.node_id for one in comments]) if comments else frozenset()
    return [one for one in comments if one.node_id not in hidden]


def _minimize(client: GitHubClient, comments: list[CommentRecord]) -> None:
    for comment in comments:
        try:
            client.minimize_comment(comment.node_id)
        except NotAllowed:
            return


def _same(stored: str, wanted: str) -> bool:
    return stored.replace("\r\n", "\n").strip() == wanted.strip()
