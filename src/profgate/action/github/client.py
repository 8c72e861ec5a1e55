"""A client for the parts of GitHub's API that profgate uses."""

import base64
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from threading import Semaphore, Thread
from typing import Annotated, Any, TypeVar
from urllib.parse import quote

from pydantic import AliasPath, Field

from profgate.action.github.connections import repeated
from profgate.action.github.downloads import TryAgainError, check_digest, fetch, read_zip
from profgate.action.github.records import (
    ArtifactRecord,
    AssetRecord,
    CommentRecord,
    CommitRecord,
    FileRecord,
    PullRecord,
    ReleaseRecord,
    TreeRecord,
    WorkflowRun,
)
from profgate.action.github.requests import (
    PAGE,
    GitHubConnection,
    NotFoundError,
    ServerFailedError,
    parsed,
    undocumented,
)
from profgate.errors import GitHubError
from profgate.model.record import Record

Argument = TypeVar("Argument")
Result = TypeVar("Result")
AT_ONCE = 8  # maximum number of requests in the background
TEXTS = 50  # maximum number of files per GraphQL query; a query must finish in ten seconds


class _Ref(Record):
    ref: str
    sha: Annotated[str, Field(validation_alias=AliasPath("object", "sha"))]


class _Text(Record):
    text: str | None = None
    isBinary: bool | None = None  # noqa: N815 - the name in GraphQL
    isTruncated: bool | None = None  # noqa: N815


class _Node(Record):
    id: str
    lastEditedAt: str | None  # noqa: N815 - the name in GraphQL


