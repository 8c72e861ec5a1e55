"""Records for responses from GitHub's API. They contain only fields that profgate reads; all values are untrusted."""

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, AliasChoices, AliasPath, BeforeValidator, Field

from profgate.model.record import Record


class RepositoryRecord(Record):
    """A repository."""

    id: int
    full_name: str = ""


class CommitRecord(Record):
    """A commit with the first line of its message, the SHAs of its parents, in order, and the committer date."""

    sha: str
    title: Annotated[
        str,
        AfterValidator(lambda message: message.partition("\n")[0][:500]),
        Field(validation_alias=AliasPath("commit", "message")),
    ]
    parents: Annotated[tuple[str, ...], BeforeValidator(lambda parents: [parent["sha"] for parent in parents])]
    date: Annotated[
        datetime,
        Field(
            validation_alias=AliasChoices(
                AliasPath("commit", "committer", "date"), AliasPath("commit", "author", "date")
            )
        ),
    ]


class WorkflowRun(Record):
    """A workflow run. ``path`` may end with "@ref". ``head_repository`` is None if that repository was deleted."""

    id: int
    event: str
    status: str | None
    conclusion: str | None
    head_branch: str | None
    head_sha: str
    head_repository: RepositoryRecord | None
    repository: RepositoryRecord
    path: str
    run_attempt: int = 1

    @property
    def workflow_path(self) -> str:
        """The path of the workflow file without the ref."""
        return self.path.partition("@")[0]

    @property
    def head_repository_id(self) -> int | None:
        """The id of the repository that contains the code, or None if that repository was deleted."""
        return self.head_repository.id if self.head_repository else None


class ArtifactRecord(Record):
    """An artifact of a run. ``digest`` is the digest ``sha256:<hex>`` of the stored bytes, or None for old uploads.

    All about the run is None if the server does not state it.
    """

    id: int
    name: str
    expired: bool
    digest: str | None = None
    run_id: Annotated[int | None, Field(validation_alias=AliasPath("workflow_run", "id"))] = None
    head_sha: Annotated[str | None, Field(validation_alias=AliasPath("workflow_run", "head_sha"))] = None
    head_branch: Annotated[str | None, Field(validation_alias=AliasPath("workflow_run", "head_branch"))] = None
    repository: Annotated[int | None, Field(validation_alias=AliasPath("workflow_run", "repository_id"))] = None
    head: Annotated[int | None, Field(validation_alias=AliasPath("workflow_run", "head_repository_id"))] = None
    created_at: str | None = None


class PullSide(Record):
    """The head or base of a pull request or of a stack. ``repo`` is None if the fork was deleted."""

    sha: str
    ref: str
    repo: RepositoryRecord | None = None


class PullRecord(Record):
    """A pull request. In a stack, ``base`` is the branch of the pull request below, which is not trusted."""

    number: int
    state: str
    head: PullSide
    base: PullSide
    body: str | None = None
    stack_base: Annotated[PullSide | None, Field(validation_alias=AliasPath("stack", "base"))] = None

    @property
    def trunk(self) -> PullSide:
        """The branch into which the pull request is finally merged."""
        return self.stack_base or self.base

    @property
    def head_repository_id(self) -> int | None:
        """The id of the repository that contains the code, or None if that repository was deleted."""
        return self.head.repo.id if self.head.repo else None


class FileRecord(Record):
    """A file in a pull request. ``patch`` is None if the file is binary, only renamed, or too large for GitHub."""

    path: Annotated[str, Field(validation_alias="filename")]
    status: str
    additions: int
    deletions: int
    patch: str | None = None
    previous_path: Annotated[str | None, Field(validation_alias="previous_filename")] = None


class TreeEntry(Record):
    """A file, folder, link or submodule of a commit."""

    path: str
    mode: str
    type: str

    @property
    def is_file(self) -> bool:
        """Whether the entry is a regular file."""
        return self.type == "blob" and self.mode != "120000"  # the mode of symbolic links


class TreeRecord(Record):
    """The files, folders and other entries of a commit. ``truncated`` is True if GitHub does not list all entries."""

    tree: tuple[TreeEntry, ...]
    truncated: bool

    @property
    def paths(self) -> frozenset[str]:
        """The paths of the regular files."""
        return frozenset(entry.path for entry in self.tree if entry.is_file)


class AssetRecord(Record):
    """A file attached to a release. ``digest`` has the same format as in `ArtifactRecord`."""

    id: int
    name: str
    digest: str | None = None


class ReleaseRecord(Record):
    """A release with its files."""

    tag_name: str
    draft: bool
    prerelease: bool
    assets: tuple[AssetRecord, ...]


class CommentRecord(Record):
    """A comment on a pull request. ``author`` is a login, or an empty string if the account was deleted.

    ``author_association`` is the author's role in the repository, such as MEMBER. ``node_id`` is the id in GraphQL.
    """

    id: int
    html_url: str
    node_id: str
    body: str = ""
    author_association: str = ""
    author: Annotated[str, Field(validation_alias=AliasPath("user", "login"))] = ""
