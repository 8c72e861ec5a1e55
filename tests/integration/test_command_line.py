"""What all commands share: help, completion, suggestions and usage errors."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from profgate.__main__ import main
from profgate.cli.main import COMMANDS, profgate

PROFGATE = [sys.executable, "-I", "-m", "profgate"]
NOT_FOR_DRAWING = (
    *(f"profgate.{name}" for name in ("action", "decide", "history", "settings", "statistics")),
    *(f"profgate.attribution.{name}" for name in ("fingerprints", "function_changes", "source_states")),
    *(f"profgate.model.{name}" for name in ("acceptance", "attribution", "change", "details", "history", "report")),
    *(f"profgate.{name}" for name in ("flamegraph.unrolled", "model.manifest")),
    *("profgate.io.executors", "profgate.io.git", "profgate.report.rows", "profgate.source_maps"),
    *(
        f"profgate.readers.{name}"
        for name in ("benchmarks", "callgrind", "cpuprofile", "perf", "pprof", "pstats", "speedscope")
    ),
    *("annotated_types", "asyncio", "base64", "dataclasses", "html", "importlib.resources", "jinja2", "logging"),
    *("lzma", "markupsafe", "numpy.ma.", "pydantic", "random", "shutil", "subprocess", "tempfile"),
)


def all_commands() -> Iterator[str]:
    context = click.Context(profgate)
    for name in COMMANDS:
        yield name
        command = profgate.get_command(context, name)
        if isinstance(command, click.Group):
            yield from (f"{name} {inner}" for inner in command.list_commands(context))


@pytest.mark.parametrize("name", ["", *all_commands()])
def test_help_has_a_usage_and_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*name.split(), "--help"]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"Usage: profgate {name}".rstrip())
    assert f"profgate {name}" in text.partition("Examples:")[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compar"], "command line: no command 'compar'; did you mean compare?"),
        (["store", "lst"], "store: no command 'lst'; did you mean list?"),
        (["compare", "--formt", "json"], "compare: no option --formt; did you mean --format?"),
        (["compare", "a", "b", "--format", "xml"], "--format: 'xml' is unknown; known are terminal, json"),
        (["compare", "a", "b", "--fail-on", "degraded"], "--fail-on: 'degraded' is unknown; did you mean degradation?"),
        (["fold"], "fold: PROFILE is missing"),
        (["fold", "--metric"], "--metric: Option '--metric' requires an argument"),
        (["fold", "a", "b"], "fold: Got unexpected extra argument (b)"),
    ],
)
def test_usage_error_suggests_a_fix(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith(f"profgate: {message}")


# Each script loads the completion script that its first argument names and prints the completions of "profgate flame".
SHELLS = {path.suffix[1:]: path.read_text() for path in (Path(__file__).parents[1] / "data" / "shells").iterdir()}


@pytest.mark.parametrize("shell", SHELLS)
def test_shell_completes_a_command(shell: str, tmp_path: Path) -> None:
    place = shutil.which(shell)
    if place is None or shutil.which("bash") is None:
        pytest.skip(f"{shell} is not installed")
    variables = os.environ | {"_PROFGATE_COMPLETE": f"{shell}_source"}
    script = subprocess.run(PROFGATE, env=variables, capture_output=True, text=True, check=False).stdout
    (tmp_path / "completion").write_text(script)
    (tmp_path / "script").write_text(SHELLS[shell])
    (tmp_path / "profgate").write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -m profgate "$@"\n')
    (tmp_path / "profgate").chmod(0o755)
    done = subprocess.run(
        [place, tmp_path / "script", tmp_path / "completion"],
        env=os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert "flamegraph" in done.stdout, done.stderr


def test_help_imports_no_command() -> None:
    command = [sys.executable, "-I", "-X", "importtime", "-m", "profgate", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "numpy" not in done.stderr
    assert "profgate.cli.compare" not in done.stderr


def test_drawing_imports_no_other_features(tmp_path: Path) -> None:
    """Imports take most of the time of a small flame graph: types are imported for the type checker only."""
    for side in ("a", "b"):
        (tmp_path / f"{side}.folded").write_text("main;work 3\nmain;rest 2\n")
    arguments = ["flamegraph", tmp_path / "a.folded", tmp_path / "b.folded", "-o", tmp_path / "c.html"]
    command = [sys.executable, "-I", "-X", "importtime", "-m", "profgate", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    imported = [line.rpartition("|")[2].strip() for line in done.stderr.splitlines()]
    assert "profgate.flamegraph.page" in imported
    assert [name for name in imported if name.startswith(NOT_FOR_DRAWING)] == []
