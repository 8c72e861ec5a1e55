"""The storage host: signed addresses to read from and write to, and a refusal of every token."""

import base64
import secrets
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from urllib.parse import quote

from werkzeug.wrappers import Request, Response


@dataclass
class Blob:
    """Stored bytes with the headers they are served with."""

    data: bytes
    mime_type: str
    file_name: str
    signature: str
    blocks: dict[str, bytes] = field(default_factory=dict)
    complete: bool = True


class BlobHost:
    """Keeps blobs by key; the address of each carries its signature."""

    def __init__(self) -> None:
        self.address = ""
        self.blobs: dict[str, Blob] = {}
        self.tokens_received = 0
        self.failures = 0  # how many of the next requests answer 503
        self.damage = False  # serve one byte less than stored

    def offer(self, data: bytes, mime_type: str, file_name: str) -> str:
        """A signed address that gives these bytes."""
        key, blob = self._new(data, mime_type, file_name)
        return f"{self.address}/download/{key}?sig={quote(blob.signature, safe='')}&se=1"

    def accept(self, mime_type: str) -> tuple[str, str]:
        """The key of an empty blob and the signed address to write it to."""
        key, blob = self._new(b"", mime_type, "")
        blob.complete = False
        return key, f"{self.address}/upload/{key}?sig={quote(blob.signature, safe='')}&se=1"

    def answer(self, request: Request) -> Response:
        if "Authorization" in request.headers:
            self.tokens_received += 1
            return Response("InvalidAuthenticationInfo", 400)
        if self.failures:
            self.failures -= 1
            return Response("ServerBusy", 503)
        verb, _, key = request.path.strip("/").partition("/")
        blob = self.blobs.get(key)
        if blob is None or request.args.get("sig") != blob.signature:
            return Response("AuthenticationFailed", 403)
        if (request.method, verb) == ("GET", "download"):
            return self._download(blob)
        if (request.method, verb) == ("PUT", "upload"):
            return self._upload(request, blob)
        return Response("UnsupportedHttpVerb", 405)

    def _new(self, data: bytes, mime_type: str, file_name: str) -> tuple[str, Blob]:
        key = f"blob-{len(self.blobs)}"
        # A signature with characters that change when they are encoded, as real ones have.
        self.blobs[key] = Blob(data, mime_type, file_name, f"{secrets.token_urlsafe()}+/=")
        return key, self.blobs[key]

    def _download(self, blob: Blob) -> Response:
        name = quote(blob.file_name)
        data = blob.data[:-1] if self.damage else blob.data
        response = Response(data, 200, content_type=blob.mime_type)
        response.headers["Content-Disposition"] = f"attachment; filename=\"{name}\"; filename*=UTF-8''{name}"
        return response

    def _upload(self, request: Request, blob: Blob) -> Response:
        if "x-ms-version" not in request.headers:
            return Response("MissingRequiredHeader", 400)
        part = request.args.get("comp")
        if part == "block":
            blob.blocks[request.args["blockid"]] = request.get_data()
            return Response(status=201)
        if part != "blocklist":
            return Response("InvalidQueryParameterValue", 400)
        order = [element.text or "" for element in ET.fromstring(request.get_data())]  # noqa: S314 - our own test data
        if len({len(base64.b64decode(item)) for item in blob.blocks}) > 1 or not set(order) <= set(blob.blocks):
            return Response("InvalidBlockList", 400)
        blob.data = b"".join(blob.blocks[item] for item in order)
        blob.mime_type = request.headers.get("x-ms-blob-content-type", "application/octet-stream")
        blob.complete = True
        return Response(status=201)
