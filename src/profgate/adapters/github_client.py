"""GitHub's REST API as profgate needs it: few calls and small records.

The paths and fields are chosen here, so that each method costs exactly the requests it says; how they are carried and
when they are sent again says `github_requests`.
"""

import base64
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote, urlencode

from profgate.adapters.downloads import MAX_DOWNLOAD, Download, TryAgainError, check_digest, fetch, files_of, read_zip
from profgate.adapters.github_answers import (
    artifact_of,
    blob_of,
    check_run_of,
    comment_of,
    commit_of,
    content_of,
    file_of,
    message_of,
    number_of,
    parsed,
    place_of,
    pull_of,
    release_of,
    run_of,
    text_of,
    tree_of,
)
from profgate.adapters.github_graphql import MINIMIZE, MINIMIZED, MOVE_REF, blob_query, minimized_of, move, texts_of
from profgate.adapters.github_requests import API_VERSION, PAGE, NotFoundError, Requests, ServerFailedError
from profgate.adapters.patience import Patience
from profgate.adapters.release_assets import AssetBrokeOffError, fetch_asset, send_asset
from profgate.errors import GitHubError, NotAllowed
from profgate.model.github_records import (
    ArtifactRecord,
    AssetRecord,
    CommentRecord,
    CommitRecord,
    FileRecord,
    MessageRecord,
    PullRecord,
    ReleaseRecord,
    RunRecord,
    TreeRecord,
)

if TYPE_CHECKING:
    pass

MAX_PAGES = 100  # 10,000 comments: a server that never stops paging must not keep us for ever
DOWNLOAD_TRIES = 3
COMPARED_FILES = 300  # of two commits, at most
LISTED_FILES = 3_000
MOST_BETWEEN = 250
BLOBS = 50  # files of one GraphQL query: GitHub gives a query ten seconds


