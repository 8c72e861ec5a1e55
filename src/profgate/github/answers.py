"""Limits the size and the duration of HTTP responses. The limits are checked whenever a part of a body arrives."""

import io
import time
from collections.abc import Iterator

from requests import ConnectionError as ConnectionFailed
from requests import RequestException, Response
from urllib3.exceptions import HTTPError

PIECE = 64 * 1024
MAX_ANSWER = 64 * 1024 * 1024  # in bytes; far more than a page with 100 entries needs
ANSWER_SECONDS = 120.0


class AnswerTooLarge(RequestException):
    """The response is larger than MAX_ANSWER."""


class AnswerTooSlow(RequestException):
    """The response takes longer than ANSWER_SECONDS."""


def pieces(answer: Response, *, decode: bool) -> Iterator[bytes]:
    """Yield the parts of the body as they arrive, so that the caller can check a deadline after each part."""
    try:
        while piece := answer.raw.read1(PIECE, decode_content=decode):
            yield piece
    except HTTPError as error:
        raise ConnectionFailed(type(error).__name__) from None


def limit_answer(answer: Response, *_: object, **__: object) -> None:
    """Read the body of a response within the limits. `requests` calls this hook before it reads a body itself."""
    deadline, body = time.monotonic() + ANSWER_SECONDS, bytearray()
    for piece in pieces(answer, decode=True):
        body += piece
        if len(body) > MAX_ANSWER or time.monotonic() > deadline:
            answer.close()
            raise AnswerTooLarge if len(body) > MAX_ANSWER else AnswerTooSlow
    answer.raw = io.BytesIO(body)
