"""Answers of GitHub's API: the fields that are read, by GitHub's names where nothing else is stated. All untrusted."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any

from pydantic import AliasChoices, AliasPath, BeforeValidator, Field

STORING = timedelta(seconds=2)  # between the two times of an unedited comment
LINK = "120000"  # git's mode of a symbolic link


def _shas(parents: list[dict[str, Any]]) -> list[Any]:
    return [parent["sha"] for parent in parents]


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository."""

    id: int
    full_name: str = ""


@dataclass(frozen=True, slots=True)
class CommitRecord:
    """A commit: the SHAs of its parents in order, and its committer's date with time zone."""

    sha: str
    parents: Annotated[tuple[str, ...], BeforeValidator(_shas)]
    date: Annotated[
        datetime,
        Field(
            validation_alias=AliasChoices(
                AliasPath("commit", "committer", "date"), AliasPath("commit", "author", "date")
            )
        ),
    ]
    message: Annotated[str, Field(validation_alias=AliasPath("commit", "message"))] = ""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A workflow run; ``path`` may end with "@ref", and ``head_repository`` is None after it was deleted."""

    id: int
    event: str
    status: str | None
    conclusion: str | None
    head_branch: str | None
    head_sha: str
    head_repository: Repository | None
    repository: Repository
    path: str

    @property
    def workflow_path(self) -> str:
        """The path without the ref."""
        return self.path.partition("@")[0]

    @property
    def head_repository_id(self) -> int | None:
        """The repository of the code."""
        return self.head_repository.id if self.head_repository else None


@dataclass(frozen=True, slots=True)
class ArtifactRun:
    """The run of an artifact."""

    id: int | None = None
    head_sha: str | None = None


@dataclass(frozen=True, slots=True)
class ArtifactRecord:
    """An artifact of a run; ``digest`` is ``sha256:<hex>`` of the stored bytes, None for old uploads."""

    id: int
    name: str
    expired: bool
    digest: str | None = None
    workflow_run: ArtifactRun | None = None

    def may_be_of(self, run_id: int, head_sha: str) -> bool:
        """Whether the server does not name another run or commit."""
        run = self.workflow_run or ArtifactRun()
        return run.id in {None, run_id} and run.head_sha in {None, head_sha}


@dataclass(frozen=True, slots=True)
class PullSide:
    """A side of a pull request; ``repo`` is None after a fork was deleted."""

    sha: str
    ref: str
    repo: Repository | None


@dataclass(frozen=True, slots=True)
class PullRecord:
    """A pull request."""

    number: int
    state: str
    head: PullSide
    base: PullSide

    @property
    def head_repository_id(self) -> int | None:
        """The repository of the code."""
        return self.head.repo.id if self.head.repo else None


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A file of a pull request; the patch is None where GitHub gives none (too large, binary, renamed only)."""

    path: Annotated[str, Field(validation_alias="filename")]
    status: str
    additions: int
    deletions: int
    patch: str | None = None
    previous_path: Annotated[str | None, Field(validation_alias="previous_filename")] = None


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file, folder, link or submodule of a commit."""

    path: str
    mode: str
    type: str
    sha: str = ""
    size: int = 0

    @property
    def is_file(self) -> bool:
        """Whether it is a regular file."""
        return self.type == "blob" and self.mode != LINK


@dataclass(frozen=True, slots=True)
class TreeRecord:
    """The entries of a commit; ``truncated``: there are more than GitHub lists."""

    tree: tuple[TreeEntry, ...]
    truncated: bool

    @property
    def paths(self) -> frozenset[str]:
        """The paths of the regular files."""
        return frozenset(entry.path for entry in self.tree if entry.is_file)


@dataclass(frozen=True, slots=True)
class AssetRecord:
    """A file of a release; ``digest`` as of an artifact."""

    id: int
    name: str
    size: int
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class ReleaseRecord:
    """A release; ``upload_url`` ends with a template of parameters."""

    tag_name: str
    draft: bool
    prerelease: bool
    upload_url: str
    assets: tuple[AssetRecord, ...]


@dataclass(frozen=True, slots=True)
class User:
    """An account."""

    login: str = ""


@dataclass(frozen=True, slots=True)
class CommentRecord:
    """A comment of a pull request; ``user`` is None after the account was deleted.

    ``author_association`` is what GitHub calls the author, such as MEMBER; ``node_id`` names the comment in GraphQL.
    """

    id: int
    user: User | None
    html_url: str
    created_at: datetime
    updated_at: datetime
    node_id: str
    body: str = ""
    author_association: str = ""

    @property
    def author(self) -> str:
        """The login, empty for a deleted account."""
        return self.user.login if self.user else ""

    @property
    def edited(self) -> bool:
        """Whether somebody else may have written the text."""
        return self.updated_at - self.created_at > STORING