class GitHubClient(GitHubConnection):
    """A client for one repository. Downloads have a separate retry budget."""

    def __init__(self, token: str, api_url: str, repository: str, **options: Any) -> None:  # noqa: ANN401 - passed on
        super().__init__(token, api_url, repository, **options)
        self._known_comments: dict[int, list[CommentRecord]] = {}
        self._at_once = Semaphore(AT_ONCE)
        self._started: dict[tuple[str, object], Future[Any]] = {}  # by method and argument
        self._storage_budget = self._budget.fresh()  # so that the comment can be written even if the storage host fails

    # Requests in the background

    def start(self, read: Callable[[Argument], object], argument: Argument) -> None:
        """Call a method of this client in a thread that does not delay the end of the program."""
        self._started[read.__name__, argument] = future = Future[Any]()
        Thread(target=self._read_into, args=(future, read, argument), daemon=True).start()

    def _read_into(self, future: Future[Any], read: Callable[[Argument], object], argument: Argument) -> None:
        try:
            with self._at_once:
                future.set_result(read(argument))
        except BaseException as error:  # noqa: BLE001 - raised again by `taken`
            future.set_exception(error)

    def taken(self, read: Callable[[Argument], Result], argument: Argument) -> Result:
        """Return the result of a method, which may have been started. Raises what the method raises."""
        started = self._started.pop((read.__name__, argument), None)
        return read(argument) if started is None else started.result()

    # Commits and files

    def commit_sha(self, ref: str) -> str:
        """Return the full SHA for a branch, tag or abbreviated SHA. This takes one request."""
        return self._get(f"/commits/{_quoted(ref)}", str, "sha", per_page=1)

    def merge_base(self, base: str, head: str) -> str:
        """Return the SHA of the merge base of ``base`` and ``head``. This takes one request."""
        path = f"/compare/{_quoted(base)}...{_quoted(head)}"
        return self._get(path, str, "merge_base_commit", "sha", per_page=1)

    def ancestors(self, sha: str) -> list[CommitRecord]:
        """Return a commit and its ancestors, at most 100 commits, in the order of ``git log``, in one request."""
        return self._get("/commits", list[CommitRecord], sha=sha, per_page=PAGE)

    def file_at(self, path: str, ref: str) -> bytes | None:
        """Return the content of a file of at most 1 MB at a ref, or None if there is no such file, in one request."""
        where = f"{path} at {ref}"
        try:
            answer = self._get(f"/contents/{quote(path)}", object, ref=ref)
        except NotFoundError:
            return None
        if not isinstance(answer, dict) or answer.get("type") != "file":
            raise GitHubError(where, "is not a file; name a regular file of the repository")
        if answer.get("encoding") != "base64":
            raise GitHubError(where, "is too large to read through the API; keep it below 1 MB")
        try:
            return base64.b64decode(parsed(where, str, answer, "content"))
        except ValueError as error:
            raise undocumented(where, "its content is not base64") from error

    def files_of_commit(self, sha: str) -> TreeRecord:
        """Return the list of a commit's files, in one request. GitHub limits the list to 100,000 entries and 7 MB."""
        return self._get(f"/git/trees/{_quoted(sha)}", TreeRecord, recursive=1)

    def texts_at(self, places: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
        """Return the texts of files by commit and path, in one GraphQL request per 50 files.

        Files that are missing, binary or truncated by GitHub are left out.
        """
        found: dict[tuple[str, str], str] = {}
        for start in range(0, len(places), TEXTS):
            group = places[start : start + TEXTS]
            answer = self._graphql(*_text_query(self._repository, group))
            texts = parsed("files by GraphQL", dict[str, _Text | None], answer, "data", "repository")
            for number, place in enumerate(group):
                text = texts.get(f"file{number}")
                if text is not None and text.text is not None and not (text.isBinary or text.isTruncated):
                    found[place] = text.text
        return found

    def branches_below(self, prefix: str) -> dict[str, str]:
        """Return the head commits of all branches whose names begin with ``prefix``; one request per 100 branches."""
        refs = self._items(f"/git/matching-refs/heads/{quote(prefix)}", _Ref, per_page=None)
        return {item.ref.removeprefix("refs/heads/"): item.sha for item in refs}

    # Runs and artifacts

    def workflow_runs(
        self, workflow_file: str, branch: str | None = None, event: str | None = None, head_sha: str | None = None
    ) -> list[WorkflowRun]:
        """Return the newest 100 runs of a workflow file, of any status, in one request. The filters are unreliable."""
        name = quote(workflow_file.rsplit("/", 1)[-1], safe="")
        return self._get(
            f"/actions/workflows/{name}/runs",
            list[WorkflowRun],
            "workflow_runs",
            per_page=PAGE,
            exclude_pull_requests="true",
            branch=branch or None,
            event=event or None,
            head_sha=head_sha or None,
        )

    def rerun_failed_jobs(self, run_id: int) -> None:
        """Rerun the failed jobs of a completed run. If the request is sent twice, the jobs are rerun only once."""
        self._call("POST", f"/actions/runs/{run_id:d}/rerun-failed-jobs", repeat=True)

    def run_artifacts(self, run_id: int, name: str | None = None) -> list[ArtifactRecord]:
        """Return the artifacts of a run, newest first. If ``name`` is given, only artifacts of that name."""
        found = self._items(f"/actions/runs/{run_id:d}/artifacts", ArtifactRecord, "artifacts", name=name or None)
        return sorted((item for item in found if name in {None, item.name}), key=lambda item: -item.id)

    def named_artifacts(self, name: str) -> list[ArtifactRecord]:
        """Return the newest 100 artifacts of the repository with this exact name, newest first, in one request."""
        found = self._get("/actions/artifacts", list[ArtifactRecord], "artifacts", name=name, per_page=PAGE)
        return sorted((item for item in found if item.name == name), key=lambda item: -item.id)

    def start_downloads(self, artifacts: Iterable[ArtifactRecord]) -> None:
        """Download artifacts in the background. `download` returns them."""
        for artifact in artifacts:
            self.start(self._downloaded, artifact)

    def download(self, artifact: ArtifactRecord) -> bytes:
        """Download the stored bytes of an artifact and check them against its digest.

        One API request returns a signed URL, which is downloaded without sending the token, and again if the host
        fails.
        """
        if artifact.expired:
            raise NotFoundError(_place(artifact), "has expired; run the baseline workflow again")
        return self.taken(self._downloaded, artifact)

    def _downloaded(self, artifact: ArtifactRecord) -> bytes:
        where = _place(artifact)

        def once() -> bytes:
            address = self._call("GET", f"/actions/artifacts/{artifact.id:d}/zip")[0].get("location", "")
            if not address.startswith(("https://", "http://")):
                raise GitHubError(where, "GitHub returned no download address; run again")
            return fetch(address, where, verify=self._verify)

        return self._stored(where, once, artifact.digest or None)

    def artifact_files(self, artifact: ArtifactRecord) -> dict[str, bytes]:
        """Return the unpacked files of an artifact by name. Raises ProfileError if the zip is broken or unsafe."""
        return read_zip(self.download(artifact), where=_place(artifact))

    def _stored(self, where: str, once: Callable[[], bytes], digest: str | None) -> bytes:
        """Return the download after checking its digest. If the storage host fails, ``once`` is called again."""

        def checked() -> bytes:
            data = once()
            check_digest(data, digest, where)
            return data

        return repeated(checked, self._storage_budget, self._backoff, 3, TryAgainError)

    # Releases

    def releases(self) -> list[ReleaseRecord]:
        """Return the newest 100 releases, newest first, in one request."""
        return self._get("/releases", list[ReleaseRecord], per_page=PAGE)

    def release(self, tag: str) -> ReleaseRecord | None:
        """Return the published release of a tag, or None. This takes one request."""
        try:
            return self._get(f"/releases/tags/{quote(tag, safe='')}", ReleaseRecord)
        except NotFoundError:
            return None

    def asset_files(self, asset: AssetRecord) -> dict[str, bytes]:
        """Return the unpacked files of a zip release asset. Raises ProfileError if the zip is broken or unsafe."""
        where = f"release asset {asset.name} ({asset.id})"
        address = f"{self._api_url}/repos/{self._repository}/releases/assets/{asset.id:d}"

        def once() -> bytes:
            return fetch(address, where, token=self._token, verify=self._verify)

        return read_zip(self._stored(where, once, asset.digest or None), where=where)

    # Pull requests

    def pull(self, number: int) -> PullRecord:
        """Return a pull request, in one request."""
        return self._get(f"/pulls/{number:d}", PullRecord)

    def open_pulls(self, head_owner: str, head_branch: str) -> list[PullRecord]:
        """Return the open pull requests from a branch of this owner. The SHA and the repository ids are not checked."""
        return self._get("/pulls", list[PullRecord], state="open", head=f"{head_owner}:{head_branch}", per_page=PAGE)

    def pull_files(self, number: int) -> list[FileRecord]:
        """Return the files of a pull request (GitHub lists at most 3,000). This takes one request per 100 files."""
        return list(self._items(f"/pulls/{number:d}/files", FileRecord))

    def permission_of(self, login: str) -> str:
        """Return the permission of a user (admin, write, read or none), in one request."""
        try:
            return self._get(f"/collaborators/{quote(login, safe='')}/permission", str, "permission")
        except NotFoundError:
            return "none"

    # Comments

    def comments(self, number: int) -> list[CommentRecord]:
        """Return all comments on a pull request, oldest first. This takes one request per 100 comments."""
        found = list(self._items(f"/issues/{number:d}/comments", CommentRecord))
        self._known_comments[number] = found
        return found

    def known_comments(self, number: int) -> list[CommentRecord]:
        """Return all comments on a pull request. They are requested only if this run has not read them yet."""
        known = self._known_comments.get(number)
        return self.comments(number) if known is None else known

    def create_comment(self, number: int, body: str) -> CommentRecord:
        """Create a comment. After a failure, the comments are read, so that there is no duplicate."""
        path = f"/issues/{number:d}/comments"

        def send() -> CommentRecord:
            self._known_comments.clear()
            return parsed(path, CommentRecord, self._call("POST", path, {"body": body})[1])

        try:
            return send()
        except ServerFailedError:  # whole texts are compared, because anybody can paste a marker
            stored = (comment for comment in reversed(self.comments(number)) if same_text(comment.body, body))
            return next(stored, None) or send()

    def edit_comment(self, comment_id: int, body: str) -> CommentRecord:
        """Replace the text of a comment."""
        self._known_comments.clear()
        path = f"/issues/comments/{comment_id:d}"
        return parsed(path, CommentRecord, self._call("PATCH", path, {"body": body})[1])

    def delete_comment(self, comment_id: int) -> None:
        """Delete a comment if it exists."""
        self._known_comments.clear()
        with suppress(NotFoundError):
            self._call("DELETE", f"/issues/comments/{comment_id:d}")

    def react(self, comment_id: int, content: str) -> None:
        """Add a reaction to a comment, unless the comment already has this reaction from the same user."""
        self._call("POST", f"/issues/comments/{comment_id:d}/reactions", {"content": content}, repeat=True)

    def unedited(self, node_ids: Sequence[str]) -> frozenset[str]:
        """Return the ids of the comments that were never edited. This takes one GraphQL request per 100 ids."""
        unedited = set[str]()
        query = "query($ids: [ID!]!) { nodes(ids: $ids) { ... on IssueComment { id lastEditedAt } } }"
        for start in range(0, len(node_ids), PAGE):
            answer = self._graphql(query, {"ids": list(node_ids[start : start + PAGE])})
            for node in parsed("comments", list[_Node | None], answer, "data", "nodes"):
                if node is not None and node.lastEditedAt is None:
                    unedited.add(node.id)
        return frozenset(unedited)

    # Statuses

    def set_status(self, sha: str, context: str, state: str, description: str, target_url: str) -> None:
        """Set the status of a commit. An earlier status with the same context is replaced."""
        body = {"state": state, "context": context, "description": description, "target_url": target_url}
        self._call("POST", f"/statuses/{quote(sha, safe='')}", body, repeat=True)


def _place(artifact: ArtifactRecord) -> str:
    return f"artifact {artifact.name} ({artifact.id})"


def same_text(stored: str, body: str) -> bool:
    """Return whether a comment has this text. GitHub changes line breaks."""
    return stored.replace("\r\n", "\n").strip() == body.replace("\r\n", "\n").strip()


def _quoted(name: str) -> str:
    return quote(name, safe="")


def _text_query(repository: str, places: Sequence[tuple[str, str]]) -> tuple[str, dict[str, str]]:
    """Return a GraphQL query for files and the query's variables. Each of the ``places`` is a commit and a path."""
    owner, _, name = repository.partition("/")
    declared, files, variables = "$owner: String!, $name: String!", "", {"owner": owner, "name": name}
    for number, (commit, path) in enumerate(places):
        declared += f", $file{number}: String!"
        files += f" file{number}: object(expression: $file{number}) {{ ... on Blob {{ text isBinary isTruncated }} }}"
        variables[f"file{number}"] = f"{commit}:{path}"
    return f"query({declared}) {{ repository(owner: $owner, name: $name) {{{files} }} }}", variables
