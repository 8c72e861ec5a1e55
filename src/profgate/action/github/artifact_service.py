"""Upload artifacts of the current run through the service that the official upload action uses."""

import base64
import binascii
import hashlib
import io
import json
import re
import uuid
import zipfile
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from requests import RequestException, Session

from profgate.action.github.connections import (
    RetryBudget,
    TemporaryError,
    failure_of,
    is_permanent,
    read_body,
    repeated,
    stated_pause,
    with_token,
)
from profgate.action.github.requests import ANSWER_SECONDS, MAX_ANSWER
from profgate.errors import GitHubError

ZIP = "application/zip"
BLOCK = 8 * 1024 * 1024
TRIES = 5
RETRYABLE = frozenset({429, 500, 502, 503, 504})
TIMEOUT = (10, 60)  # maximum number of seconds for connecting, and between two received bytes
SCOPE = "Actions.Results:"


class UploadUnavailable(GitHubError):  # noqa: N818 - the name describes a condition
    """This run cannot upload artifacts. The caller then suggests the official upload action."""


class NameTaken(UploadUnavailable):
    """The run already has an artifact of this name, perhaps from an earlier attempt whose response was lost."""


class ArtifactService:
    """A client that uploads artifacts of one run.

    ``run_url`` is the URL of the run. ``mask`` is called with every secret from the service before the secret is used.
    ``pause`` is the pause before the first retry, in seconds. ``budget`` limits the total time spent on waits and
    failed requests. Every method raises UploadUnavailable on failure.
    """

    def __init__(
        self,
        results_url: str,
        runtime_token: str,
        run_url: str,
        *,
        mask: Callable[[str], None] = lambda _: None,
        pause: float = 3.0,  # as in the official client
        verify: bool | str = True,
        budget: RetryBudget | None = None,
    ) -> None:
        if not results_url or not runtime_token:
            raise UploadUnavailable("artifact upload", "this run has no results service; use actions/upload-artifact")
        parts = urlsplit(results_url)
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._token = runtime_token
        self._run_url = run_url
        self._backends = _backend_ids(runtime_token)
        self._mask = mask
        self._pause = pause
        self._verify = verify
        self._budget = budget or RetryBudget()

    def upload_zip(self, name: str, files: Mapping[str, bytes]) -> str:
        """Upload files as one zip archive, which is the same for the same files. Return the address of the artifact."""
        return self.upload_file(name, zip_files(files), ZIP)

    def upload_file(self, name: str, data: bytes, mime_type: str) -> str:
        r"""Upload one file without zipping it, so that a browser can open it directly if it supports ``mime_type``.

        Returns the address of the artifact. Raises NameTaken if the run already has an artifact of this name. The name
        must not contain line breaks or the characters ``" : < > | * ? \ /``.
        """
        if not name or re.search(r'[":<>|*?\\/\r\n]', name):
            raise UploadUnavailable(f"artifact {name!r}", 'the name is empty or contains one of " : < > | * ? \\ /')
        # some servers support no newer version of the protocol than 4; only version 7 supports files without zipping
        created: dict[str, object] = {"name": name, "version": 4}
        if mime_type != ZIP:
            created |= {"version": 7, "mime_type": mime_type}
        address = _field(self._service("CreateArtifact", created), "signed_upload_url", name)
        try:
            signatures = parse_qs(urlsplit(address).query).get("sig", [])
        except ValueError:
            raise UploadUnavailable(f"artifact {name}", "the results service returned an invalid address") from None
        for signature in signatures:
            self._mask(signature)
            self._mask(quote(signature, safe=""))
        self._store(address, data, mime_type, name)
        digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
        finished = {"name": name, "size": str(len(data)), "hash": digest}
        try:
            number = _field(self._service("FinalizeArtifact", finished), "artifact_id", name)
        except UploadUnavailable:  # an earlier attempt may have succeeded although its response was lost
            number = self._number_of(name, digest)
            if not number:
                raise
        if not re.fullmatch(r"[0-9]{1,19}", number):
            raise UploadUnavailable(f"artifact {name}", "the results service returned no artifact id")
        return f"{self._run_url}/artifacts/{number}"

    def _number_of(self, name: str, digest: str) -> str:
        """Return the id of the stored artifact with this name and digest, or an empty string if there is none."""
        try:
            found = self._service("ListArtifacts", {"name_filter": name}).get("artifacts")
        except UploadUnavailable:
            return ""
        for item in found if isinstance(found, list) else ():
            if isinstance(item, dict) and (item.get("name"), item.get("digest")) == (name, digest):
                return str(_value(item, "database_id") or "")
        return ""

    def _service(self, method: str, fields: Mapping[str, object]) -> dict[str, Any]:
        where = f"{method} {fields.get('name') or fields.get('name_filter')}"
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        body = json.dumps({**self._backends, **fields}).encode()
        url = f"{self._origin}/twirp/github.actions.results.api.v1.ArtifactService/{method}"
        status, data = self._send("POST", url, body, headers, where)
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            value = None
        message = str(value.get("msg", "")) if isinstance(value, dict) else ""
        if status == 409:
            whose = "of another step, or of an earlier try whose answer was lost"
            raise NameTaken(where, f"this run has an artifact of that name already ({whose}); set another name")
        if status != 200 or not isinstance(value, dict) or value.get("ok", True) is not True:
            raise UploadUnavailable(where, f"the results service answered {status} {message}".rstrip())
        return value

    def _store(self, address: str, data: bytes, mime_type: str, name: str) -> None:
        where = f"storing {name}"
        prefix = str(uuid.uuid4())
        pieces = [data[start : start + BLOCK] for start in range(0, len(data), BLOCK)]
        ids = [base64.b64encode(f"{prefix}{number:012d}".encode()).decode() for number in range(len(pieces))]
        version = {"x-ms-version": "2025-11-05"}
        for number, piece in zip(ids, pieces, strict=True):
            self._put(f"{address}&comp=block&blockid={quote(number, safe='')}", piece, version, where)
        listing = "".join(f"<Latest>{number}</Latest>" for number in ids)
        body = f'<?xml version="1.0" encoding="utf-8"?><BlockList>{listing}</BlockList>'.encode()
        headers = {**version, "Content-Type": "application/xml", "x-ms-blob-content-type": mime_type}
        self._put(f"{address}&comp=blocklist", body, headers, where)

    def _put(self, address: str, body: bytes, headers: Mapping[str, str], where: str) -> None:
        status, _ = self._send("PUT", address, body, headers, where)
        if status != 201:
            raise UploadUnavailable(where, f"the storage host answered {status}")

    def _send(self, method: str, url: str, body: bytes, headers: Mapping[str, str], where: str) -> tuple[int, bytes]:
        """Return the status and the body of the response. Every request can be repeated."""

        def once() -> tuple[int, bytes]:
            try:
                with Session() as session:
                    session.auth = with_token()
                    answer = session.request(
                        method,
                        url,
                        data=body,
                        headers=headers,
                        timeout=TIMEOUT,
                        allow_redirects=False,
                        verify=self._verify,
                        stream=True,
                    )
                    data = read_body(answer, ANSWER_SECONDS, MAX_ANSWER)
            except (RequestException, ValueError) as error:  # the error message contains a secret signature
                kind = UploadUnavailable if is_permanent(error) or isinstance(error, ValueError) else TemporaryError
                raise kind(where, f"the connection failed ({failure_of(error)})") from None
            if answer.status_code not in RETRYABLE:
                return answer.status_code, data
            text = data[:200].decode(errors="replace")
            what = f"the server answered {answer.status_code} {text}".rstrip()
            if answer.status_code == 429 and "insufficient usage" in text:  # the quota of the storage
                raise UploadUnavailable(where, what)
            raise TemporaryError(where, what, stated_pause(answer.headers))

        try:
            return repeated(once, self._budget, self._pause, TRIES, TemporaryError)
        except UploadUnavailable:
            raise
        except GitHubError as error:  # also a wait that exceeds a limit
            raise UploadUnavailable(where, error.what) from error


