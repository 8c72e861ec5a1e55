"""What reaches the runner, read back as the runner reads it."""

import io
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disk_faults import file_size_limit
from profgate.action.github.workflow_commands import SUMMARY_LIMIT, WorkflowCommands
from runner_log import COMMANDS, as_read_by_the_runner

SIGNS = st.sampled_from(["::", ":", "##[", "#", "[", "error", "]", "%", "0A", "\n", "\r", "\ud800", "EOF", "<<", "="])
TEXTS = st.lists(SIGNS | st.text(st.characters(), max_size=2), max_size=8).map("".join)


def outputs_as_read_by_the_runner(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    lines = iter(text.split("\n"))
    for line in lines:
        if not line:
            continue
        equals, heredoc = line.find("="), line.find("<<")
        assert heredoc >= 0
        assert equals < 0 or heredoc < equals
        name, delimiter = line.split("<<", 1)
        value = []
        while (part := next(lines)) != delimiter:
            value.append(part)
        found[name] = "\n".join(value)
    return found


@pytest.mark.parametrize("text", COMMANDS)
def test_no_log_line_is_a_command(text: str) -> None:
    stream = io.StringIO()
    WorkflowCommands(stream).log(text)
    assert as_read_by_the_runner(stream.getvalue()) == []
    assert stream.getvalue().count("\n") == 1


@pytest.mark.parametrize("text", COMMANDS)
def test_annotation_is_exactly_one_command(text: str) -> None:
    stream = io.StringIO()
    WorkflowCommands(stream).error(text, title=text, file="a,b:c.py", line=3)
    (line,) = stream.getvalue().splitlines()
    assert re.fullmatch(r"::error title=[^:,\n]*,file=a%2Cb%3Ac\.py,line=3::.*", line)


@given(TEXTS)
def test_no_text_becomes_a_command_or_a_second_line(text: str) -> None:
    stream = io.StringIO()
    commands = WorkflowCommands(stream)
    commands.log(text)
    commands.log(f"slower: {text}")
    assert as_read_by_the_runner(stream.getvalue()) == []
    commands.error(text, title=text, file=text, line=3)
    lines = re.split(r"\r\n|\r|\n", stream.getvalue())[2:]
    assert [line.split("::")[1].partition(" ")[0] for line in lines[:-1]] == ["error"]


def test_annotations_beyond_the_limit_are_logged() -> None:
    stream = io.StringIO()
    commands = WorkflowCommands(stream)
    for number in range(12):
        commands.notice(f"n{number}", title="")
    commands.error("e", title="")
    lines = stream.getvalue().splitlines()
    assert sum(line.startswith("::notice::") for line in lines) == 10
    assert lines[10:] == ["notice: n10", "notice: n11", "::error::e"]


def test_outputs_cannot_add_others(tmp_path: Path) -> None:
    path = tmp_path / "output"
    commands = WorkflowCommands(io.StringIO(), output_path=str(path))
    values = {"verdict": "fail", "empty": "", "text": "a=b\nverdict=pass\nverdict<<x\npass\nx", "crlf": "a\r\nb"}
    for name, value in values.items():
        commands.set_output(name, value)
    commands.set_output("half", "a\ud800b")
    values["half"] = "a?b"
    assert outputs_as_read_by_the_runner(path.read_bytes().decode()) == values


def test_summary_never_exceeds_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "summary"
    commands = WorkflowCommands(io.StringIO(), summary_path=str(path))
    commands.add_summary("# One")
    commands.add_summary("ä line of text\n" * 100_000)
    data = path.read_bytes()
    assert SUMMARY_LIMIT - 100 < len(data) <= SUMMARY_LIMIT
    text = data.decode()
    assert text.startswith("# One\nä line")
    assert text.endswith("of text\n\n\n*The summary was cut; the report holds the rest.*\n")
    commands.add_summary("more " * 100)
    assert path.stat().st_size <= SUMMARY_LIMIT


def test_unwritable_file_causes_a_single_warning(tmp_path: Path) -> None:
    stream = io.StringIO()
    commands = WorkflowCommands(stream, output_path=str(tmp_path))
    commands.set_output("a", "b")
    commands.set_output("c", "d")
    (line,) = stream.getvalue().splitlines()
    assert line.startswith("::warning title=profgate::")
    assert str(tmp_path) in line


def test_output_is_written_completely_or_not(tmp_path: Path) -> None:
    stream, path = io.StringIO(), tmp_path / "output"
    commands = WorkflowCommands(stream, output_path=str(path))
    commands.set_output("a", "b")
    before = path.read_bytes()
    with file_size_limit(len(before) + 50):
        commands.set_output("c", "d" * 100)
    assert path.read_bytes() == before
    assert "incomplete" in stream.getvalue()


def test_output_delimiter_is_unpredictable(tmp_path: Path) -> None:
    path = tmp_path / "output"
    commands = WorkflowCommands(io.StringIO(), output_path=str(path))
    for _ in range(3):
        commands.set_output("text", "a")
    ends = re.findall(r"^text<<profgate-([0-9a-f-]{36})$", path.read_text(), re.MULTILINE)
    assert len(set(ends)) == 3


def test_secrets_are_masked_line_by_line() -> None:
    stream = io.StringIO()
    WorkflowCommands(stream).mask("first%\n\nsecond")
    assert stream.getvalue().splitlines() == ["::add-mask::first%25", "::add-mask::second"]
