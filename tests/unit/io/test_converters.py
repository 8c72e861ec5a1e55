"""Recordings converted by their own tool, here by a script of its name."""

import json
import stat
import sys
from pathlib import Path

import pytest

from profgate import loading
from profgate.errors import ProfileError, UnknownFormat
from profgate.io.converters import converted
from profgate.model.profile import Profile
from profgate.model.source import source_of

FLIGHT = source_of("a.jfr", b"FLR\0" + b"\0" * 60)
MEMORY = source_of("a.bin", b"\x04\x22\x4d\x18\x40\x40\xc0memray\0" + b"\0" * 60)
EVENTS = json.dumps({"recording": {"events": []}})


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs, the only one that is searched."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def install(folder: Path, name: str, program: str) -> None:
    tool = folder / name
    tool.write_text(f"#!{sys.executable} -I\nimport sys\n{program}\n")
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)


def test_what_the_tool_prints_is_read(tools: Path) -> None:
    install(tools, "jfr", f"assert open(sys.argv[-1], 'rb').read(3) == b'FLR'; print({EVENTS!r})")
    [read] = loading.read_sources([FLIGHT])
    assert isinstance(read, Profile)
    assert (read.name, read.facts.format) == ("a.jfr", "jfr")


def test_what_the_tool_writes_is_read(tools: Path) -> None:
    install(tools, "memray", "open(sys.argv[sys.argv.index('-o') + 1], 'w').write('main 1\\n')")
    assert converted(MEMORY).read(99) == b"main 1\n"


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("sys.exit(f'{sys.argv[-1]}: data is cut\\x1b[2J')", "the file: data is cut"),
        ("sys.exit(3)", "no reason"),
    ],
)
def test_error_of_the_tool_is_passed_on(tools: Path, program: str, reason: str) -> None:
    install(tools, "memray", program)
    good = source_of("a.folded", b"main 1\n")
    [error, read] = loading.read_sources([MEMORY, good])
    assert isinstance(error, ProfileError)
    assert (error.where, isinstance(read, Profile)) == ("a.bin", True)
    assert error.what.startswith(f"memray cannot read this recording: {reason}")
    assert "\x1b" not in error.what


def test_missing_tool_names_the_command(tools: Path) -> None:
    assert converted(FLIGHT) is FLIGHT
    assert not list(tools.iterdir())
    [read] = loading.read_sources([FLIGHT])
    assert isinstance(read, UnknownFormat)
    assert "jfr print --json" in read.what
