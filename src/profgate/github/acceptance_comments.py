"""The acceptances of a pull request, from its comments and commits, with the rights of who wrote them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from profgate.errors import GitHubError
from profgate.github.client import GitHubClient
from profgate.github.records import CommentRecord
from profgate.model.acceptance import Acceptance, in_comment, in_commit, remembered_limits

WRITERS = frozenset({"admin", "write"})
INSIDERS = ("OWNER", "MEMBER", "COLLABORATOR")
MOST_PEOPLE = 10  # whose rights are looked up in one run, a request each
MOST_ACCEPTANCES = 50  # of those that count, and of those that are refused
BOT = "github-actions[bot]"


@dataclass(frozen=True, slots=True)
class AcceptanceRequest:
    """Which acceptances of which pull request count.

    ``owners`` are logins of the policy at the base commit, empty where everybody who can write may accept. ``ours``:
    head and base are one repository, so that only people with rights could push. ``remembers``: this run can write its
    comment, which stores the limits that it measures. ``trailers``: commits are read, if only to refuse a fork's.
    """

    pull: int
    key: str
    owners: Sequence[str]
    ours: bool
    remembers: bool
    trailers: bool = True


def acceptances_of(client: GitHubClient, request: AcceptanceRequest) -> tuple[Acceptance, ...]:
    """The acceptances of a pull request, oldest first; those that do not count are refused with the reason."""
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
    limits = remembered_limits(next((one.body for one in comments if _is_ours(one, request.key)), ""))
    return _newest([_limited(acceptance, limits, request) for acceptance in found])


def _newest(found: Sequence[Acceptance]) -> tuple[Acceptance, ...]:
    """The newest in their order, counted and refused ones apart."""
    newest: set[str] = set()
    for refused in (False, True):
        newest |= {one.id for one in [one for one in found if (one.state == "refused") == refused][-MOST_ACCEPTANCES:]}
    return tuple(one for one in found if one.id in newest)


def _is_ours(comment: CommentRecord, key: str) -> bool:
    begins = (f"<!-- profgate v1 key={key} ", f"<!-- profgate v1 key={key}>")
    return comment.author == BOT and comment.body.lstrip().startswith(begins)


def _refused(acceptance: Acceptance, reason: str) -> Acceptance:
    return replace(acceptance, state="refused", remark=reason)


def _judged_comment(comment: CommentRecord, acceptance: Acceptance, people: "_Rights") -> Acceptance:
    if acceptance.state == "refused":
        return acceptance
    if comment.edited:
        return _refused(acceptance, "the comment was edited, perhaps by somebody else: write a new one")
    objection = people.objection(comment.author)
    # the reason of an untrusted author is not repeated
    return _refused(replace(acceptance, reason=""), objection) if objection else acceptance


def _judged_trailer(acceptance: Acceptance, request: AcceptanceRequest) -> Acceptance:
    if acceptance.state == "refused":
        return acceptance
    if not request.ours:
        return _refused(acceptance, "a trailer counts only in a branch of this repository: write a comment")
    if request.owners:
        return _refused(acceptance, "the policy names owners, and a trailer shows no author: write a comment")
    return acceptance


def _limited(acceptance: Acceptance, limits: dict[str, float], request: AcceptanceRequest) -> Acceptance:
    """With its own limit, else the one that was measured when it was new."""
    if acceptance.state == "refused" or acceptance.limit is not None:
        return acceptance
    if request.owners:
        return _refused(acceptance, "the policy names owners, so it must say how much: add max=+30%")
    if acceptance.id in limits:
        return replace(acceptance, limit=limits[acceptance.id])
    if not request.remembers:
        return _refused(acceptance, "this run cannot store how much was accepted: add max=+30%")
    return acceptance


class _Rights:
    """Who may accept; each person is looked up once, insiders first, so that others cannot use up the look-ups."""

    def __init__(self, client: GitHubClient, owners: Iterable[str], comments: Sequence[CommentRecord]) -> None:
        self._client = client
        self._owners = frozenset(owner.lower().removeprefix("@") for owner in owners)
        order = sorted(comments, key=lambda one: one.author_association not in INSIDERS)
        self._looked_up_logins = set(list(dict.fromkeys(one.author for one in order if one.author))[:MOST_PEOPLE])
        self._known: dict[str, str] = {}

    def objection(self, login: str) -> str:
        """Why this person may not accept; empty where they may."""
        if not login:
            return "its author has no account any more"
        if self._owners:
            return "" if login.lower() in self._owners else f"{login} is not among the owners that the policy names"
        if login not in self._looked_up_logins:
            return f"the rights of {login} were not looked up: more than {MOST_PEOPLE} people wrote commands"
        if login not in self._known:
            self._known[login] = self._looked_up(login)
        return self._known[login]

    def _looked_up(self, login: str) -> str:
        try:
            permission = self._client.permission_of(login)
        except GitHubError as error:
            return f"GitHub did not tell the rights of {login}: {error}"
        return "" if permission in WRITERS else f"{login} has no right to write here"
