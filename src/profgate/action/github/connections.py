"""Code that is shared by all connections: certificates, authentication, error messages and the retry budget."""

import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Self, TypeVar

from requests import ConnectionError as ConnectionFailed
from requests import PreparedRequest, RequestException, Response
from requests.exceptions import ProxyError, SSLError
from urllib3.exceptions import HTTPError

from profgate.errors import GitHubError, SettingsError

Result = TypeVar("Result")
REPLACING = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")  # their files replace the public certificate authorities
ADDING = ("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS")
MAX_WAIT = 120.0  # maximum number of seconds of a single wait


class RetryBudgetExceededError(GitHubError):
    """The retry budget has been used up by waits and failed requests, so no further requests are sent."""


class RetryBudget:
    """A limit, in seconds, on the total time that waits and failed requests may take in one run."""

    def __init__(
        self,
        seconds: float = 300.0,
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limit = self._left = seconds
        self._sleep = sleep
        self._clock = clock

    def fresh(self) -> Self:
        """Return an unused budget of the same size."""
        return type(self)(self._limit, sleep=self._sleep, clock=self._clock)

    def wait(self, seconds: float) -> None:
        """Sleep for ``seconds``. Raises RetryBudgetExceededError immediately if less time is left."""
        if seconds > self._left:
            raise self._exceeded()
        self._left -= seconds
        self._sleep(seconds)

    @contextmanager
    def spent_on(self) -> Iterator[None]:
        """Subtract the duration of a block that fails. Raises RetryBudgetExceededError if no time is left."""
        if self._left <= 0:
            raise self._exceeded()
        start, left = self._clock(), self._left
        try:
            yield
        except Exception:  # the waits in the block are part of its duration
            self._left = min(self._left, left - (self._clock() - start))
            raise

    def _exceeded(self) -> RetryBudgetExceededError:
        what = f"waits may take {self._limit:g} seconds of a run, which are used up; run again later"
        return RetryBudgetExceededError("GitHub", what)


class TemporaryError(GitHubError):
    """A request failed for a reason that may be temporary. ``after`` is the demanded pause in seconds, or None."""

    def __init__(self, where: str, what: str, after: float | None = None) -> None:
        super().__init__(where, what)
        self.after = after


def repeated(
    once: Callable[[], Result], budget: RetryBudget, pause: float, tries: int, *kinds: type[TemporaryError]
) -> Result:
    """Return the result of ``once``, which is called at most ``tries`` times while it raises errors of these kinds.

    The pauses begin with ``pause`` seconds and double each time, unless an error states one. A pause that is longer
    than ``MAX_WAIT`` ends the request.
    """
    with budget.spent_on():
        for number in range(tries - 1):
            try:
                return once()
            except kinds as error:
                seconds = pause * 2**number if error.after is None else error.after
                if seconds > MAX_WAIT:
                    what = f"the rate limit is used up for {seconds:,.0f} seconds; run again then"
                    raise GitHubError("GitHub", what) from error
            budget.wait(seconds)
        return once()


def stated_pause(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a response demands before the next request, or None."""
    stated = headers.get("Retry-After", "")
    return float(stated) if stated.isdecimal() else None


class AnswerTooLarge(RequestException):
    """The body of the response is larger than the limit."""


class AnswerTooSlow(RequestException):
    """The body of the response takes longer than the limit."""


def read_body(answer: Response, seconds: float, most: int) -> bytes:
    """Return the body of a response that was requested with ``stream=True``, and release its connection.

    A socket timeout limits only the time between two received parts. Raises RequestException at a limit.
    """
    body, end = bytearray(), time.monotonic() + seconds
    with answer:
        try:
            while piece := answer.raw.read1(64 * 1024, decode_content=True):
                body += piece
                if len(body) > most:
                    raise AnswerTooLarge
                if time.monotonic() > end:
                    raise AnswerTooSlow
        except HTTPError as error:
            raise ConnectionFailed(type(error).__name__) from None
    return bytes(body)


def trusted_file(bundle: str, environ: Mapping[str, str], new_folder: Callable[[], str]) -> str | None:
    """Return the path of a file with all trusted certificates, or None if only public authorities are trusted.

    ``bundle`` is a file that is named in the workflow. Files named in ``environ`` are used only if they exist, because
    their paths may be valid only on the host. Several files are combined in the folder that ``new_folder()`` returns.
    Raises SettingsError if the bundle is missing or a file does not contain a certificate.
    """
    present = {name: environ[name] for name in (*REPLACING, *ADDING) if Path(environ.get(name, "")).is_file()}
    added = {"ca-bundle": bundle} if bundle else {}
    added |= {name: path for name, path in present.items() if name in ADDING}
    base = next((path for name, path in present.items() if name in REPLACING), None)
    if not added:
        return base
    if base is None:
        import certifi

        base = certifi.where()
    combined = Path(new_folder()) / "trusted.pem"
    combined.write_bytes(b"\n".join([Path(base).read_bytes(), *(_certificates(*item) for item in added.items())]))
    return str(combined)


def missing_certificates(environ: Mapping[str, str]) -> list[str]:
    """Return the names of the environment variables whose certificate file does not exist."""
    return [name for name in (*REPLACING, *ADDING) if environ.get(name) and not Path(environ[name]).exists()]


def _certificates(name: str, path: str) -> bytes:
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise SettingsError(name, f"{path!r}: {error.strerror}; use a file with certificates") from error
    if b"-----BEGIN CERTIFICATE-----" not in data:
        raise SettingsError(name, f"{path!r} contains no certificate in PEM form; convert it, or name another file")
    return data


def with_token(token: str = "") -> Callable[[PreparedRequest], PreparedRequest]:
    """Return an authentication function for `requests` that sends the token, if any, and nothing from a .netrc file."""

    def authenticated(request: PreparedRequest) -> PreparedRequest:
        if token:
            request.headers["Authorization"] = f"Bearer {token}"
        return request

    return authenticated


def failure_of(error: Exception) -> str:
    """Return a message that explains why a connection failed, without URLs, because they may contain secrets."""
    kind, text = type(error).__name__, str(error)
    if isinstance(error, SSLError):
        found = re.search(r"certificate verify failed: ([A-Za-z -]+)", text)
        reason = f" ({found[1].strip()})" if found else ""
        return f"{kind}: the certificate is not trusted{reason}; name the file of its authority in the input ca-bundle"
    if isinstance(error, ProxyError):
        found = re.search(r"Tunnel connection failed: ([0-9]{3})", text)
        what = f"answered {found[1]}" if found else "did not answer"
        return f"{kind}: the proxy {what}; check HTTPS_PROXY and NO_PROXY of the runner"
    return kind


def is_permanent(error: Exception) -> bool:
    """Return whether a retry would be useless, because the certificate is not trusted or the answer exceeds a limit."""
    return isinstance(error, AnswerTooLarge | AnswerTooSlow) or "CERTIFICATE_VERIFY_FAILED" in str(error)
