"""Read a pull request's acceptances from its comments, and check the authors' permissions."""

from collections.abc import Iterable

from profgate.action.github.client import GitHubClient
from profgate.action.github.records import CommentRecord
from profgate.errors import GitHubError
from profgate.model.acceptance import Acceptance, in_comment
from profgate.model.reason import Reason, ReasonCode
from profgate.model.record import replace

ROLES = ("OWNER", "MEMBER", "COLLABORATOR", "CONTRIBUTOR")  # private members are reported as contributors
MOST_PEOPLE = 10  # maximum number of comment authors whose permission is requested in one run
MOST_ACCEPTANCES = 50  # maximum number of acceptances, separately for valid and refused ones


class Rights:
    """Checks which users may accept: those with write access, or the ``owners`` in the policy at the base commit."""

    def __init__(self, client: GitHubClient, owners: Iterable[str]) -> None:
        self._client = client
        self._owners = frozenset(owner.lower().removeprefix("@") for owner in owners)
        self._known: dict[str, Reason | None] = {}

    def objection(self, login: str) -> Reason | None:
        """Return why this user may not accept regressions, or None if the user may. Makes at most one request."""
        if self._owners:
            if login.lower() in self._owners:
                return None
            return Reason(ReasonCode.ACCEPTANCE, {"case": "no_owner", "login": login or "ghost"})
        if login not in self._known:
            self._known[login] = self._looked_up(login)
        return self._known[login]

    def objections(self, comments: Iterable[CommentRecord]) -> dict[str, Reason | None]:
        """Return `objection` for each comment author.

        If the policy names no owners, the permissions of at most 10 authors are requested, first of those with a role.
        """
        roles = {role: place for place, role in enumerate(ROLES)}
        order = sorted(comments, key=lambda comment: roles.get(comment.author_association, len(ROLES)))
        found: dict[str, Reason | None] = {}
        for login in dict.fromkeys(comment.author for comment in order):
            if self._owners or len(found) < MOST_PEOPLE:
                found[login] = self.objection(login)
            else:
                text = f"more than {MOST_PEOPLE} people wrote commands"
                found[login] = Reason(ReasonCode.ACCEPTANCE, {"case": "rights_unknown", "login": login, "text": text})
        return found

    def _looked_up(self, login: str) -> Reason | None:
        if not login:  # the account was deleted, and GitHub shows it as ghost
            return Reason(ReasonCode.ACCEPTANCE, {"case": "no_writer", "login": "ghost"})
        try:
            permission = self._client.permission_of(login)
        except GitHubError as error:
            return Reason(ReasonCode.ACCEPTANCE, {"case": "rights_unknown", "login": login, "text": str(error)})
        if permission in {"admin", "write"}:
            return None
        return Reason(ReasonCode.ACCEPTANCE, {"case": "no_writer", "login": login})


def acceptances_of(client: GitHubClient, pull: int, rights: Rights) -> tuple[Acceptance, ...]:
    """Return the acceptances in the comments of a pull request, with the reason for each that is refused."""
    written: list[tuple[CommentRecord, Acceptance]] = []
    for comment in client.taken(client.comments, pull):
        commands = in_comment(comment.body, comment.id)
        by, link = comment.author, comment.html_url
        written += [(comment, replace(acceptance, by=by, link=link)) for acceptance in commands]
    objections = rights.objections(comment for comment, _ in written)
    allowed = [comment.node_id for comment, _ in written if objections[comment.author] is None]
    unedited = client.unedited(list(dict.fromkeys(allowed)))  # times cannot show an edit within the first seconds
    valid, refused = [], []
    for comment, acceptance in written:
        objection = objections[comment.author] or acceptance.remark
        if objection is None and comment.node_id not in unedited:
            objection = Reason(ReasonCode.ACCEPTANCE, {"case": "comment_edited"})
        if objection is None:
            valid.append(acceptance)
        else:  # a reason by an untrusted author is not shown
            refused.append(replace(acceptance, reason="", state="refused", remark=objection))
    return (*valid[-MOST_ACCEPTANCES:], *refused[-MOST_ACCEPTANCES:])
