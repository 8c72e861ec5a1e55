"""Read a pull request's acceptances from its comments and commits, and check the authors' permissions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from profgate.errors import GitHubError
from profgate.github.client import GitHubClient
from profgate.github.records import CommentRecord
from profgate.github.sticky_comment import written_by_us
from profgate.model.acceptance import ROOM, Acceptance, in_comment, in_commit, remembered_limits, shown_growth
from profgate.model.reason import Reason, ReasonCode

WRITERS = frozenset({"admin", "write"})
ROLES = ("OWNER", "MEMBER", "COLLABORATOR", "CONTRIBUTOR")  # private members are reported as contributors
MOST_PEOPLE = 10  # maximum number of comment authors whose permission is requested in one run
MOST_ACCEPTANCES = 50  # maximum number of acceptances, separately for valid and refused ones


@dataclass(frozen=True, slots=True)
class AcceptanceRequest:
    """A pull request, and the conditions under which its acceptances are valid.

    Everybody with write access may accept, unless the policy at the base commit names ``owners``. ``same_repository``
    is True if a push to the head branch requires write access. ``remembers`` is True if this run can write the comment
    in which limits are stored. ``trailers`` is True if commit trailers are read; those of a fork are refused.
    """

    pull: int
    key: str
    owners: Sequence[str]
    same_repository: bool
    remembers: bool
    trailers: bool = True


class Rights:
    """Checks which users may accept regressions. ``owners`` are the logins in the policy at the base commit."""

    def __init__(self, client: GitHubClient, owners: Iterable[str]) -> None:
        self._client = client
        self._owners = frozenset(owner.lower().removeprefix("@") for owner in owners)
        self._known: dict[str, Reason | None] = {}

    def objection(self, login: str) -> Reason | None:
        """Return why this user may not accept regressions, or None if the user may. Makes at most one request."""
        if not login:
            return Reason(ReasonCode.AUTHOR_DELETED)
        if self._owners:
            return None if login.lower() in self._owners else Reason(ReasonCode.NO_OWNER, {"login": login})
        if login not in self._known:
            self._known[login] = self._looked_up(login)
        return self._known[login]

    def objections(self, comments: Iterable[CommentRecord]) -> dict[str, Reason | None]:
        """Return `objection` for each comment author.

        If the policy names no owners, the permissions of at most 10 authors are requested, first of those with a role.
        """
        roles = {role: place for place, role in enumerate(ROLES)}
        order = sorted(comments, key=lambda comment: roles.get(comment.author_association, len(ROLES)))
        logins = list(dict.fromkeys(comment.author for comment in order))
        found: dict[str, Reason | None] = {
            login: Reason(ReasonCode.NOT_LOOKED_UP, {"login": login, "most": MOST_PEOPLE}) for login in logins
        }
        return found | {login: self.objection(login) for login in (logins if self._owners else logins[:MOST_PEOPLE])}

    def _looked_up(self, login: str) -> Reason | None:
        try:
            permission = self._client.permission_of(login)
        except GitHubError as error:
            return Reason(ReasonCode.RIGHTS_UNKNOWN, {"login": login, "text": str(error)})
        return None if permission in WRITERS else Reason(ReasonCode.NO_WRITER, {"login": login})


def acceptances_of(client: GitHubClient, request: AcceptanceRequest, rights: Rights) -> tuple[Acceptance, ...]:
    """Return the acceptances from comments, then those from commits, with the reason for each that is refused."""
    comments = client.comments(request.pull)
    written = [
        (comment, replace(acceptance, by=comment.author, link=comment.html_url))
        for comment in comments
        for acceptance in in_comment(comment.body, comment.id)
    ]
    objections = rights.objections(comment for comment, _ in written)
    counted = (comment.node_id for comment, one in written if one.state == "open" and not objections[comment.author])
    unedited = client.unedited(list(dict.fromkeys(counted)))  # times cannot show an edit within the first seconds
    limits = _Limits(client, request, comments)
    found = [
        limits.applied(_judged_comment(acceptance, objections[comment.author], edited=edited), comment.created_at)
        for comment, acceptance in written
        for edited in [comment.node_id not in unedited]
    ]
    for commit in client.pull_commits(request.pull) if request.trailers else ():
        for acceptance in in_commit(commit.message, commit.sha):
            trailer = replace(acceptance, by=f"commit {commit.sha[:7]}")
            found.append(limits.applied(_judged_trailer(trailer, request), None))
    return _newest(found)


def _newest(found: Sequence[Acceptance]) -> tuple[Acceptance, ...]:
    """Return the newest valid acceptances and the newest refused acceptances, in their original order."""
    refused = [item for item in found if item.state == "refused"]
    counted = [item for item in found if item.state != "refused"]
    newest = {item.id for item in (*refused[-MOST_ACCEPTANCES:], *counted[-MOST_ACCEPTANCES:])}
    return tuple(item for item in found if item.id in newest)


def _refused(acceptance: Acceptance, reason: Reason | ReasonCode) -> Acceptance:
    return replace(acceptance, state="refused", remark=reason if isinstance(reason, Reason) else Reason(reason))


def _judged_comment(acceptance: Acceptance, objection: Reason | None, *, edited: bool) -> Acceptance:
    if acceptance.state == "refused":
        return acceptance
    if objection:  # the reason that the author gave is removed, because text by untrusted authors is not shown
        return _refused(replace(acceptance, reason=""), objection)
    return _refused(acceptance, ReasonCode.COMMENT_EDITED) if edited else acceptance


def _judged_trailer(acceptance: Acceptance, request: AcceptanceRequest) -> Acceptance:
    if acceptance.state == "refused":
        return acceptance
    if not request.same_repository:
        return _refused(acceptance, ReasonCode.TRAILER_OF_FORK)
    if request.owners:
        return _refused(acceptance, ReasonCode.TRAILER_WITHOUT_OWNER)
    return acceptance


class _Limits:
    """Determines the limits of acceptances that were written without ``max=``.

    Such a limit is 1.25 times the growth that profgate's comment showed when the acceptance was written. The next run
    stores the limit in its new text. A comment is trusted only if the owner of this token wrote it.
    """

    def __init__(self, client: GitHubClient, request: AcceptanceRequest, comments: list[CommentRecord]) -> None:
        self._client, self._request, self._comments = client, request, comments

    def applied(self, acceptance: Acceptance, written: datetime | None) -> Acceptance:
        """Return the acceptance with its limit. If there is no limit, return the acceptance as refused.

        ``written`` is the time of a comment, or None for a commit trailer. A trailer is written before the growth is
        measured, so it is not refused if this run can store the limit after the measurement.
        """
        if acceptance.state == "refused" or acceptance.limit is not None or acceptance.removal:
            return acceptance
        if self._request.owners:
            return _refused(acceptance, ReasonCode.LIMIT_NEEDED)
        limits = [limits[acceptance.id] for limits in self._stored if acceptance.id in limits]
        if written is None and not limits:
            return acceptance if self._request.remembers else _refused(acceptance, ReasonCode.LIMIT_NOT_STORED)
        before = [comment for comment in self._ours if written is not None and comment.updated_at < written]
        if not limits and before and (growth := shown_growth(before[-1].body, acceptance)) is not None:
            limits = [ROOM * growth]
        if not limits:
            return _refused(acceptance, ReasonCode.GROWTH_NOT_SHOWN)
        return replace(acceptance, limit=min(limits))

    @cached_property
    def _ours(self) -> list[CommentRecord]:
        return written_by_us(self._client, self._comments, self._request.key)

    @cached_property
    def _stored(self) -> list[dict[str, float]]:
        return [remembered_limits(comment.body) for comment in self._ours]
