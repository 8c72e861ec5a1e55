"""A GitHub on two loopback ports or in this process: the API with the results service, and the storage host."""

import copy
import hashlib
import io
import json
import socket
import ssl
import threading
import zipfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, suppress
from functools import cache
from http.client import RemoteDisconnected
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlencode

from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server
from werkzeug.wrappers import Request, Response

from fake_github.api import Answer, Api, Call, RefusalError, error_body
from fake_github.blobs import BlobHost
from fake_github.bodies import Bodies
from fake_github.description import Description, Operation, ViolationError
from fake_github.graphql import answer_query
from fake_github.in_process import mount, unmount
from fake_github.results import SERVICE, ResultsService, runtime_token
from fake_github.state import (
    ALL_PERMISSIONS,
    CUT,
    HANG,
    Artifact,
    Comment,
    Commit,
    Fault,
    LoggedRequest,
    Pull,
    Release,
    Run,
    State,
)
from profgate.action.github.client import GitHubClient
from profgate.model.record import replace

API_VERSION = "2022-11-28"
# The next version, of which there is no description here. It has no longer these fields.
NEXT_VERSION = "2026-03-10"
DROPPED = frozenset({"assignee", "merge_commit_sha", "rate"})
VIOLATION = 599
ENTERPRISE_API = "/api/v3"
ZIP = "application/zip"
EPOCH = (1980, 1, 1, 0, 0, 0)


@cache
def _description() -> Description:
    return Description()


class _QuietHandler(WSGIRequestHandler):
    def log(self, *_: object, **__: object) -> None:
        """The request log of the fake replaces that of the server."""

    def send_response(self, code: int, message: str | None = None) -> None:
        """Without a date of its own, so that an answer can state another date."""
        self.send_response_only(code, message)


