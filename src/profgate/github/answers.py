"""Limits on the size and duration of HTTP answers, checked with each piece that arrives."""

import io
import time
from collections.abc import Iterator

from requests import ConnectionError as ConnectionFailed
from requests import RequestException, Response
from urllib3.exceptions import HTTPError

PIECE = 64 * 1024
MAX_ANSWER = 64 * 1024 * 1024  # bytes, far more than 100 entries of any list
ANSWER_SECONDS = 120.0


class AnswerTooLarge(RequestException):
    """The answer is larger than MAX_ANSWER."""


class AnswerTooSlow(RequestException):
    """The answer takes longer than ANSWER_SECONDS."""


def pieces(answer: Response, *, decode: bool) -> Iterator[bytes]:
    """Yield the body as it arrives, because a larger piece would delay its check against a deadline."""
    try:
        while piece := answer.raw.read1(PIECE, decode_content=decode):
            yield piece
    except HTTPError as error:
        raise ConnectionFailed(type(error).__name__) from None


def limit_answer(answer: Response, *_: object, **__: object) -> None:
    """Read the body within the limits. This is a hook for `requests`, which calls it before it reads a body."""
    deadline, body = time.monotonic() + ANSWER_SECONDS, bytearray()
    for piece in pieces(answer, decode=True):
        body += piece
        if len(body) > MAX_ANSWER or time.monotonic() > deadline:
            answer.close()
            raise AnswerTooLarge if len(body) > MAX_ANSWER else AnswerTooSlow
    answer.raw = io.BytesIO(body)
