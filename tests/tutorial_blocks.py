"""Runs the code blocks of a tutorial in the order in which a reader meets them."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

BLOCK = re.compile(
    r"(?:^<!-- (?P<note>[^\n]*) -->\n)?^```(?P<language>\w+)(?P<title>[^\n]*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
TITLE = re.compile(r'title="([^"]+)"')
NUMBER = r"\d[\d.,]*(?: m?s\b)?"
UNSURE = re.compile(r"^ *total .*\((?:.*, )?(?:possible|inconclusive)", re.MULTILINE)  # runs of a busy machine vary
IDENTITY = {"NAME": "Reader", "EMAIL": "reader@example.com"}


class InconclusiveError(AssertionError):
    """A comparison passed or was unsure of the total, which other programs on the same machine can cause."""


@dataclass(frozen=True)
class Block:
    """A fenced block: a file if it has a title, otherwise shell commands, a patch or the output of the last commands.

    A comment before the block can contain ``not run`` or the expected ``exit code N``.
    """

    language: str
    title: str
    text: str
    note: str

    @property
    def exit_code(self) -> int:
        return int(self.note.removeprefix("exit code")) if self.note.startswith("exit code") else 0


def blocks_of(page: Path) -> Iterator[Block]:
    for match in BLOCK.finditer(page.read_text(encoding="utf-8")):
        title = TITLE.search(match["title"])
        yield Block(match["language"], title[1] if title else "", match["text"], match["note"] or "")


def run_tutorial(page: Path, folder: Path, timeout: int) -> None:
    """Write the files, apply the patches and run the commands in ``folder``; compare the output where it is stated."""
    output = ""
    for block in blocks_of(page):
        if block.note.startswith("not run"):
            continue
        if block.title:
            place = folder / block.title
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(block.text, encoding="utf-8")
        elif block.language == "diff":
            output_of(["git", "apply", "--recount", "-"], folder, timeout, stdin=block.text)
        elif block.language == "sh":
            output = output_of(["bash", "-e", "-c", block.text], folder, timeout, block.exit_code)
        elif block.language == "text":
            is_as_stated = matches(output, block.text)
            report = f"{page.name} states\n{block.text}\nbut the output is\n{output}"
            if not is_as_stated and UNSURE.search(output) and not UNSURE.search(block.text):
                raise InconclusiveError(report)
            assert is_as_stated, report


def matches(output: str, stated: str) -> bool:
    """Whether the output is the stated text, apart from numbers, units of time and spaces.

    ``...`` stands for any text, and on a line of its own for any number of lines.
    """
    parts = (re.split(f"({NUMBER})", part) for part in stated.strip().replace("\n...", "...").split("..."))
    pattern = ".*".join(
        "".join(NUMBER if index % 2 else re.escape(text) for index, text in enumerate(part)) for part in parts
    )
    return re.fullmatch(re.sub(r"(\\ )+", r" +", pattern), output.strip(), re.DOTALL) is not None


def output_of(command: list[str], folder: Path, timeout: int, expected: int = 0, stdin: str = "") -> str:
    """The standard output of a command that must end with the expected exit code."""
    names = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in IDENTITY.items()}
    place = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, **names, "PATH": place, "NO_COLOR": "1", "COLUMNS": "120"}
    result = subprocess.run(
        command, cwd=folder, env=environment, input=stdin, capture_output=True, text=True, timeout=timeout, check=False
    )
    report = f"{command[-1]}\nexit code {result.returncode}\n{result.stdout}{result.stderr}"
    if (result.returncode, expected) == (0, 1):
        raise InconclusiveError(report)
    assert result.returncode == expected, report
    return result.stdout


def missing(programs: list[str]) -> list[str]:
    """The programs that are not installed."""
    place = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return [program for program in programs if shutil.which(program, path=place) is None]
