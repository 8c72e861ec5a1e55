"""A client for the parts of GitHub's API that profgate uses."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any
from urllib.parse import quote

from profgate.errors import GitHubError
from profgate.github.downloads import MAX_DOWNLOAD, Download, TryAgainError, check_digest, fetch, files_of, read_zip
from profgate.github.git_data import GitRequests
from profgate.github.records import (
    ArtifactRecord,
    AssetRecord,
    CommentRecord,
    FileRecord,
    PullRecord,
    ReleaseRecord,
    WorkflowRun,
)
from profgate.github.requests import API_VERSION, PAGE, NotFoundError, ServerFailedError, parsed

LISTED_FILES = 3_000
COMMENTS = "query($ids: [ID!]!) { nodes(ids: $ids) { ... on IssueComment { id isMinimized lastEditedAt } } }"
MINIMIZE = (
    "mutation($id: ID!) { minimizeComment(input: {subjectId: $id, classifier: OUTDATED})"
    " { minimizedComment { isMinimized } } }"
)


@dataclass(frozen=True, slots=True)
class _Node:
    id: str = ""
    isMinimized: bool | None = None  # noqa: N815 - the name in GraphQL
    lastEditedAt: str | None = None  # noqa: N815 - the name in GraphQL


@dataclass(frozen=True, slots=True)
class _CheckRun:
    id: int
    external_id: str | None = None


class GitHubClient(GitRequests):
    """A client for one repository. Downloads have a separate retry budget."""

    def __init__(self, token: str, api_url: str, repository: str, **options: Any) -> None:  # noqa: ANN401 - passed on
        super().__init__(token, api_url, repository, **options)
        self._known_comments: dict[int, list[CommentRecord]] = {}
        self._storage_budget = self._budget.fresh()  # so that the comment can be written even if the storage host fails

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
        self._call("POST", f"/actions/runs/{run_id:d}/rerun-failed-jobs", repeats=1)

    def run_artifacts(self, run_id: int, name: str | None = None) -> list[ArtifactRecord]:
        """Return the artifacts of a run, newest first. If ``name`` is given, only artifacts of that name."""
        found = self._items(f"/actions/runs/{run_id:d}/artifacts", ArtifactRecord, "artifacts", name=name or None)
        return sorted((item for item in found if name in {None, item.name}), key=lambda item: -item.id)

    def named_artifacts(self, name: str) -> list[ArtifactRecord]:
        """Return the newest 100 artifacts of the repository with this exact name, newest first, in one request."""
        found = self._get("/actions/artifacts", list[ArtifactRecord], "artifacts", name=name, per_page=PAGE)
        return sorted((item for item in found if item.name == name), key=lambda item: -item.id)

    def download(self, artifact: ArtifactRecord, *, max_bytes: int = MAX_DOWNLOAD) -> Download:
        """Download the stored bytes of an artifact and check them against its digest.

        One API request returns a signed URL, which is downloaded without sending the token, and again if the host
        fails.
        """
        if artifact.expired:
            raise NotFoundError(_place(artifact), "has expired; run the baseline workflow again")
        return self._result(("artifact", artifact.id), lambda: self._downloaded(artifact, max_bytes))

    def start_downloads(self, artifacts: Iterable[ArtifactRecord]) -> None:
        """Download artifacts in the background. `download` returns them."""
        for artifact in artifacts:
            self._start(("artifact", artifact.id), partial(self._downloaded, artifact, MAX_DOWNLOAD))

    def _downloaded(self, artifact: ArtifactRecord, max_bytes: int) -> Download:
        where = _place(artifact)

        def once() -> Download:
            address = self._call("GET", f"/actions/artifacts/{artifact.id:d}/zip")[0].get("location", "")
            if not address.startswith(("https://", "http://")):
                raise GitHubError(where, "GitHub returned no download address; run again")
            return fetch(address, where, max_bytes=max_bytes, verify=self._verify)

        return self._stored(where, once, artifact.digest or None)

    def artifact_files(self, artifact: ArtifactRecord, *, max_bytes: int = MAX_DOWNLOAD) -> dict[str, bytes]:
        """Return the unpacked files of an artifact by name. Raises ProfileError if the zip is broken or unsafe."""
        return files_of(self.download(artifact, max_bytes=max_bytes), _place(artifact))

    def _stored(self, where: str, once: Callable[[], Download], digest: str | None) -> Download:
        """Return the download after checking its digest. If the storage host fails, ``once`` is called again."""

        def checked() -> Download:
            download = once()
            check_digest(download.data, digest, where)
            return download

        return self._storage_budget.repeated(checked, TryAgainError, (self._backoff, 2 * self._backoff), where)

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

        def once() -> Download:
            headers = {"Accept": "application/octet-stream", "X-GitHub-Api-Version": API_VERSION}
            return fetch(address, where, token=self._token, headers=headers, verify=self._verify)

        return read_zip(self._stored(where, once, asset.digest or None).data, where=where)

    # Pull requests

    def start_comparison(self, number: int, head_sha: str) -> None:
        """Request in the background what a comparison reads of a pull request."""
        lists = (f"/pulls/{number:d}/files", f"/issues/{number:d}/comments")
        tree = f"/git/trees/{head_sha}?recursive=1"
        for path in (*(f"{path}?per_page={PAGE}" for path in lists), tree):
            self._start(path, partial(self._sent, "GET", path))

    def pull(self, number: int) -> PullRecord:
        """Return a pull request, in one request."""
        return self._get(f"/pulls/{number:d}", PullRecord)

    def open_pulls(self, head_owner: str, head_branch: str) -> list[PullRecord]:
        """Return the open pull requests from a branch of this owner. The SHA and the repository ids are not checked."""
        return self._get("/pulls", list[PullRecord], state="open", head=f"{head_owner}:{head_branch}", per_page=PAGE)

    def pull_files(self, number: int) -> list[FileRecord]:
        """Return the files of a pull request (GitHub lists at most 3,000). This takes one request per 100 files."""
        return list(islice(self._items(f"/pulls/{number:d}/files", FileRecord), LISTED_FILES))

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
        self._call("POST", f"/issues/comments/{comment_id:d}/reactions", {"content": content}, repeats=1)

    def minimized(self, node_ids: Sequence[str]) -> frozenset[str]:
        """Return the ids of the comments that are minimised. This takes one GraphQL request per 100 ids."""
        return frozenset(node.id for node in self._comment_nodes(node_ids) if node.isMinimized)

    def unedited(self, node_ids: Sequence[str]) -> frozenset[str]:
        """Return the ids of the comments that were never edited. This takes one GraphQL request per 100 ids."""
        return frozenset(node.id for node in self._comment_nodes(node_ids) if node.lastEditedAt is None)

    def _comment_nodes(self, node_ids: Sequence[str]) -> Iterator[_Node]:
        for start in range(0, len(node_ids), PAGE):
            answer = self._graphql(COMMENTS, {"ids": list(node_ids[start : start + PAGE])})
            yield from filter(None, parsed("comments", list[_Node | None], answer, "data", "nodes"))

    def minimize_comment(self, node_id: str) -> None:
        """Minimise a comment as outdated."""
        self._graphql(MINIMIZE, {"id": node_id})

    # Statuses and check runs

    def set_status(self, sha: str, context: str, state: str, description: str, target_url: str) -> None:
        """Set the status of a commit. An earlier status with the same context is replaced."""
        body = {"state": state, "context": context, "description": description, "target_url": target_url}
        self._call("POST", f"/statuses/{quote(sha, safe='')}", body, repeats=1)

    def create_check_run(self, values: Mapping[str, Any]) -> int:
        """Create a check run and return its id. After a failure, one with the same ``external_id`` is searched for."""

        def send() -> int:
            return parsed("/check-runs", int, self._call("POST", "/check-runs", values)[1], "id")

        try:
            return send()
        except ServerFailedError:
            path = f"/commits/{quote(values['head_sha'], safe='')}/check-runs"
            runs = self._get(path, list[_CheckRun], "check_runs", check_name=values["name"], per_page=PAGE)
            stored = (run.id for run in runs if run.external_id == values["external_id"])
            return next(stored, None) or send()

    def edit_check_run(self, number: int, values: Mapping[str, Any]) -> None:
        """Update a check run. The given annotations are added to the existing annotations."""
        self._call("PATCH", f"/check-runs/{number:d}", values)


def _place(artifact: ArtifactRecord) -> str:
    return f"artifact {artifact.name} ({artifact.id})"


def same_text(stored: str, body: str) -> bool:
    """Return whether a comment has this text. GitHub changes line breaks."""
    return stored.replace("\r\n", "\n").strip() == body.replace("\r\n", "\n").strip()