class FakeGitHub:
    """One repository on a GitHub of its own.

    ``with FakeGitHub() as fake:`` serves until the block ends, and raises then if a request or an answer violated
    GitHub's description.
    """

    def __init__(
        self,
        *,
        in_process: bool = False,
        enterprise: bool = False,
        certificate: ssl.SSLContext | None = None,
        **state: Any,
    ) -> None:
        """With ``enterprise`` a server of its own: the API below a path, files of releases without a redirect.

        With ``in_process`` only clients of this process reach it, without sockets and threads.
        """
        self._in_process = in_process
        self._mounted: list[str] = []
        self._certificate = certificate
        self.state = State(**state, enterprise=enterprise)
        self.blobs = BlobHost()
        self.runtime_token = runtime_token()
        self._servers: list[tuple[BaseWSGIServer, threading.Thread]] = []
        self._clients = ExitStack()
        self._lock = threading.Lock()
        self._meetings: dict[tuple[str, str], threading.Barrier] = {}
        self._meanwhile: list[tuple[str, str, Callable[[], object]]] = []
        self._ended = threading.Event()
        self.api_url = self.server_url = ""
        self.api_version = API_VERSION
        self.foreign_clients = False  # others than profgate need not name the API's version

    def __enter__(self) -> Self:
        self.blobs.address = self._serve(self._answer_of_storage)
        self.server_url = self._serve(self._answer)
        self.api_url = f"{self.server_url}{ENTERPRISE_API if self.state.enterprise else ''}"
        bodies = Bodies(_description(), self.state, self.api_url)
        self._api = Api(self.state, bodies, self.blobs)
        self.results = ResultsService(self.state, self.blobs, self.runtime_token)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._clients.close()
        self._ended.set()
        for address in self._mounted:
            unmount(address)
        for server, thread in self._servers:
            server.shutdown()
            thread.join()
            server.server_close()
        if self.state.violations and kind is None:
            raise AssertionError("GitHub's description was violated:\n" + "\n".join(self.state.violations))

    def client(self, token: str = "", **options: Any) -> GitHubClient:
        """A client without pauses, whose connections end with this GitHub."""
        given = {"write_pause": 0, "retries": 0, "backoff": 0, **options}
        return self._clients.enter_context(
            GitHubClient(token or self.token, self.api_url, self.state.repository, **given)
        )

    # What a run is given

    @property
    def results_url(self) -> str:
        """With a path behind the origin, as the real one may have."""
        return f"{self.server_url}/results/"

    @property
    def token(self) -> str:
        return self.state.token

    def service_env(self) -> dict[str, str]:
        """The variables by which a run finds this GitHub."""
        return {
            "ACTIONS_RESULTS_URL": self.results_url,
            "ACTIONS_RUNTIME_TOKEN": self.runtime_token,
            "GITHUB_API_URL": self.api_url,
            "GITHUB_GRAPHQL_URL": f"{self.api_url.removesuffix('/v3')}/graphql",
            "GITHUB_REPOSITORY": self.state.repository,
            "GITHUB_REPOSITORY_ID": str(self.state.repository_id),
            "GITHUB_RUN_ID": str(self.state.current_run_id or 1),
            "GITHUB_SERVER_URL": self.server_url,
        }

    # Filling the repository

    def add_commit(
        self,
        *,
        parents: Iterable[str] = (),
        branch: str | None = None,
        files: Mapping[str, bytes] | None = None,
        without: Iterable[str] = (),
        message: str = "Change something",
        author: str = "octocat",
        date: str | None = None,
        sha: str | None = None,
    ) -> str:
        """A commit with the files of its first parent and these, less some; moves ``branch`` to it. Returns its SHA."""
        chain = tuple(parents)
        inherited = self.state.commits[chain[0]].files if chain and chain[0] in self.state.commits else {}
        name = sha or self.state.new_sha()
        merged = {path: data for path, data in {**inherited, **(files or {})}.items() if path not in set(without)}
        self.state.commits[name] = Commit(name, chain, date or self.state.next_date(), message, author, merged)
        if branch:
            self.state.branches[branch] = name
        return name

    def add_run(
        self,
        head_sha: str,
        *,
        event: str = "push",
        branch: str = "main",
        path: str = ".github/workflows/profgate.yml",
        status: str = "completed",
        conclusion: str | None = "success",
        repository: str | None = None,
        repository_id: int | None = None,
        attempt: int = 1,
    ) -> int:
        """A workflow run; ``repository`` and its id name the head's when it is a fork. Returns the run's id."""
        number = self.state.next_id()
        self.state.runs[number] = Run(
            number,
            event,
            branch,
            head_sha,
            repository_id or self.state.repository_id,
            repository or self.state.repository,
            path,
            status,
            conclusion,
            self.state.next_date(),
            attempt,
        )
        return number

    def start_run(self, head_sha: str, **details: Any) -> int:
        """A run in progress, to which uploads belong from now on."""
        number = self.add_run(head_sha, status="in_progress", conclusion=None, **details)
        self.state.current_run_id = number
        return number

    def finish_run(self, conclusion: str = "success") -> None:
        """Ends the current run, so that later runs can find its artifacts."""
        number = self.state.current_run_id
        if number is None:
            raise LookupError("no run was started")
        self.state.runs[number] = replace(self.state.runs[number], status="completed", conclusion=conclusion)
        self.state.current_run_id = None

    def add_artifact(
        self,
        run_id: int,
        name: str,
        content: Mapping[str, bytes] | bytes,
        *,
        mime_type: str = ZIP,
        file_name: str | None = None,
        expired: bool = False,
        digest: str | None = "right",
    ) -> int:
        """A zip of files, or raw bytes stored under ``mime_type``; ``digest`` right, None or any text."""
        data = content if isinstance(content, bytes) else zip_of(content)
        stated = f"sha256:{hashlib.sha256(data).hexdigest()}" if digest == "right" else digest
        number = self.state.next_id()
        shown = file_name or (f"{name}.zip" if mime_type == ZIP else name)
        self.state.artifacts[number] = Artifact(
            number, run_id, name, data, mime_type, shown, expired, stated, self.state.next_date()
        )
        return number

    def add_pull(
        self,
        head_sha: str,
        base_sha: str,
        *,
        number: int | None = None,
        head_ref: str = "feature",
        base_ref: str = "main",
        fork: tuple[str, int | None] | None = None,
        author: str = "octocat",
        state: str = "open",
        title: str = "A change",
    ) -> int:
        """A pull request; ``fork`` is (full name, id) of the head repository, id None after it was deleted."""
        number = number or len(self.state.pulls) + 1
        full_name, repository_id = fork or (self.state.repository, self.state.repository_id)
        self.state.pulls[number] = Pull(
            number, head_sha, base_sha, head_ref, base_ref, repository_id, full_name, author, state, title
        )
        return number

    def add_comment(self, pull: int, body: str, *, author: str = "octocat", association: str = "NONE") -> int:
        comment = Comment(self.state.next_id(), pull, author, body, association=association)
        self.state.comments[comment.id] = comment
        return comment.id

    def add_release(self, tag: str, sha: str, assets: Mapping[str, bytes]) -> int:
        number = self.state.next_id()
        self.state.tags[tag] = sha
        numbered = {self.state.next_id(): item for item in assets.items()}
        self.state.releases[number] = Release(number, tag, sha, numbered)
        return number

    def attach(self, tag: str, name: str, data: bytes) -> None:
        """Attach a file to the release of a tag, as ``gh release upload --clobber`` does."""
        (release,) = (release for release in self.state.releases.values() if release.tag == tag)
        release.assets.clear()
        release.assets[self.state.next_id()] = (name, data)

    # Hazards

    def rename(self, name: str) -> None:
        """The repository gets another name or owner; requests for the former one are redirected."""
        self.state.former_repository, self.state.repository = self.state.repository, name

    def read_only(self) -> None:
        """From now on the token may read only, as in a run of a fork."""
        self.state.permissions = dict.fromkeys(ALL_PERMISSIONS, "read")

    def fail(
        self,
        method: str,
        path_part: str,
        status: int = 502,
        *,
        times: int = 1,
        stored: bool = False,
        headers: Mapping[str, str] | None = None,
        message: str = "Server Error",
        html: bool = False,
        body: bytes | None = None,
    ) -> None:
        """The next ``times`` such requests fail; with ``stored`` they do their work before they fail."""
        if body is None:
            body = f"<html>{message}</html>".encode() if html else error_body(status, message)
        kind = "text/html" if html else "application/json; charset=utf-8"
        self.state.faults.append(Fault(method, path_part, status, times, stored, dict(headers or {}), body, kind))

    def let_meet(self, method: str, path_end: str, parties: int = 2) -> None:
        """The first such request waits until so many have come, as runs that start at the same moment do."""
        self._meetings[method, path_end] = threading.Barrier(parties)

    def meanwhile(self, method: str, path_end: str, happens: Callable[[], object], times: int = 1) -> None:
        """What somebody else does to the repository just before each of the next ``times`` such requests."""
        self._meanwhile += [(method, path_end, happens)] * times

    def limit_rate(self, *, times: int = 1, retry_after: int | None = None, status: int = 403) -> None:
        """The next requests hit the secondary limit, with ``Retry-After`` if given."""
        headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
        self.fail("", "", status, times=times, headers=headers, message="You have exceeded a secondary rate limit")

    def saved(self) -> State:
        """The repository as it is now, for `restore`."""
        return copy.deepcopy(self.state)

    def restore(self, saved: State) -> None:
        """Makes everything as it was when it was saved."""
        vars(self.state).update(vars(copy.deepcopy(saved)))
        self.results.unfinished.clear()

    # What happened

    @property
    def requests(self) -> list[LoggedRequest]:
        return self.state.log

    def count(self, method: str = "", path_part: str = "") -> int:
        """How many requests of this method had this text in their path."""
        return sum(method in {"", item.method} and path_part in item.path for item in self.state.log)

    def comment_bodies(self, pull: int) -> list[str]:
        return [item.body for item in self.state.comments.values() if item.pull == pull]

    # Serving

    def _serve(self, answer: Callable[[Request], Response]) -> str:
        if self._in_process:
            self._mounted.append(mount(answer))
            return self._mounted[-1]
        application = Request.application(answer)
        server = make_server(
            "127.0.0.1", 0, application, threaded=True, request_handler=_QuietHandler, ssl_context=self._certificate
        )
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        self._servers.append((server, thread))
        return f"http{'s' if self._certificate else ''}://127.0.0.1:{server.server_port}"

    def _answer(self, request: Request) -> Response:
        raw_path = self._path_of(request)
        body = request.get_data()
        self._meet(request.method, raw_path)
        fault = None
        with self._lock:
            try:
                fault = self._fault(request.method, raw_path)
                if fault is None or fault.stored:
                    response = self._real_answer(request, raw_path, body)
                if fault is not None:
                    response = _failure(fault)
            except ViolationError as violation:
                self.state.violations.append(str(violation))
                response = Response(str(violation), VIOLATION, content_type="text/plain")
            self.state.log.append(
                LoggedRequest(request.method, raw_path, request.args, dict(request.headers), response.status_code)
            )
        return self._through(fault, request, response)

    def _path_of(self, request: Request) -> str:
        """The path, as that of github.com, still percent-encoded."""
        path: str = request.environ["REQUEST_URI"].partition("?")[0]
        if not self.state.enterprise or path.startswith(SERVICE):
            return path
        if path == "/api/graphql":
            return "/graphql"
        return path.removeprefix(ENTERPRISE_API) if path.startswith(ENTERPRISE_API) else f"/nothing-here{path}"

    def _answer_of_storage(self, request: Request) -> Response:
        fault = self._fault(request.method, request.path)
        response = self.blobs.answer(request) if fault is None else _failure(fault)
        return self._through(fault, request, response)

    def _through(self, fault: Fault | None, request: Request, response: Response) -> Response:
        """The answer, unless the fault is one of the line."""
        if self._in_process and fault is not None:
            if fault.status == HANG:
                raise TimeoutError("timed out")
            if fault.status == CUT:
                raise RemoteDisconnected("the server closed the connection")
        if fault is not None and fault.status == HANG:
            self._ended.wait(timeout=2)
        if fault is not None and fault.status in {CUT, HANG}:
            with suppress(OSError):
                request.environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
        return response

    def _meet(self, method: str, path: str) -> None:
        for (verb, part), barrier in self._meetings.items():
            if method == verb and path.endswith(part) and not barrier.broken:
                with suppress(threading.BrokenBarrierError):
                    barrier.wait(timeout=30)
                barrier.abort()  # they meet once
        for one in self._meanwhile:
            if method == one[0] and path.endswith(one[1]):
                self._meanwhile.remove(one)
                one[2]()
                break

    def _real_answer(self, request: Request, raw_path: str, body: bytes) -> Response:
        if raw_path.startswith(SERVICE):
            return self.results.answer(request)
        if raw_path == "/graphql":
            return self._graphql(request, body)
        return self._rest(request, raw_path, body)

    def _fault(self, method: str, path: str) -> Fault | None:
        for fault in self.state.faults:
            if fault.times and fault.method in {"", method} and fault.path_part in f"{path}$":
                fault.times -= 1
                return fault
        return None

    def _graphql(self, request: Request, body: bytes) -> Response:
        if request.method != "POST" or request.headers.get("Authorization", "").partition(" ")[2] != self.state.token:
            return _refuse(RefusalError(401, "Bad credentials"))
        query = json.loads(body)["query"]
        writes = query.startswith("mutation")
        talk = {self.state.permissions.get(name, "none") for name in ("issues", "pull_requests")}
        held = self.state.permissions.get("contents", "none")
        if held == "none" or (writes and "write" not in talk):
            return _refuse(RefusalError(403, "Resource not accessible by integration"))
        data = json.dumps(answer_query(self.state, json.loads(body))).encode()
        return Response(data, 200, content_type="application/json; charset=utf-8")

    def _rest(self, request: Request, raw_path: str, body: bytes) -> Response:
        former, moved = f"/repos/{self.state.former_repository}/", f"/repositories/{self.state.repository_id}/"
        if raw_path.startswith(former):
            place = f"{self.api_url}{moved}{raw_path.removeprefix(former)}?{request.query_string.decode()}"
            return Response(b"{}", 301 if request.method == "GET" else 307, {"Location": place.rstrip("?")})
        if raw_path.startswith(moved):
            raw_path = f"/repos/{self.state.repository}/{raw_path.removeprefix(moved)}"
        operation = _description().operation(request.method, raw_path)
        if not self.foreign_clients and request.headers.get("X-GitHub-Api-Version") != self.api_version:
            raise ViolationError(f"{operation.key}: the header X-GitHub-Api-Version is not {self.api_version}")
        if request.headers.get("Authorization", "").partition(" ")[2] != self.state.token:
            return _refuse(RefusalError(401, "Bad credentials"))
        _description().check_request(operation, request.args, body)
        raw = request.headers.get("Content-Type") == "application/octet-stream"
        value = body if raw else json.loads(body) if body else None
        call = Call(operation, request.args, value, dict(request.headers))
        try:
            answer = self._api.answer(call)
        except RefusalError as refusal:
            return _refuse(refusal)
        return self._checked(operation, answer, request, raw_path)

    def _checked(self, operation: Operation, answer: Answer, request: Request, raw_path: str) -> Response:
        if isinstance(answer.value, bytes):
            return Response(answer.value, answer.status, content_type="application/octet-stream")
        value = answer.value if self.api_version == API_VERSION else _without_dropped(answer.value)
        data = b"" if value is None else json.dumps(value).encode()
        response = Response(data, answer.status, content_type="application/json; charset=utf-8")
        if not answer.outside_description and self.api_version == API_VERSION:
            _description().check_answer(operation, answer.status, response.content_type or "", data)
        if answer.location:
            response.headers["Location"] = answer.location
        if answer.total is not None and (link := self._link(request, raw_path, answer.total)):
            response.headers["Link"] = link
        response.headers["X-RateLimit-Remaining"] = "900"
        response.headers["X-RateLimit-Limit"] = "1000"
        return response

    def _link(self, request: Request, raw_path: str, total: int) -> str:
        size, page = min(int(request.args.get("per_page", 30)), 100), int(request.args.get("page", 1))
        last = -(-total // size)
        links = {"next": page + 1, "last": last} if page < last else {}
        links |= {"prev": page - 1, "first": 1} if page > 1 else {}
        return ", ".join(
            f'<{self.api_url}{raw_path}?{urlencode({**request.args, "page": number})}>; rel="{name}"'
            for name, number in links.items()
        )


def _without_dropped(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_dropped(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_dropped(item) for key, item in value.items() if key not in DROPPED}
    return value


def zip_of(files: Mapping[str, bytes]) -> bytes:
    """A zip with these files, equal bytes for equal files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, EPOCH), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _failure(fault: Fault) -> Response:
    return Response(
        fault.body, 503 if fault.status in {CUT, HANG} else fault.status, fault.headers, content_type=fault.content_type
    )


def _refuse(refusal: RefusalError) -> Response:
    body = error_body(refusal.status, str(refusal))
    return Response(body, refusal.status, refusal.headers, content_type="application/json; charset=utf-8")
