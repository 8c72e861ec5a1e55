"""Download files and read zip archives in memory. The limits do not rely on sizes claimed by a server or an archive."""

import hashlib
import io
import re
import stat
import zipfile
import zlib
from typing import TYPE_CHECKING

from profgate.action.github.connections import (
    AnswerTooLarge,
    AnswerTooSlow,
    TemporaryError,
    failure_of,
    is_permanent,
    read_body,
    with_token,
)
from profgate.action.github.requests import API_VERSION
from profgate.errors import GitHubError, NotAllowed, ProfgateError, ProfileError

if TYPE_CHECKING:
    from requests import Response

MAX_DOWNLOAD = 512 << 20
MAX_MEMBERS = 110_000  # more files than profgate stores in an archive
MAX_UNPACKED = 2 << 30
MAX_RATIO = 300
RATIO_FLOOR = 1 << 20  # number of unpacked bytes that is always allowed, whatever the ratio
CONNECT_SECONDS, STALL_SECONDS, TOTAL_SECONDS = 10, 30, 900


class TryAgainError(TemporaryError):
    """A download failed for a reason that may be temporary."""


def fetch(
    url: str,
    where: str,
    *,
    token: str = "",
    max_bytes: int = MAX_DOWNLOAD,
    verify: bool | str = True,
) -> bytes:
    """Download a URL. If ``token`` is given, one redirect is followed without sending the token.

    Raises TryAgainError if the host or the connection fails, NotAllowed if the token is refused, and GitHubError on
    other failures. The errors do not contain the URL, because its signature is secret.
    """
    import requests

    headers = {"Accept-Encoding": "identity"}
    if token:  # the API would otherwise describe the file
        headers |= {"Accept": "application/octet-stream", "X-GitHub-Api-Version": API_VERSION}
    try:
        with requests.get(
            url,
            headers=headers,
            auth=with_token(token),
            allow_redirects=False,
            stream=True,
            timeout=(CONNECT_SECONDS, STALL_SECONDS),
            verify=verify,
        ) as answer:
            if answer.status_code == 200:
                data = read_body(answer, TOTAL_SECONDS, max_bytes)
    except AnswerTooLarge:
        raise GitHubError(where, f"is larger than {max_bytes:,} bytes; upload smaller profiles") from None
    except AnswerTooSlow:
        raise GitHubError(where, f"did not arrive within {TOTAL_SECONDS} seconds; run again") from None
    except (requests.RequestException, ValueError) as error:  # an invalid address causes a ValueError
        kind = GitHubError if is_permanent(error) else TryAgainError
        what = f"the download failed ({failure_of(error)}); check the network of the runner and run again"
        raise kind(where, what) from None
    if answer.status_code == 200:
        return data
    location = answer.headers.get("Location", "")
    if token and answer.is_redirect and location.startswith(("https://", "http://")):
        return fetch(location, where, max_bytes=max_bytes, verify=verify)
    raise _refused(answer, where, token)


def _refused(answer: "Response", where: str, token: str) -> GitHubError:
    status = answer.status_code
    host = "GitHub" if token else "the storage host"
    limited = "Retry-After" in answer.headers or answer.headers.get("X-RateLimit-Remaining") == "0"
    if token and status in {401, 403} and not limited:
        return NotAllowed(where, f"GitHub answered {status}; add to the job's permissions: contents: read")
    if status >= 500 or status in {403, 408, 429}:  # 403 means that the signed URL has expired
        return TryAgainError(where, f"{host} answered {status}; run again")
    remedy = "attach it to the release again" if token else "run again or use another baseline"
    return GitHubError(where, f"{host} answered {status}; {remedy}")


def check_digest(data: bytes, digest: str | None, where: str) -> None:
    """Raise TryAgainError if ``data`` does not have the digest ``sha256:<hex>``. If the digest is None, do nothing."""
    if digest is not None and digest != f"sha256:{hashlib.sha256(data).hexdigest()}":
        raise TryAgainError(where, "the bytes do not match the digest GitHub states; none were used, run again")


class _ZipBytes(io.BytesIO):
    """The bytes of a zip archive whose number of entries is limited.

    `zipfile` creates an object for each entry of the directory, which it reads at once. Therefore, the entries are
    counted then. The number that is stored in the archive is not trusted.
    """

    max_members: int | None = None
    where = ""

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the next bytes. Raises ProfileError if these bytes contain too many directory entries."""
        data = super().read(size)
        if self.max_members is not None and (entries := data.count(b"PK\x01\x02")) > self.max_members:
            raise ProfileError(self.where, f"the zip has {entries} entries, but at most {self.max_members} are read")
        return data


def read_zip(
    data: bytes,
    *,
    max_members: int = MAX_MEMBERS,
    max_bytes: int = MAX_UNPACKED,
    max_ratio: int = MAX_RATIO,
    where: str = "zip",
) -> dict[str, bytes]:
    """Return the files of a zip archive by name, unpacked in memory.

    Raises ProfileError if an entry is a duplicate, is encrypted, is a link or has a path outside the folder, if the
    data is damaged, or if the archive exceeds one of the three limits.
    """
    try:
        file = _ZipBytes(data)
        file.max_members, file.where = max_members, where
        with zipfile.ZipFile(file) as archive:
            file.max_members = None
            budget = min(max_bytes, max(RATIO_FLOOR, max_ratio * len(data)))
            return _read_members(archive, budget, where)
    except ProfgateError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError) as error:
        raise ProfileError(where, f"the zip is broken or none ({type(error).__name__}); upload it again") from error


def _read_members(archive: zipfile.ZipFile, budget: int, where: str) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    seen: set[str] = set()
    for member in archive.infolist():
        _check_member(member, seen, where)
        seen.add(member.filename)
        if member.is_dir():
            continue
        with archive.open(member) as stream:
            content = stream.read(budget + 1)
        budget -= len(content)
        if budget < 0:
            raise ProfileError(where, f"the zip unpacks to more than is allowed, at {member.filename!r}; not read")
        files[member.filename] = content
    return files


def _check_member(member: zipfile.ZipInfo, seen: set[str], where: str) -> None:
    name = member.filename
    mode = member.external_attr >> 16
    parts = name.replace("\\", "/").split("/")
    if name in seen:
        reason = "is there twice"
    elif member.flag_bits & 0x1:
        reason = "is encrypted"
    # for other compression methods, zipfile unpacks pieces of unlimited size
    elif member.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        reason = "is packed by a method other than stored and deflate"
    elif stat.S_IFMT(mode) not in {0, stat.S_IFREG, stat.S_IFDIR}:
        reason = "is a link or device"
    elif not name or "\\" in name or name.startswith("/") or ".." in parts or re.match(r"[A-Za-z]:", name):
        reason = "leaves its folder"
    elif member.orig_filename != name or any(ord(character) < 32 for character in name):
        reason = "has control characters in its name"
    else:
        return
    raise ProfileError(where, f"entry {name!r} of the zip {reason}; nothing was read")
