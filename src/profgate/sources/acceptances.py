"""The acceptances of a pull request, from its comments and commits, with the rights of who wrote them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from profgate.errors import GitHubError
from profgate.model.acceptance import Acceptance, in_comment, in_commit, remembered_limits
from profgate.model.github_records import CommentRecord, MessageRecord, PullRecord

WRITERS = frozenset({"admin", "write"})
INSIDERS = ("OWNER", "MEMBER", "COLLABORATOR")
MOST_ASKED = 10  # people whose rights are looked up in one run: each costs a request
MOST_ACCEPTANCES = 50  # of those that count, and of those that are refused
BOT = "github-actions[bot]"


class Talk(Protocol):
    """What is needed of the client."""

    def pull(self, number: int) -> PullRecord: ...  # noqa: D102 - as GitHubClient
    def comments(self, number: int) -> list[CommentRecord]: ...  # noqa: D102
    def pull_messages(self, number: int) -> list[MessageRecord]: ...  # noqa: D102
    def permission_of(self, login: str) -> str: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Wanted:
    """Whose acceptances of which pull request count.

    ``owners`` are logins of the policy at the base commit, empty where everybody who can write may accept. ``ours``:
    head and base are one repository, so that only people with rights could push. ``remembers``: this run can write its
    comment, which keeps the limits that it measures. ``trailers``: commits are looked at, if only to tell that a fork's
    do not count.
    """

    pull: int
    key: str
    owners: Sequence[str]
    ours: bool
    remembers: bool
    trailers: bool = True


def acceptances_of(client: Talk, wanted: Wanted) -> tuple[Acceptance, ...]:
    """What was accepted in a pull request, oldest first; what does not count is refused with the reason."""
    comments = client.comments(wanted.pull)
    said = [
        (comment, replace(wish, by=comment.author, link=comment.html_url))
        for comment in comments
        for wish in in_comment(comment.body, comment.id)
    ]
    people = _Rights(client, wanted.owners, [comment for comment, _ in said])
    found = [_judged_comment(comment, wish, people) for comment, wish in said]
    for message in client.pull_messages(wanted.pull) if wanted.trailers else ():
        wishes = in_commit(message.message, message.sha)
        found += [_judged_trailer(replace(wish, by=f"commit {message.sha[:7]}"), wanted) for wish in wishes]
    limits = remembered_limits(next((one.body for one in comments if _is_ours(one, wanted.key)), ""))
    return _newest([_limited(wish, limits, wanted) for wish in found])


def _newest(found: Sequence[Acceptance]) -> tuple[Acceptance, ...]:
    """The newest in their order; what is refused takes no place away from what counts."""
    kept: set[str] = set()
    for refused in (False, True):
        kept |= {one.id for one in [one for one in found if (one.state == "refused") == refused][-MOST_ACCEPTANCES:]}
    return tuple(one for one in found if one.id in kept)


def _is_ours(comment: CommentRecord, key: str) -> bool:
    begins = (f"<!-- profgate v1 key={key} ", f"<!-- profgate v1 key={key}>")
    return comment.author == BOT and comment.body.lstrip().startswith(begins)


def _refused(wish: Acceptance, told: str) -> Acceptance:
    return replace(wish, state="refused", told=told)


def _judged_comment(comment: CommentRecord, wish: Acceptance, people: "_Rights") -> Acceptance:
    if wish.state == "refused":
        return wish
    if comment.edited:
        return _refused(wish, "the comment was edited, perhaps by somebody else: write a new one")
    told = people.objection(comment.author)
    return _refused(replace(wish, reason=""), told) if told else wish  # profgate repeats no words of strangers


def _judged_trailer(wish: Acceptance, wanted: Wanted) -> Acceptance:
    if wish.state == "refused":
        return wish
    if not wanted.ours:
        return _refused(wish, "a trailer counts only in a branch of this repository: a maintainer writes a comment")
    if wanted.owners:
        return _refused(wish, "the policy names owners, and a trailer does not show who pushed it: write a comment")
    return wish


def _limited(wish: Acceptance, limits: dict[str, float], wanted: Wanted) -> Acceptance:
    """With its own limit, else the one that was measured when it was new."""
    if wish.state == "refused" or wish.limit is not None:
        return wish
    if wanted.owners:
        return _refused(wish, "the policy names owners, so it must say how much: add max=+30%")
    if wish.id in limits:
        return replace(wish, limit=limits[wish.id])
    if not wanted.remembers:
        return _refused(wish, "this run cannot keep in mind how much was accepted: add max=+30%")
    return wish


class _Rights:
    """Who may accept; each person is looked up once, insiders first, so that strangers cannot use up the look-ups."""

    def __init__(self, client: Talk, owners: Iterable[str], comments: Sequence[CommentRecord]) -> None:
        self._client = client
        self._owners = frozenset(owner.lower().removeprefix("@") for owner in owners)
        order = sorted(comments, key=lambda one: one.association not in INSIDERS)
        self._asked = set(list(dict.fromkeys(one.author for one in order if one.author))[:MOST_ASKED])
        self._known: dict[str, str] = {}

    def objection(self, login: str) -> str:
        """Why this person may not accept; empty where they may."""
        if not login:
            return "its author has no account any more"
        if self._owners:
            return "" if login.lower() in self._owners else f"{login} is not among the owners that the policy names"
        if login not in self._asked:
            return f"the rights of {login} were not looked up: more than {MOST_ASKED} people wrote commands"
        if login not in self._known:
            self._known[login] = self._looked_up(login)
        return self._known[login]

    def _looked_up(self, login: str) -> str:
        try:
            permission = self._client.permission_of(login)
        except GitHubError as error:
            return f"GitHub did not tell the rights of {login}: {error}"
        return "" if permission in WRITERS else f"{login} has no right to write here"
