"""A child process with limits: what ends it, and what becomes of the requests."""

import os
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from profgate.io import limited_process
from profgate.io.limited_process import STARTS, LimitedProcess

CHILD = """
import json, os, sys, time
from profgate.io import limited_process

limited_process.CPU_SECONDS = 1

def respond(request):
    if request == b"memory\\n":
        return b"x" * (600 << 20)
    while request == b"loop\\n":
        pass
    if request == b"sleep\\n":
        time.sleep(600)
    if request == b"exit\\n":
        os._exit(0)
    if request == b"half\\n":
        os.write(1, b"half a response")
        os._exit(0)
    if request == b"environment\\n":
        return json.dumps(sorted(os.environ)).encode()
    return b"%d %s" % (os.getpid(), request.strip())

limited_process.serve(respond)
"""


Responses = Callable[..., list[bytes | None]]


@pytest.fixture
def responses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Responses:
    path = tmp_path / "child.py"
    path.write_text(CHILD)
    monkeypatch.setattr(limited_process, "isolated_python", lambda _: ([sys.executable, "-I", str(path)], {}))

    def responses(*requests: bytes) -> list[bytes | None]:
        with closing(LimitedProcess("child", requests)) as process:
            return process.responses()

    return responses


def test_one_child_answers_all_requests(responses: Responses) -> None:
    first, second = responses(b"a", b"b")
    assert first is not None
    assert second is not None
    assert first.split()[0] == second.split()[0] != str(os.getpid()).encode()
    assert (first.split()[1], second.split()[1]) == (b"a", b"b")


@pytest.mark.parametrize(
    "request_line",
    [
        b"exit",
        b"half",
        pytest.param(b"loop", marks=pytest.mark.skipif(sys.platform == "win32", reason="has no limit on CPU time")),
        pytest.param(b"memory", marks=pytest.mark.skipif(sys.platform != "linux", reason="has no limit on memory")),
    ],
)
def test_next_request_starts_another_child(responses: Responses, request_line: bytes) -> None:
    first, lost, last = responses(b"a", request_line, b"b")
    assert lost is None
    assert [(response or b"").split()[1:] for response in (first, last)] == [[b"a"], [b"b"]]


def test_child_that_does_not_respond_is_killed(responses: Responses, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limited_process, "SECONDS", 0.5)
    assert responses(b"sleep") == [None]


def test_children_are_started_a_limited_number_of_times(responses: Responses) -> None:
    assert responses(*[b"exit"] * STARTS, b"a") == [None] * (STARTS + 1)


def test_child_has_no_tokens_in_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "secret")
    assert "GITHUB_TOKEN" not in limited_process.isolated_python("a")[1]
