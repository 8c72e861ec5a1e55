"""What the fake GitHub remembers."""

import hashlib
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import Struct

from profgate.model.record import Record

CUT, HANG = 0, -1
START = datetime(2026, 11, 2, 8, 0, tzinfo=UTC)
ALL_PERMISSIONS = {"actions": "read", "contents": "read", "issues": "write", "metadata": "read"}
ALL_PERMISSIONS |= {"pull_requests": "write", "statuses": "write"}


def date_of(number: int) -> str:
    """The time at which an id was given."""
    return (START + timedelta(minutes=number)).strftime("%Y-%m-%dT%H:%M:%SZ")


class Commit(Record):
    sha: str
    parents: tuple[str, ...]
    date: str
    message: str
    author: str
    files: Mapping[str, bytes]


class Run(Record):
    id: int
    event: str
    head_branch: str
    head_sha: str
    head_repository_id: int
    head_repository: str
    path: str
    status: str
    conclusion: str | None
    created_at: str
    attempt: int
    repository_id: int | None = None  # None: this repository


class Artifact(Record):
    id: int
    run_id: int
    name: str
    data: bytes
    mime_type: str
    file_name: str
    expired: bool
    digest: str | None
    created_at: str
    attempt: int = 1


class Pull(Struct):
    number: int
    head_sha: str
    base_sha: str
    head_ref: str
    base_ref: str
    head_repository_id: int | None
    head_repository: str
    author: str
    state: str
    title: str = "A change"
    body: str | None = None
    draft: bool = False
    stack: dict[str, Any] | None = None


@dataclass
class Comment:
    id: int
    pull: int
    author: str
    body: str
    edited: bool = False
    association: str = "NONE"
    reactions: list[str] = field(default_factory=list)
    updated: str = ""  # empty: never

    @property
    def created(self) -> str:
        return date_of(self.id)

    @property
    def node_id(self) -> str:
        return f"IC_{self.id}"


class Release(Record):
    id: int
    tag: str
    sha: str
    assets: dict[int, tuple[str, bytes]]


@dataclass
class Fault:
    """What answers instead of GitHub, ``times`` times; ``stored`` lets the request do its work first.

    A status of CUT hangs up, one of HANG lets the other side wait. A dollar in ``path_part`` is the end of the path.
    """

    method: str
    path_part: str
    status: int
    times: int
    stored: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b'{"message": "Server Error"}'
    content_type: str = "application/json; charset=utf-8"


class LoggedRequest(Record):
    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    status: int


@dataclass
class State:
    """One repository with everything in it."""

    repository: str = "octo-org/shop"
    repository_id: int = 4711
    former_repository: str = ""  # its name before it was renamed or transferred
    default_branch: str = "main"
    token: str = "ghs_fake_token"
    permissions: dict[str, str] = field(default_factory=lambda: dict(ALL_PERMISSIONS))
    token_login: str = "github-actions[bot]"
    commits: dict[str, Commit] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    runs: dict[int, Run] = field(default_factory=dict)
    artifacts: dict[int, Artifact] = field(default_factory=dict)
    pulls: dict[int, Pull] = field(default_factory=dict)
    comments: dict[int, Comment] = field(default_factory=dict)
    enterprise: bool = False
    ignores_filters: bool = False  # lists runs that were not requested
    release_digests: bool = True  # older servers know none
    releases: dict[int, Release] = field(default_factory=dict)
    reruns: list[int] = field(default_factory=list)
    statuses: list[dict[str, object]] = field(default_factory=list)
    collaborators: dict[str, str] = field(default_factory=dict)
    most_listed: int = 100_000  # files of a commit
    faults: list[Fault] = field(default_factory=list)
    log: list[LoggedRequest] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    current_run_id: int | None = None
    last_id: int = 1000

    def next_id(self) -> int:
        self.last_id += 1
        return self.last_id

    def next_date(self) -> str:
        """Times that grow by a minute, so that nothing depends on the clock."""
        return date_of(self.next_id())

    def new_sha(self) -> str:
        return hashlib.sha1(f"commit {self.next_id()}".encode(), usedforsecurity=False).hexdigest()

    def resolve(self, ref: str) -> Commit | None:
        """The commit of a SHA, a branch, a tag or an unambiguous beginning of a SHA."""
        short = ref.removeprefix("refs/").removeprefix("heads/").removeprefix("tags/")
        sha = self.branches.get(short) or self.tags.get(short) or ref
        if sha in self.commits:
            return self.commits[sha]
        found = [key for key in self.commits if len(sha) >= 7 and key.startswith(sha)]
        return self.commits[found[0]] if len(found) == 1 else None

    def ancestors(self, sha: str) -> Iterator[Commit]:
        """A commit and its ancestors, newest first as ``git log`` shows them."""
        seen, queue, found = {sha}, deque([sha]), []
        while queue:
            commit = self.commits.get(queue.popleft())
            if commit is None:
                continue
            found.append(commit)
            for parent in commit.parents:
                if parent not in seen:
                    seen.add(parent)
                    queue.append(parent)
        return iter(sorted(found, key=lambda commit: commit.date, reverse=True))

    def merge_base(self, base: str, head: str) -> Commit | None:
        shared = {commit.sha for commit in self.ancestors(base)}
        return next((commit for commit in self.ancestors(head) if commit.sha in shared), None)
