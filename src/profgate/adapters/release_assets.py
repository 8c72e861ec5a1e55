"""Files kept with a release: sent to the host that the release itself names, and fetched through the API."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from profgate.adapters.broken_lines import broken
from profgate.adapters.downloads import CHUNK, Download, TryAgainError, broke_off, fetch, received
from profgate.adapters.github_requests import NotFoundError
from profgate.errors import GitHubError, NotAllowed

if TYPE_CHECKING:
    from requests import PreparedRequest

TIMEOUT = (10, 300)
STALL = (10, 30)
ANSWERED = 201
MOVED = frozenset({301, 302, 303, 307, 308})
REFUSED = frozenset({401, 403, 404})


class AssetBrokeOffError(GitHubError):
    """Whether the file arrived is not known."""


def send_asset(
    upload_url: str, name: str, data: bytes, *, token: str, api_url: str, version: str, verify: bool | str
) -> None:
    """Sends one file to a release. Raises `NotAllowed`, `AssetBrokeOffError` or another `GitHubError`.

    The token goes to GitHub's own hosts alone: the API's, or the one beside it that takes uploads.
    """
    import requests

    where = f"release asset {name}"
    address = upload_url.partition("{")[0]
    if urlsplit(address).netloc not in _hosts(api_url) or urlsplit(address).scheme != urlsplit(api_url).scheme:
        raise GitHubError(where, "the release names a foreign host to upload to; nothing was sent")

    try:
        answer = requests.post(
            f"{address}?name={quote(name, safe='')}",
            data=data,
            headers={"Content-Type": "application/octet-stream", "X-GitHub-Api-Version": version},
            auth=_with(token),
            timeout=TIMEOUT,
            allow_redirects=False,
            verify=verify,
        )
    except requests.RequestException as error:
        raise AssetBrokeOffError(where, f"the connection failed ({broken(error)}); run again") from None
    if answer.status_code in REFUSED:
        raise NotAllowed(where, f"GitHub answered {answer.status_code}; add to the job's permissions: contents: write")
    if answer.status_code >= 500:
        raise AssetBrokeOffError(where, f"GitHub answered {answer.status_code}; run again later")
    if answer.status_code != ANSWERED:
        raise GitHubError(where, f"GitHub answered {answer.status_code}; not sent again")


def fetch_asset(address: str, where: str, *, token: str, version: str, max_bytes: int, verify: bool | str) -> Download:
    """The content of a release's file: github.com leads to a signed address, GitHub Enterprise Server sends it at once.

    The token goes to the API alone. Raises TryAgainError where it failed or broke off, NotAllowed and NotFoundError as
    the API says.
    """
    import requests

    headers = {"Accept": "application/octet-stream", "X-GitHub-Api-Version": version}
    try:
        with requests.get(
            address,
            headers=headers,
            auth=_with(token),
            allow_redirects=False,
            stream=True,
            timeout=STALL,
            verify=verify,
        ) as answer:
            status, leads_to = answer.status_code, answer.headers.get("Location", "")
            if status == 200:
                return received(answer, where, max_bytes)
            message = next(answer.iter_content(CHUNK), b"")
    except requests.RequestException as error:
        raise broke_off(error, where) from None
    if status in MOVED and re.match(r"https?://", leads_to):
        return fetch(leads_to, where, max_bytes=max_bytes, verify=verify)
    raise _no_asset(status, message, where)


def _no_asset(status: int, message: bytes, where: str) -> GitHubError:
    if status >= 500 or status == 429 or b"rate limit" in message:
        return TryAgainError(where, f"GitHub answered {status}; run again later")
    if status == 404:
        return NotFoundError(where, "is not there, or the token may not see it; let profgate attach it again")
    if status in REFUSED:
        return NotAllowed(where, f"GitHub answered {status}; add to the job's permissions: contents: read")
    return GitHubError(where, f"GitHub answered {status} and no content; let profgate attach it again")


def _with(token: str) -> "Callable[[PreparedRequest], PreparedRequest]":
    def signed(request: "PreparedRequest") -> "PreparedRequest":
        request.headers["Authorization"] = f"Bearer {token}"  # set here, so that no .netrc takes its place
        return request

    return signed


def _hosts(api_url: str) -> set[str]:
    """``api.github.com`` goes with ``uploads.github.com``, ``api.x.ghe.com`` with ``uploads.x.ghe.com``."""
    own = urlsplit(api_url).netloc
    return {own, re.sub(r"^api\.", "uploads.", own)}