def zip_files(files: Mapping[str, bytes]) -> bytes:
    """Return a zip archive of the files, sorted by name, with fixed timestamps."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            # a fixed timestamp, so that equal files result in equal zip archives
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, files[name], zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _backend_ids(token: str) -> dict[str, str]:
    """Return the run id and the job id from the token's scope. The service checks the signature of the token."""
    try:
        payload = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        scopes = [scope.removeprefix(SCOPE) for scope in claims["scp"].split() if scope.startswith(SCOPE)]
        run, job = scopes[0].split(":")
    except (IndexError, KeyError, TypeError, ValueError, AttributeError, binascii.Error):
        raise UploadUnavailable("ACTIONS_RUNTIME_TOKEN", "names no run; use actions/upload-artifact") from None
    return {"workflow_run_backend_id": run, "workflow_job_run_backend_id": job}


def _value(answer: Mapping[str, Any], key: str) -> object:
    """Return the value of a field whose name in the response is in snake case or camel case (`artifactId`)."""
    first, *rest = key.split("_")
    return answer.get(key, answer.get(first + "".join(map(str.capitalize, rest))))


def _field(answer: Mapping[str, Any], key: str, name: str) -> str:
    value = _value(answer, key)
    if not isinstance(value, str) or not value:
        raise UploadUnavailable(f"artifact {name}", f"the results service returned no {key}")
    return value
