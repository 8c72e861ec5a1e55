"""Files kept with a release, sent to the host that the release itself names."""

import re
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from profgate.errors import GitHubError, NotAllowed

if TYPE_CHECKING:
    from requests import PreparedRequest

TIMEOUT = (10, 300)
ANSWERED = 201
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

    def with_token(request: "PreparedRequest") -> "PreparedRequest":
        request.headers["Authorization"] = f"Bearer {token}"  # set here, so that no .netrc takes its place
        return request

    try:
        answer = requests.post(
            f"{address}?name={quote(name, safe='')}",
            data=data,
            headers={"Content-Type": "application/octet-stream", "X-GitHub-Api-Version": version},
            auth=with_token,
            timeout=TIMEOUT,
            allow_redirects=False,
            verify=verify,
        )
    except requests.RequestException as error:
        raise AssetBrokeOffError(where, f"the connection failed ({type(error).__name__}); run again") from None
    if answer.status_code in REFUSED:
        raise NotAllowed(where, f"GitHub answered {answer.status_code}; add to the job's permissions: contents: write")
    if answer.status_code >= 500:
        raise AssetBrokeOffError(where, f"GitHub answered {answer.status_code}; run again later")
    if answer.status_code != ANSWERED:
        raise GitHubError(where, f"GitHub answered {answer.status_code}; not sent again")


def _hosts(api_url: str) -> set[str]:
    """``api.github.com`` goes with ``uploads.github.com``, ``api.x.ghe.com`` with ``uploads.x.ghe.com``."""
    own = urlsplit(api_url).netloc
    return {own, re.sub(r"^api\.", "uploads.", own)}
