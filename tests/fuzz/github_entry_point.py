"""The entry point for answers of a server: status, headers and body, read by every question of the client."""

import base64
import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter
from urllib3 import HTTPResponse

from fuzz.entry_point import EntryPoint
from fuzz.mutation import JSON
from profgate.action.github.artifact_service import SCOPE, ArtifactService
from profgate.action.github.client import GitHubClient
from profgate.action.github.records import ArtifactRecord
from profgate.errors import GitHubError

CLAIMS = json.dumps({"scp": f"{SCOPE}run:job"}).encode()
TOKEN = f"x.{base64.urlsafe_b64encode(CLAIMS).decode()}.x"
HOST = "api.github.com"


class Store(ArtifactService):
    """The service of artifacts with the same answer to everything."""

    def __init__(self, status: int, body: str) -> None:
        super().__init__(f"https://{HOST}", TOKEN, "https://x.example/1", pause=0)
        self._answer = status, body.encode("utf-8", "replace")

    def _send(self, method: str, *_: object) -> tuple[int, bytes]:
        status, data = self._answer
        return status + (method == "PUT"), data  # 201 of the host of the bytes


@contextmanager
def answering(status: int, headers: dict[str, str], body: str) -> Iterator[GitHubClient]:
    """A client whose server gives the same answer to every request."""

    def send(adapter: HTTPAdapter, request: PreparedRequest, **_: object) -> Response:
        content = io.BytesIO(body.encode("utf-8", "replace"))
        return adapter.build_response(request, HTTPResponse(content, headers, status, preload_content=False))

    with (
        mock.patch.object(HTTPAdapter, "send", send),
        GitHubClient("token", f"https://{HOST}", "o/r", write_pause=0, retries=0) as client,
    ):
        yield client


def take_answer(data: bytes) -> str:
    """An answer of a server, read as the answer to each question; a text as body is sent as it is."""
    try:
        answer = json.loads(data)
        status, body = int(answer["status"]), answer["body"]
        headers = {str(name): str(value) for name, value in answer["headers"].items()}
        text = body if isinstance(body, str) else json.dumps(body)
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError):
        return "no answer"
    refused: list[GitHubError] = []
    try:
        Store(status, text).upload_file("n", b"main 1\n", "text/plain")
    except GitHubError as error:
        refused.append(error)
    with answering(status, headers, text) as client:
        for question in QUESTIONS:
            try:
                question(client)
            except GitHubError as error:
                refused.append(error)
    for refusal in refused:
        if not str(refusal).strip():
            raise refusal
    return "read" if len(refused) <= len(QUESTIONS) else "read by none"


STORED = ArtifactRecord(id=1, name="n", expired=False)
QUESTIONS: tuple[Callable[[GitHubClient], object], ...] = (
    *(lambda client: client.commit_sha("m"), lambda client: client.merge_base("a", "b")),
    lambda client: client.ancestors("a"),
    lambda client: client.workflow_runs("a.yml", "m", "push"),
    *(lambda client: client.run_artifacts(1), lambda client: client.named_artifacts("n")),
    *(lambda client: client.download(STORED), lambda client: client.releases()),
    *(lambda client: client.release("v1"), lambda client: client.file_at("a.py", "m")),
    *(lambda client: client.files_of_commit("a"), lambda client: client.texts_at([("a", "a.py"), ("a", "b.py")])),
    lambda client: client.pull(1),
    lambda client: client.pull_files(1),
    *(lambda client: client.permission_of("u"), lambda client: client.open_pulls("u", "topic")),
    *(lambda client: client.comments(1), lambda client: client.create_comment(1, "b")),
    *(lambda client: client.edit_comment(1, "b"), lambda client: client.unedited(["n", "m"])),
)
WHEN = "2026-01-02T03:04:05Z"
SIDE = {"sha": "a" * 40, "ref": "topic", "repo": {"id": 1, "full_name": "o/r"}}
MESSAGE = {"message": "m", "committer": {"date": WHEN}, "author": None}
PLACE = {"head_repository": {"id": 1, "full_name": "o/r"}, "repository": {"id": 1}, "path": "x@y", "html_url": "h"}
STATE = {"event": "push", "status": None, "conclusion": None, "head_branch": "m", "head_sha": "a", "created_at": WHEN}
COMMIT = {"sha": "a", "parents": [{"sha": "b"}], "commit": MESSAGE}
RUN = {"id": 1} | PLACE | STATE
ARTIFACT = {"id": 1, "name": "n", "size_in_bytes": 3, "expired": False, "workflow_run": {"id": 2}, "created_at": WHEN}
PULL = {"number": 1, "state": "open", "user": None, "head": SIDE, "base": SIDE, "title": "t", "labels": [{"name": "l"}]}
FILE = {"filename": "a", "status": "modified", "additions": 1, "deletions": 2, "patch": "@@ -1 +1 @@"}
ASSETS = {"assets": [{"id": 1, "name": "n", "size": 2}]}
RELEASE = {"tag_name": "v1", "draft": False, "prerelease": True} | ASSETS
COMMENT = {"id": 1, "user": None, "body": "b", "html_url": "h", "created_at": WHEN, "updated_at": WHEN, "node_id": "n"}
TREE = {"tree": [{"path": "a.py", "type": "blob", "mode": "100644", "sha": "a", "size": 3}], "truncated": False}
TEXT = {"text": "t", "isBinary": False, "isTruncated": False}
BODIES: tuple[Any, ...] = (
    *([COMMIT], RUN, [PULL], [FILE], [RELEASE], [COMMENT]),
    {"merge_base_commit": {"sha": "a"}, "commits": [COMMIT], "files": [FILE]},
    {"workflow_runs": [RUN], "artifacts": [ARTIFACT]},
    TREE | {"encoding": "base64", "content": "YWJj", "type": "file"},
    [{"ref": "refs/heads/topic", "object": {"sha": "a"}}],
    {"ok": True, "signed_upload_url": "https://x.example/a?sig=b", "artifact_id": "1", "artifacts": [{"name": "n"}]},
    {"permission": "write", "sha": "a", "node_id": "n"},
    {"data": {"repository": {"file0": TEXT, "file1": None}, "nodes": [{"id": "n", "isMinimized": True}, None]}},
)
LINK = '<https://api.github.com/x?page=2>; rel="next"'
ALLOWED = "issues=write; pull_requests=write"
LIMIT = {"Retry-After": "60", "X-RateLimit-Remaining": "0", "X-RateLimit-Limit": "9", "X-RateLimit-Reset": "1780000000"}
FAILED = (
    {"status": 200, "headers": {}, "body": {"data": None, "errors": [{"type": "NOT_FOUND", "message": "m"}]}},
    {"status": 403, "headers": LIMIT | {"Date": "Fri, 02 Jan 2026 03:04:05 GMT"}, "body": {"message": "m"}},
    {"status": 403, "headers": {"X-Accepted-GitHub-Permissions": ALLOWED}, "body": {}},
    {"status": 301, "headers": {"Location": "https://api.github.com/y?page=2"}, "body": ""},
    {"status": 202, "headers": {}, "body": {}},
)


def answers() -> list[bytes]:
    sound = [{"status": 200, "headers": {"Location": "https://x.example/1"}, "body": body} for body in BODIES]
    paged = {"status": 200, "headers": {"Link": LINK}, "body": []}
    return [json.dumps(answer).encode() for answer in (*sound, paged, *FAILED)]


GITHUB_ENTRY_POINT = EntryPoint("answer", take_answer, answers, (GitHubError,), (JSON,))
