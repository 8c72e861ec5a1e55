"""What all commands share: help, completion, suggestions and usage errors."""

import os
import shutil
import subprocess
import sys

import pytest

from profgate.__main__ import main
from profgate.cli.main import COMMANDS

PROFGATE = [sys.executable, "-I", "-m", "profgate"]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_a_usage_and_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"Usage: profgate {name}")
    assert "Commands:" in text or f"profgate {name}" in text.partition("Examples:")[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compar"], "command line: no command 'compar'; did you mean compare?"),
        (["store", "lst"], "store: no command 'lst'; did you mean list?"),
        (["compare", "--formt", "json"], "compare: no option --formt; did you mean --format?"),
        (["compare", "a", "b", "--format", "xml"], "--format: 'xml' is not one of 'terminal'"),
        (["fold"], "fold: PROFILE is missing"),
        (["fold", "--metric"], "--metric: Option '--metric' requires an argument"),
        (["fold", "a", "b"], "fold: Got unexpected extra argument (b)"),
    ],
)
def test_usage_error_suggests_a_fix(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith(f"profgate: {message}")


@pytest.mark.parametrize("arguments", [[], ["store"]])
def test_missing_command_shows_the_help(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert "Commands:" in capsys.readouterr().err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script_calls_profgate(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    assert main(["completion", shell]) == 0
    assert "_PROFGATE_COMPLETE" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("profgate flame", "plain,flamegraph"),
        ("profgate compare --form", "plain,--format"),
        ("profgate fold a", "file,a"),
    ],
)
def test_shell_gets_completions(words: str, expected: str) -> None:
    variables = {"_PROFGATE_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    done = subprocess.run(PROFGATE, env=os.environ | variables, capture_output=True, text=True, check=False)
    assert expected in done.stdout.splitlines()


def test_help_imports_no_command() -> None:
    command = [sys.executable, "-I", "-X", "importtime", "-m", "profgate", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "numpy" not in done.stderr
    assert "profgate.cli.compare" not in done.stderr
