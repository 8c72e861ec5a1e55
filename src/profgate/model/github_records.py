"""What profgate knows about things on GitHub: small records of the fields it reads, all of them untrusted."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class CommitRecord:
    """A commit: its parents in order, its committer's date with time zone."""

    sha: str
    parents: tuple[str, ...]
    date: datetime


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A workflow run with every field the trust filter looks at; ids are None where GitHub lost the repository."""

    id: int
    event: str
    status: str
    conclusion: str | None
    head_branch: str | None
    head_sha: str
    head_repository_id: int | None
    head_repository: str | None
    repository_id: int
    path: str  # without the "@ref" that GitHub sometimes appends
    attempt: int
    created_at: datetime
    html_url: str


@dataclass(frozen=True, slots=True)
class ArtifactRecord:
    """An artifact of a run; ``digest`` is ``sha256:<hex>`` of the stored bytes, None where the server has none."""

    id: int
    name: str
    size: int
    expired: bool
    digest: str | None
    run_id: int | None
    head_sha: str | None
    created_at: datetime | None


@dataclass(frozen=True, slots=True)
class PullRecord:
    """A pull request; the head repository is None after a fork was deleted."""

    number: int
    state: str
    draft: bool
    author: str
    head_sha: str
    head_ref: str
    head_repository_id: int | None
    head_repository: str | None
    base_sha: str
    base_ref: str
    base_repository_id: int
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One file of a pull request; the patch is None where GitHub gives none (too large, binary, nothing but a name)."""

    path: str
    previous_path: str
    status: str
    additions: int
    deletions: int
    patch: str | None


@dataclass(frozen=True, slots=True)
class TreeRecord:
    """The paths of all regular files of a commit; ``whole`` False: there are more than GitHub lists."""

    paths: frozenset[str]
    whole: bool


@dataclass(frozen=True, slots=True)
class AssetRecord:
    """A file of a release; ``digest`` is ``sha256:<hex>``, None where the server has none."""

    id: int
    name: str
    size: int
    digest: str | None


@dataclass(frozen=True, slots=True)
class ReleaseRecord:
    """A release; ``upload_url`` ends with a template of parameters."""

    id: int
    tag: str
    draft: bool
    prerelease: bool
    upload_url: str
    assets: tuple[AssetRecord, ...]


@dataclass(frozen=True, slots=True)
class CommentRecord:
    """A comment of a pull request; ``author`` is the login, empty for a deleted user.

    ``edited``: its text may be of somebody else. ``association`` is what GitHub calls the author, such as MEMBER;
    ``node_id`` is the comment's name in GraphQL.
    """

    id: int
    author: str
    body: str
    html_url: str
    edited: bool = False
    association: str = ""
    node_id: str = ""


@dataclass(frozen=True, slots=True)
class MessageRecord:
    """The message of a commit."""

    sha: str
    message: str
