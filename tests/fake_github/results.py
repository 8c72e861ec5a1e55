"""The results service: takes artifacts of the current run, as the official clients upload them."""

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from werkzeug.wrappers import Request, Response

from fake_github.blobs import BlobHost
from fake_github.state import Artifact, Run, State

SERVICE = "/twirp/github.actions.results.api.v1.ArtifactService/"
RUN_BACKEND, JOB_BACKEND = "ce7f54c7-61c7-4aae-887f-30da475f5f1a", "ca395085-040a-526b-2ce8-bdc85f692774"
FIELDS = {
    "CreateArtifact": {"name": True, "version": True, "mime_type": False, "expires_at": False},
    "FinalizeArtifact": {"name": True, "size": True, "hash": False},
    "ListArtifacts": {"name_filter": False, "id_filter": False},
    "GetSignedArtifactURL": {"name": True},
}
BAD_NAME = re.compile(r'[":<>|*?\\/\r\n]')


def runtime_token() -> str:
    """An unsigned JWT with the scope the official client reads."""
    parts = [{"alg": "none", "typ": "JWT"}, {"scp": f"Actions.Example Actions.Results:{RUN_BACKEND}:{JOB_BACKEND}"}]
    encoded = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
    return ".".join([*encoded, "c2lnbmF0dXJl"])


class ResultsService:
    """Twirp over JSON: writing and reading the artifacts of the current run, one for each name."""

    def __init__(self, state: State, blobs: BlobHost, token: str) -> None:
        self._state = state
        self._blobs = blobs
        self._token = token
        self.unfinished: dict[str, tuple[str, str]] = {}  # name -> key of the blob, mime type
        self.camel_case = False  # the other spelling of fields that protobuf's JSON allows

    def answer(self, request: Request) -> Response:
        method = request.path.removeprefix(SERVICE)
        if request.headers.get("Authorization") != f"Bearer {self._token}":
            return _problem(401, "unauthenticated", "invalid token")
        try:
            fields = json.loads(request.get_data())
        except ValueError:
            return _problem(400, "malformed", "the json request could not be decoded")
        if problem := _check(method, fields):
            return problem
        methods = {
            "CreateArtifact": self._create,
            "FinalizeArtifact": self._finalize,
            "ListArtifacts": self._list,
            "GetSignedArtifactURL": self._address,
        }
        answer = methods[method](fields)
        if self.camel_case:
            answer.set_data(
                re.sub(r'_([a-z])(?=[a-z_]*": )', lambda found: found[1].upper(), answer.get_data(as_text=True))
            )
        return answer

    def _create(self, fields: Mapping[str, Any]) -> Response:
        name = fields["name"]
        if not name or BAD_NAME.search(name):
            return _problem(400, "invalid_argument", f"the artifact name {name!r} is not valid")
        run = self._run()  # an attempt of a run does not see what earlier ones stored
        mine = (item for item in self._state.artifacts.values() if (item.run_id, item.attempt) == (run.id, run.attempt))
        taken = {item.name for item in mine}
        if name in taken or name in self.unfinished:
            return _problem(409, "already_exists", "an artifact with this name already exists on the workflow run")
        mime_type = fields.get("mime_type", "application/zip")
        key, address = self._blobs.accept(mime_type)
        self.unfinished[name] = (key, mime_type)
        return _json({"ok": True, "signed_upload_url": address})

    def _finalize(self, fields: Mapping[str, Any]) -> Response:
        name = fields["name"]
        if name not in self.unfinished:
            return _problem(404, "not_found", "no such artifact")
        key, mime_type = self.unfinished[name]
        blob = self._blobs.blobs[key]
        digest = f"sha256:{hashlib.sha256(blob.data).hexdigest()}"
        if not blob.complete or fields["size"] != str(len(blob.data)) or fields.get("hash", digest) != digest:
            return _problem(400, "invalid_argument", "size or hash differ from the stored blob")
        if blob.mime_type != mime_type:
            return _problem(400, "invalid_argument", "the blob has another type than announced")
        del self.unfinished[name]
        number, run = self._state.next_id(), self._run()
        file_name = f"{name}.zip" if mime_type == "application/zip" else name
        date = self._state.next_date()
        self._state.artifacts[number] = Artifact(
            number, run.id, name, blob.data, mime_type, file_name, False, digest, date, run.attempt
        )
        return _json({"ok": True, "artifact_id": str(number)})

    def _list(self, fields: Mapping[str, Any]) -> Response:
        """Numbers of 64 bits are texts, as protobuf writes them in JSON."""
        mine = [one for one in self._state.artifacts.values() if one.run_id == self._run().id]
        wanted_name, wanted_id = fields.get("name_filter"), fields.get("id_filter")
        found = [one for one in mine if wanted_name in {None, one.name} and wanted_id in {None, str(one.id)}]
        listed = [
            {
                "workflow_run_backend_id": RUN_BACKEND,
                "workflow_job_run_backend_id": JOB_BACKEND,
                "database_id": str(one.id),
                "name": one.name,
                "size": str(len(one.data)),
                "created_at": one.created_at,
                "digest": one.digest,
            }
            for one in found
        ]
        return _json({"artifacts": listed})

    def _address(self, fields: Mapping[str, Any]) -> Response:
        mine = (one for one in self._state.artifacts.values() if one.run_id == self._run().id)
        found = next((one for one in mine if one.name == fields["name"]), None)
        if found is None:
            return _problem(404, "not_found", "no such artifact")
        return _json({"signed_url": self._blobs.offer(found.data, found.mime_type, found.file_name)})

    def _run(self) -> Run:
        number = self._state.current_run_id
        if number is None:
            raise LookupError("an upload needs a current run: call fake.start_run(...) first")
        return self._state.runs[number]


def _check(method: str, fields: Mapping[str, Any]) -> Response | None:
    if method not in FIELDS:
        return _problem(404, "bad_route", f"no handler for {method}")
    backends = (fields.get("workflow_run_backend_id"), fields.get("workflow_job_run_backend_id"))
    if backends != (RUN_BACKEND, JOB_BACKEND):
        return _problem(403, "permission_denied", "the ids are not those of the token")
    known = FIELDS[method]
    unknown = set(fields) - set(known) - {"workflow_run_backend_id", "workflow_job_run_backend_id"}
    missing = {name for name, required in known.items() if required and name not in fields}
    version = 7 if "mime_type" in fields else 4
    if unknown or missing or not version <= fields.get("version", 7) <= 7:
        return _problem(400, "malformed", f"unknown {sorted(unknown)}, missing {sorted(missing)}")
    return None


def _json(value: object, status: int = 200) -> Response:
    return Response(json.dumps(value), status, content_type="application/json")


def _problem(status: int, code: str, message: str) -> Response:
    return _json({"code": code, "msg": message}, status)
