"""What the command line prints in a workflow, read as the runner reads it."""

import io
import json
import sys
from pathlib import Path

import pytest

from profgate.__main__ import main
from profgate.io.terminal import commands_disabled, show
from runner_log import COMMANDS, as_read_by_the_runner

NAME = "##[error]x"


@pytest.mark.parametrize("text", COMMANDS)
def test_no_printed_line_is_a_command(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, stream := io.StringIO())
        with commands_disabled():
            for piece in ("a\n", *text, "\n", text):
                getattr(sys, name).write(piece)
            getattr(sys, name).writelines([text, "\n"])
        assert as_read_by_the_runner(stream.getvalue()) == []
        assert getattr(sys, name) is stream


def test_output_to_a_file_is_not_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "out").open("w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        with commands_disabled():
            sys.stdout.write(f"::error::a\n{NAME}\n")
    assert (tmp_path / "out").read_text() == f"::error::a\n{NAME}\n"


def test_command_line_prints_no_command_in_a_workflow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for side, count in (("old", 1_000), ("new", 9_000)):
        (tmp_path / f"{side}.folded").write_text(f"main;{NAME} {count}\n::error::x;main 9000\n")
    sides = [str(tmp_path / f"{side}.folded") for side in ("old", "new")]
    printed = {}
    for place in ("true", ""):
        monkeypatch.setenv("GITHUB_ACTIONS", place)
        shown = []
        for words in (["--format", "json"], ["--format", "markdown"], ["-v"]):
            main(["compare", *sides, *words])
            shown.append(capsys.readouterr().out)
        main(["fold", sides[1]])
        main(["overweight", "::error::x", NAME])
        printed[place] = [*shown, *capsys.readouterr()]
    assert [as_read_by_the_runner(text) for text in printed["true"]] == [[]] * 5
    assert sum(bool(as_read_by_the_runner(text)) for text in printed[""]) >= 4
    assert json.loads(printed["true"][0])["workloads"] == json.loads(printed[""][0])["workloads"]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("variables", "terminal", "colours"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, True, False),
    ],
)
def test_colours_follow_the_terminal_and_variables(
    variables: dict[str, str], terminal: bool, colours: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    stream = Terminal() if terminal else io.StringIO()
    show([("bad", "FAILED"), ("text", ""), ("quiet", "caf\u00e9")], stream)
    expected = "\x1b[31m\x1b[1mFAILED\x1b[0m\n\n\x1b[2mcaf\u00e9\x1b[0m\n" if colours else "FAILED\n\ncaf\u00e9\n"
    assert stream.getvalue() == expected