class GitHubClient:
    """One repository seen with one token.

    ``pauses`` are the seconds between requests and between writes, ``retries`` and ``backoff`` how often and how
    slowly a request is repeated, ``max_wait`` the longest wait in seconds for a rate limit, and ``patience`` what all
    waits and failures may take together: the API one budget, the storage host another. Every method raises
    GitHubError, or NotAllowed where the token is the reason. Connections are kept until `close`, or the end of a
    ``with`` block; a client that is used again connects again.
    """

    def __init__(
        self,
        token: str,
        api_url: str,
        repository: str,
        *,
        pauses: tuple[float, float] = (0.25, 1.0),
        retries: int = 4,
        backoff: float = 1.0,
        max_wait: float = 120.0,
        verify: bool | str = True,
        patience: Patience | None = None,
    ) -> None:
        if not token:
            raise NotAllowed("token", "is empty; pass token: ${{ github.token }}")
        if not re.fullmatch(r"[\w.-]+/[\w.-]+", repository):
            raise GitHubError("repository", f"{repository!r} is not of the form owner/name; check GITHUB_REPOSITORY")
        patience = patience or Patience()
        self._token = token
        self._api_url = api_url.rstrip("/")
        self._root = f"/repos/{repository}"
        self._backoff = backoff
        self._verify = verify
        self._known_comments: dict[int, list[CommentRecord]] = {}
        self._storage_patience = patience.fresh()  # a storage host that hangs must not cost the comment
        self._requests = Requests(
            token,
            self._api_url,
            pauses=pauses,
            retries=retries,
            backoff=backoff,
            max_wait=max_wait,
            verify=verify,
            patience=patience,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Gives the connections back; without any, nothing happens."""
        self._requests.close()

    @property
    def requests_made(self) -> int:
        """How many requests the API got."""
        return self._requests.made

    # Commits

    def commit(self, ref: str) -> CommitRecord:
        """The commit a SHA, branch or tag names; one request."""
        answer = self._get(f"/commits/{quote(ref, safe='')}", {"per_page": 1})
        return parsed(f"commit {ref}", commit_of, answer)

    def commit_sha(self, ref: str) -> str:
        """The SHA a branch, tag or shortened SHA names; one request."""
        return self.commit(ref).sha

    def parents(self, sha: str) -> tuple[datetime, tuple[str, ...]]:
        """The date of a commit and its parents in order; one request."""
        commit = self.commit(sha)
        return commit.date, commit.parents

    def merge_base(self, base: str, head: str) -> str:
        """The SHA where ``head`` left ``base``; one request."""
        pair = f"{quote(base, safe='')}...{quote(head, safe='')}"
        answer = self._get(f"/compare/{pair}", {"per_page": 1})
        return parsed(f"compare {base}...{head}", lambda data: text_of(data["merge_base_commit"]["sha"]), answer)

    def ancestors(self, sha: str, limit: int = PAGE) -> list[CommitRecord]:
        """A commit and its ancestors in the order of ``git log``, at most ``limit`` <= 100; one request."""
        answer = self._get("/commits", {"sha": sha, "per_page": min(limit, PAGE)})
        return parsed(f"ancestors of {sha}", lambda data: [commit_of(item) for item in data], answer)

    def commits_between(self, base: str, head: str) -> list[CommitRecord]:
        """The commits of ``head`` that ``base`` lacks, oldest first, at most 250; one request for 100."""
        pair = f"{quote(base, safe='')}...{quote(head, safe='')}"
        found: list[CommitRecord] = []
        for page in self._pages(f"/compare/{pair}", {"per_page": PAGE}):
            found += parsed(f"compare {pair}", lambda data: [commit_of(one) for one in data["commits"]], page)
            if len(found) >= MOST_BETWEEN:
                break
        return found[:MOST_BETWEEN]

    def files_between(self, base: str, head: str) -> list[str] | None:
        """The paths, former ones too, that differ from an ancestor to a commit; one request.

        None where GitHub lists not all of them, or where ``base`` is no ancestor.
        """
        pair = f"{quote(base, safe='')}...{quote(head, safe='')}"
        answer = self._get(f"/compare/{pair}", {"per_page": 1})  # of the commits; the first page has all files
        start, files = parsed(
            f"compare {pair}",
            lambda data: (text_of(data["merge_base_commit"]["sha"]), [file_of(one) for one in data["files"]]),
            answer,
        )
        if start != base or len(files) >= COMPARED_FILES:
            return None
        return list(dict.fromkeys(path for one in files for path in (one.path, one.previous_path)))

    def pulls_of_commit(self, sha: str) -> list[tuple[int, str]]:
        """Number and title of the pull requests that brought a commit; one request."""
        answer = self._get(f"/commits/{quote(sha, safe='')}/pulls", {"per_page": PAGE})
        return parsed(
            f"pull requests of {sha}",
            lambda data: [(number_of(one["number"]), text_of(one["title"])) for one in data],
            answer,
        )

    # Runs and artifacts

    def workflow_runs(
        self, workflow_file: str, branch: str | None = None, event: str | None = None, head_sha: str | None = None
    ) -> list[RunRecord]:
        """The newest 100 completed runs of a workflow file; one request.

        GitHub's filters are only a hint: the caller checks every field of the records.
        """
        name = quote(workflow_file.rsplit("/", 1)[-1], safe="")
        wanted = {"branch": branch, "event": event, "head_sha": head_sha}
        query = {"status": "completed", "per_page": PAGE, "exclude_pull_requests": "true"}
        query |= {key: value for key, value in wanted.items() if value}
        answer = self._get(f"/actions/workflows/{name}/runs", query)
        return parsed(f"runs of {workflow_file}", lambda data: [run_of(item) for item in data["workflow_runs"]], answer)

    def run(self, run_id: int) -> RunRecord:
        """One run; one request."""
        answer = self._get(f"/actions/runs/{run_id:d}", {"exclude_pull_requests": "true"})
        return parsed(f"run {run_id}", run_of, answer)

    def rerun_failed_jobs(self, run_id: int) -> None:
        """Starts the failed jobs of a finished run again; sent twice where GitHub failed, which starts them once."""
        address = f"{self._root}/actions/runs/{run_id:d}/rerun-failed-jobs"
        try:
            self._requests.call("POST", address)
        except ServerFailedError:
            self._requests.call("POST", address)

    def run_artifacts(self, run_id: int, name: str | None = None) -> list[ArtifactRecord]:
        """The artifacts of a run, newest first; those of this exact name if one is given."""
        query = {"per_page": PAGE} | ({"name": name} if name else {})
        artifacts: list[ArtifactRecord] = []
        for page in self._pages(f"/actions/runs/{run_id:d}/artifacts", query):
            artifacts += parsed(
                f"artifacts of run {run_id}", lambda data: [artifact_of(i) for i in data["artifacts"]], page
            )
        return sorted((item for item in artifacts if name in {None, item.name}), key=lambda item: -item.id)

    def named_artifacts(self, name: str) -> list[ArtifactRecord]:
        """The newest 100 artifacts of this exact name in the repository, newest first; one request."""
        answer = self._get("/actions/artifacts", {"name": name, "per_page": PAGE})
        found = parsed(f"artifacts {name}", lambda data: [artifact_of(one) for one in data["artifacts"]], answer)
        return sorted((one for one in found if one.name == name), key=lambda one: -one.id)

    def download(self, artifact: ArtifactRecord, *, max_bytes: int = MAX_DOWNLOAD) -> Download:
        """The stored bytes of an artifact, checked against its digest.

        One API request for a signed address, then a plain request without the token. A new address is asked for when
        the storage host fails.
        """
        where = f"artifact {artifact.name} ({artifact.id})"
        if artifact.expired:
            raise NotFoundError(where, "has expired; run the baseline workflow again")

        def once() -> Download:
            address = self._artifact_address(artifact.id, where)
            return fetch(address, where, max_bytes=max_bytes, verify=self._verify)

        return self._stored(where, once, artifact.digest)

    def _stored(self, where: str, once: Callable[[], Download], digest: str | None) -> Download:
        """What ``once`` gives, with the digest GitHub states; asked for again where the storage host failed."""
        for attempt in range(1, DOWNLOAD_TRIES + 1):
            try:
                with self._storage_patience.spent_on(where):
                    download = once()
                    check_digest(download.data, digest, where)
                    return download
            except TryAgainError:
                if attempt == DOWNLOAD_TRIES:
                    raise
            self._storage_patience.wait(self._backoff * attempt, where)
        raise AssertionError("the last attempt returns or raises")

    def artifact_files(self, artifact: ArtifactRecord, *, max_bytes: int = MAX_DOWNLOAD) -> dict[str, bytes]:
        """The files of an artifact by name, unpacked in memory; ProfileError for a zip that is not as it should be."""
        return files_of(self.download(artifact, max_bytes=max_bytes), f"artifact {artifact.name} ({artifact.id})")

    # Releases

    def releases(self) -> list[ReleaseRecord]:
        """The newest 100 releases, newest first; one request."""
        answer = self._get("/releases", {"per_page": PAGE})
        return parsed("releases", lambda data: [release_of(one) for one in data], answer)

    def release(self, tag: str) -> ReleaseRecord | None:
        """The published release of a tag, None where there is none; one request."""
        try:
            answer = self._get(f"/releases/tags/{quote(tag, safe='')}", {})
        except NotFoundError:
            return None
        return parsed(f"release {tag}", release_of, answer)

    def asset_files(self, asset: AssetRecord, *, max_bytes: int = MAX_DOWNLOAD) -> dict[str, bytes]:
        """The files of a zip kept with a release, unpacked in memory; ProfileError for one that is not as it should."""
        where = f"release asset {asset.name} ({asset.id})"
        address = f"{self._api_url}{self._root}/releases/assets/{asset.id:d}"

        def once() -> Download:
            self._requests.made += 1
            return fetch_asset(
                address, where, token=self._token, version=API_VERSION, max_bytes=max_bytes, verify=self._verify
            )

        download = self._stored(where, once, asset.digest)
        return read_zip(download.data, where=where)

    def attach(self, release: ReleaseRecord, name: str, data: bytes) -> None:
        """Keeps a file with a release in place of one of that name; contents: write.

        When GitHub fails, the release is read to see what arrived before the file is sent a second and last time.
        """
        for asset in release.assets:
            if asset.name == name:
                self._delete_asset(asset.id)
        try:
            self._send_asset(release, name, data)
        except AssetBrokeOffError:
            found = self.release(release.tag)
            stored = [one for one in found.assets if one.name == name] if found else []
            if any(one.size == len(data) for one in stored):
                return
            for one in stored:
                self._delete_asset(one.id)
            self._send_asset(release, name, data)

    def _send_asset(self, release: ReleaseRecord, name: str, data: bytes) -> None:
        self._requests.made += 1
        send_asset(
            release.upload_url,
            name,
            data,
            token=self._token,
            api_url=self._api_url,
            version=API_VERSION,
            verify=self._verify,
        )

    def _delete_asset(self, number: int) -> None:
        try:
            self._requests.call("DELETE", f"{self._root}/releases/assets/{number:d}")
        except NotFoundError:
            return

    # Files

    def file_at(self, path: str, ref: str) -> bytes | None:
        """The bytes of a file in the repository at a ref, None where there is none; one request."""
        where = f"{path} at {ref}"
        try:
            answer = self._get(f"/contents/{quote(path)}", {"ref": ref})
        except NotFoundError:
            return None
        return parsed(where, lambda data: content_of(data, where), answer)

    def files_of_commit(self, sha: str) -> TreeRecord:
        """The paths of a commit's files, at most the 100,000 or 7 MB that GitHub lists; one request."""
        answer = self._get(f"/git/trees/{quote(sha, safe='')}", {"recursive": 1})
        return parsed(f"files of commit {sha}", tree_of, answer)

    def texts_at(self, wanted: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
        """The texts of files by (commit, path), in one GraphQL request for fifty.

        What is missing there, is no text or is longer than GitHub gives in one piece is not in the answer.
        """
        found: dict[tuple[str, str], str] = {}
        for start in range(0, len(wanted), BLOBS):
            places = wanted[start : start + BLOBS]
            query, variables = blob_query(self._root.removeprefix("/repos/"), places)
            answer = self._graphql_twice(query, variables)
            texts = parsed("files by GraphQL", partial(texts_of, count=len(places)), answer)
            found |= {place: text for place, text in zip(places, texts, strict=True) if text is not None}
        return found

    # A branch of a single commit

    def branch_head(self, branch: str) -> str | None:
        """The SHA of a branch's commit, None where there is no such branch; one request."""
        return self.branches_below(branch).get(branch)

    def file_of_commit(self, sha: str, path: str, *, max_bytes: int) -> bytes | None:
        """A file at the top of a commit, also one too large for `file_at`; None where there is none; two requests."""
        where = f"{path} of commit {sha}"
        answer = self._get(f"/git/trees/{quote(sha, safe='')}", {})
        place = parsed(where, lambda data: place_of(data, path), answer)
        if place is None:
            return None
        blob, size = place
        if size > max_bytes:
            raise GitHubError(where, f"has {size:,} bytes, more than the {max_bytes:,} that are read; remove it")
        answer = self._get(f"/git/blobs/{quote(blob, safe='')}", {})
        return parsed(where, lambda data: blob_of(data, size), answer)

    def replace_branch(self, branch: str, before: str | None, path: str, data: bytes, message: str) -> bool:
        """Makes a branch one commit without parents that holds this file alone; contents: write; five requests.

        The branch is moved only from the commit ``before``, None = it does not exist; False where it is elsewhere by
        now, and nothing was changed then.
        """
        body = {"content": base64.b64encode(data).decode(), "encoding": "base64"}
        blob = self._created("blobs", body)
        tree = self._created("trees", {"tree": [{"path": path, "mode": "100644", "type": "blob", "sha": blob}]})
        commit = self._created("commits", {"message": message, "tree": tree, "parents": []})
        repository = parsed("repository", lambda found: text_of(found["node_id"]), self._get("", {}))
        try:
            self._graphql(MOVE_REF, move(repository, branch, before, commit))
        except GitHubError:
            now = self.branch_head(branch)  # a refusal does not say why, and after a failure it may have moved
            if now == before:
                raise
            return now == commit
        return True

    def _created(self, kind: str, body: Mapping[str, object]) -> str:
        """The SHA of a new Git object; sent again where GitHub fails: what nothing leads to is cleared away by it."""
        address = f"{self._root}/git/{kind}"
        try:
            _, answer = self._requests.call("POST", address, dict(body))
        except ServerFailedError:
            _, answer = self._requests.call("POST", address, dict(body))
        return parsed(f"new {kind.removesuffix('s')}", lambda data: text_of(data["sha"]), answer)

    def _graphql_twice(self, query: str, variables: Mapping[str, object]) -> Any:  # noqa: ANN401 - JSON
        """The answer; sent a second time when GitHub fails, for what can be repeated without harm."""
        try:
            return self._graphql(query, variables)
        except ServerFailedError:
            return self._graphql(query, variables)

    def _graphql(self, query: str, variables: Mapping[str, object]) -> Any:  # noqa: ANN401 - JSON
        return self._requests.graphql(query, variables)

    # Pull requests

    def pull(self, number: int) -> PullRecord:
        """A pull request; one request."""
        return parsed(f"pull request {number}", pull_of, self._get(f"/pulls/{number:d}", {}))

    def pull_files(self, number: int) -> list[FileRecord]:
        """The files a pull request changes, at most the 3,000 that GitHub lists; one request for 100."""
        found: list[FileRecord] = []
        for page in self._pages(f"/pulls/{number:d}/files", {"per_page": PAGE}):
            found += parsed(f"files of pull request {number}", lambda data: [file_of(item) for item in data], page)
            if len(found) >= LISTED_FILES:
                break
        return found[:LISTED_FILES]

    def pull_messages(self, number: int) -> list[MessageRecord]:
        """The messages of a pull request's commits, at most the 250 that GitHub lists; one request for 100."""
        found: list[MessageRecord] = []
        for page in self._pages(f"/pulls/{number:d}/commits", {"per_page": PAGE}):
            found += parsed(f"commits of pull request {number}", lambda data: [message_of(item) for item in data], page)
        return found

    def branches_below(self, prefix: str) -> dict[str, str]:
        """The heads of the branches whose names begin so; one request for 100."""
        found: dict[str, str] = {}
        for page in self._pages(f"/git/matching-refs/heads/{quote(prefix)}", {}):
            found |= parsed(
                f"branches {prefix}*",
                lambda data: {text_of(one["ref"]).removeprefix("refs/heads/"): one["object"]["sha"] for one in data},
                page,
            )
        return found

    def permission_of(self, login: str) -> str:
        """What a person may do here: admin, write, read or none; one request."""
        try:
            answer = self._get(f"/collaborators/{quote(login, safe='')}/permission", {})
        except NotFoundError:
            return "none"
        return parsed(f"permission of {login}", lambda data: text_of(data["permission"]), answer)

    def open_pulls(self, head_owner: str, head_branch: str) -> list[PullRecord]:
        """The open pull requests from a branch of this owner; the caller compares SHA and repository ids."""
        query = {"state": "open", "head": f"{head_owner}:{head_branch}", "per_page": PAGE}
        where = f"pull requests of {head_owner}:{head_branch}"
        return parsed(where, lambda data: [pull_of(item) for item in data], self._get("/pulls", query))

    def comments(self, number: int) -> list[CommentRecord]:
        """Every comment of a pull request, oldest first; one request for 100."""
        found: list[CommentRecord] = []
        for page in self._pages(f"/issues/{number:d}/comments", {"per_page": PAGE}):
            found += parsed(f"comments of {number}", lambda data: [comment_of(item) for item in data], page)
        self._known_comments[number] = found
        return found

    def known_comments(self, number: int) -> list[CommentRecord]:
        """The comments as this run saw them last, asked for where it did not; somebody may have written since."""
        known = self._known_comments.get(number)
        return self.comments(number) if known is None else known

    def create_comment(self, number: int, body: str) -> CommentRecord:
        """Writes a comment once.

        When GitHub fails, the comments are read to see whether it arrived before it is sent a second and last time.
        """
        try:
            return self._post_comment(number, body)
        except ServerFailedError:
            return self._stored_comment(number, body) or self._post_comment(number, body)

    def edit_comment(self, comment_id: int, body: str) -> CommentRecord:
        """Replaces the text of a comment."""
        self._known_comments.clear()
        _, answer = self._requests.call("PATCH", f"{self._root}/issues/comments/{comment_id:d}", {"body": body})
        return parsed(f"comment {comment_id}", comment_of, answer)

    def delete_comment(self, comment_id: int) -> None:
        """Removes a comment; that it is gone already is no error."""
        self._known_comments.clear()
        try:
            self._requests.call("DELETE", f"{self._root}/issues/comments/{comment_id:d}")
        except NotFoundError:
            return

    def react(self, comment_id: int, content: str) -> None:
        """Adds a reaction to a comment; one that is there already stays, so that it may be sent twice."""
        address = f"{self._root}/issues/comments/{comment_id:d}/reactions"
        try:
            self._requests.call("POST", address, {"content": content})
        except ServerFailedError:
            self._requests.call("POST", address, {"content": content})

    def minimized(self, node_ids: Sequence[str]) -> frozenset[str]:
        """Which of these comments are minimised; one GraphQL request for 100."""
        found: set[str] = set()
        for start in range(0, len(node_ids), PAGE):
            answer = self._graphql_twice(MINIMIZED, {"ids": list(node_ids[start : start + PAGE])})
            found |= set(parsed("minimised comments", minimized_of, answer))
        return frozenset(found)

    def minimize_comment(self, node_id: str) -> None:
        """Folds a comment away as outdated; one that is folded already stays so."""
        self._graphql_twice(MINIMIZE, {"id": node_id})

    def _post_comment(self, number: int, body: str) -> CommentRecord:
        self._known_comments.clear()
        _, answer = self._requests.call("POST", f"{self._root}/issues/{number:d}/comments", {"body": body})
        return parsed(f"new comment of {number}", comment_of, answer)

    def _stored_comment(self, number: int, body: str) -> CommentRecord | None:
        wanted = _unified(body)  # the whole text: a marker alone can be pasted by anybody
        return next((item for item in reversed(self.comments(number)) if _unified(item.body) == wanted), None)

    # Statuses

    def set_status(self, sha: str, context: str, state: str, description: str, target_url: str) -> None:
        """A status of a commit. Of one context the last one counts, so that it may be sent twice."""
        body = {"state": state, "context": context, "description": description, "target_url": target_url}
        address = f"{self._root}/statuses/{quote(sha, safe='')}"
        try:
            self._requests.call("POST", address, body)
        except ServerFailedError:
            self._requests.call("POST", address, body)

    # Check runs

    def create_check_run(self, values: Mapping[str, Any]) -> int:
        """The id of a new check run. When GitHub fails, one of the same ``external_id`` is looked for first."""
        try:
            return self._post_check_run(values)
        except ServerFailedError:
            return self._stored_check_run(values) or self._post_check_run(values)

    def edit_check_run(self, number: int, values: Mapping[str, Any]) -> None:
        """Changes a check run; annotations are added to those it has."""
        self._requests.call("PATCH", f"{self._root}/check-runs/{number:d}", dict(values))

    def _post_check_run(self, values: Mapping[str, Any]) -> int:
        _, answer = self._requests.call("POST", f"{self._root}/check-runs", dict(values))
        return parsed("new check run", lambda data: number_of(data["id"]), answer)

    def _stored_check_run(self, values: Mapping[str, Any]) -> int | None:
        path = f"/commits/{quote(values['head_sha'], safe='')}/check-runs"
        answer = self._get(path, {"check_name": values["name"], "per_page": PAGE})
        return parsed("check runs", lambda data: check_run_of(data, values["external_id"]), answer)

    # Requests

    def _get(self, path: str, query: Mapping[str, object]) -> Any:  # noqa: ANN401 - JSON
        return self._requests.call("GET", _address(self._root + path, query))[1]

    def _pages(self, path: str, query: Mapping[str, object]) -> Iterator[Any]:
        url = _address(self._root + path, query)
        for _ in range(MAX_PAGES):
            headers, answer = self._requests.call("GET", url)
            yield answer
            following = _next_page(headers.get("link", ""))
            if following is None:
                return
            url = following
        raise GitHubError(path, f"has more than {MAX_PAGES * PAGE:,} entries; not read to the end")

    def _artifact_address(self, artifact_id: int, where: str) -> str:
        headers, _ = self._requests.call("GET", f"{self._root}/actions/artifacts/{artifact_id:d}/zip")
        return _signed(headers, where)


def _signed(headers: Mapping[str, str], where: str) -> str:
    """The signed address that an answer leads to."""
    address = headers.get("location", "")
    if not re.match(r"https?://", address):
        raise GitHubError(where, "GitHub gave no address to download from; run again")
    return str(address)


def _address(path: str, query: Mapping[str, object]) -> str:
    return f"{path}?{urlencode(query)}" if query else path


def _next_page(link: str) -> str | None:
    found = re.search(r'<([^<>]+)>\s*;\s*rel="next"', link)
    return found[1] if found else None


def _unified(body: str) -> str:
    return body.replace("\r\n", "\n").strip()
