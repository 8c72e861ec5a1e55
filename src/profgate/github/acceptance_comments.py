"""Read the acceptances of a pull request from its comments and commits, and check the authors' permissions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from profgate.errors import GitHubError
from profgate.github.client import GitHubClient
from profgate.github.records import CommentRecord
from profgate.github.sticky_comment import ACTIONS_LOGIN, owned
from profgate.model.acceptance import Acceptance, in_comment, in_commit, remembered_limits
from profgate.model.reason import Reason, ReasonCode

WRITERS = frozenset({"admin", "write"})
INSIDERS = ("OWNER", "MEMBER", "COLLABORATOR")
MOST_PEOPLE = 10  # comment authors whose permission is requested in one run
MOST_ACCEPTANCES = 50  # limit for valid acceptances, and separately for refused ones


@dataclass(frozen=True, slots=True)
class AcceptanceRequest:
    """A pull request, and the conditions under which its acceptances are valid.

    ``owners`` are the logins in the policy at the base commit; if empty, everybody with write access may accept.
    ``same_repository`` is True if the head branch is in this repository, where a push needs write access. ``remembers``
    is True if this run can write its comment, which stores the measured limits. ``trailers`` is True if commit trailers
    are read; trailers of a fork are refused.
    """

    pull: int
    key: str
    owners: Sequence[str]
    same_repository: bool
    remembers: bool
    trailers: bool = True


def acceptances_of(client: GitHubClient, request: AcceptanceRequest) -> tuple[Acceptance, ...]:
    """Return the acceptances from comments, then those from commits. Invalid ones are refused with a reason."""
    comments = client.comments(request.pull)
    written = [
        (comment, replace(acceptance, by=comment.author, link=comment.html_url))
        for comment in comments
        for acceptance in in_comment(comment.body, comment.id)
    ]
    people = _Rights(client, request.owners, [comment for comment, _ in written])
    found = [_judged_comment(comment, acceptance, people) for comment, acceptance in written]
    for commit in client.pull_commits(request.pull) if request.trailers else ():
        trailers = in_commit(commit.message, commit.sha)
        found += [_judged_trailer(replace(trailer, by=f"commit {commit.sha[:7]}"), request) for trailer in trailers]
    own = owned(comments, request.key, ACTIONS_LOGIN)
    limits = remembered_limits(own[0].body if own else "")
    return _newest([_limited(acceptance, limits, request) for acceptance in found])


def _newest(found: Sequence[Acceptance]) -> tuple[Acceptance, ...]:
    """Return the newest valid and the newest refused acceptances in their original order."""
    refused = [item for item in found if item.state == "refused"]
    counted = [item for item in found if item.state != "refused"]
    newest = {item.id for item in (*refused[-MOST_ACCEPTANCES:], *counted[-MOST_ACCEPTANCES:])}
    return tuple(item for item in found if item.id in newest)


def _refused(acceptance: Acceptance, reason: Reason | ReasonCode) -> Acceptance:
    return replace(acceptance, state="refused", remark=reason if isinstance(reason, Reason) else Reason(reason))


def _judged_comment(comment: CommentRecord, acceptance: Acceptance, people: "_Rights") -> Acceptance:
    if acceptance.state == "refused":
        return acceptance
    if comment.edited:
        return _refused(acceptance, ReasonCode.COMMENT_EDITED)
    objection = people.objection(comment.author)
    # a reason written by an untrusted author is not shown
    return _refused(replace(acceptance, reason=""), objection) if objection else acceptance


def _judged_trailer(acceptance: Acceptance, request: AcceptanceRequest) -> Acceptance:
    if acceptance.state == "refused":
        return acceptance
    if not request.same_repository:
        return _refused(acceptance, ReasonCode.TRAILER_OF_FORK)
    if request.owners:
        return _refused(acceptance, ReasonCode.TRAILER_WITHOUT_OWNER)
    return acceptance


def _limited(acceptance: Acceptance, limits: dict[str, float], request: AcceptanceRequest) -> Acceptance:
    """Return the acceptance with its own or its stored limit; it is refused if it needs a limit but has none."""
    if acceptance.state == "refused" or acceptance.limit is not None:
        return acceptance
    if request.owners:
        return _refused(acceptance, ReasonCode.LIMIT_NEEDED)
    if acceptance.id in limits:
        return replace(acceptance, limit=limits[acceptance.id])
    if not request.remembers:
        return _refused(acceptance, ReasonCode.LIMIT_NOT_STORED)
    return acceptance


class _Rights:
    """A check of who may accept. Members are looked up first, so that other people cannot exhaust the limit."""

    def __init__(self, client: GitHubClient, owners: Iterable[str], comments: Sequence[CommentRecord]) -> None:
        self._client = client
        self._owners = frozenset(owner.lower().removeprefix("@") for owner in owners)
        order = sorted(comments, key=lambda comment: comment.author_association not in INSIDERS)
        self._looked_up_logins = set(
            list(dict.fromkeys(comment.author for comment in order if comment.author))[:MOST_PEOPLE]
        )
        self._known: dict[str, Reason | None] = {}

    def objection(self, login: str) -> Reason | None:
        """Return the reason why this person may not accept, or None."""
        if not login:
            return Reason(ReasonCode.AUTHOR_DELETED)
        if self._owners:
            return None if login.lower() in self._owners else Reason(ReasonCode.NO_OWNER, {"login": login})
        if login not in self._looked_up_logins:
            return Reason(ReasonCode.NOT_LOOKED_UP, {"login": login, "most": MOST_PEOPLE})
        if login not in self._known:
            self._known[login] = self._looked_up(login)
        return self._known[login]

    def _looked_up(self, login: str) -> Reason | None:
        try:
            permission = self._client.permission_of(login)
        except GitHubError as error:
            return Reason(ReasonCode.RIGHTS_UNKNOWN, {"login": login, "text": str(error)})
        return None if permission in WRITERS else Reason(ReasonCode.NO_WRITER, {"login": login})
