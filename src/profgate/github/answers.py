"""Limit the size of HTTP responses and the duration of HTTP requests."""

import io
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

from requests import ConnectionError as ConnectionFailed
from requests import RequestException, Response
from urllib3.exceptions import HTTPError

Result = TypeVar("Result")

PIECE = 64 * 1024
MAX_ANSWER = 64 * 1024 * 1024  # in bytes; far more than a page with 100 entries needs
ANSWER_SECONDS = 120.0


class AnswerTooLarge(RequestException):
    """The response is larger than MAX_ANSWER."""


class AnswerTooSlow(RequestException):
    """A request and its response take longer than the limit."""


def finished_within(seconds: float, send: Callable[[], Result]) -> Result:
    """Return the result of ``send``, or raise AnswerTooSlow if it takes longer than ``seconds``.

    A socket timeout limits only the time between two received bytes. Therefore, ``send`` runs in a thread that is
    abandoned when the limit is reached.
    """
    future = in_background(send)
    try:
        return future.result(seconds)
    except TimeoutError:
        if future.done():  # raised by the request itself
            raise
        raise AnswerTooSlow from None


def in_background(send: Callable[[], Result]) -> "Future[Result]":
    """Run ``send`` in a thread that does not delay the end of the program."""
    future = Future[Result]()

    def run() -> None:
        try:
            future.set_result(send())
        except BaseException as error:  # noqa: BLE001 - raised again by the caller
            future.set_exception(error)

    Thread(target=run, daemon=True).start()
    return future


def pieces(answer: Response, *, decode: bool) -> Iterator[bytes]:
    """Yield the parts of the body as they arrive, so that the caller can limit the size."""
    try:
        while piece := answer.raw.read1(PIECE, decode_content=decode):
            yield piece
    except HTTPError as error:
        raise ConnectionFailed(type(error).__name__) from None


def limit_answer(answer: Response, *_: object, **__: object) -> None:
    """Read the body of a response up to MAX_ANSWER. `requests` calls this hook before it reads a body itself."""
    body = bytearray()
    for piece in pieces(answer, decode=True):
        body += piece
        if len(body) > MAX_ANSWER:
            answer.close()
            raise AnswerTooLarge
    answer.raw = io.BytesIO(body)
