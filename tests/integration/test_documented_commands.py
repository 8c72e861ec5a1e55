"""Every command line that the documentation and the examples show is one that profgate takes."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from profgate.cli.main import COMMANDS, run_command
from profgate.errors import ProfgateError

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.yml")]
# a line of a block, or a span of text between backquotes
SHOWN = re.compile(r"^(?P<line>[^\n`#]*\bprofgate (?:[^\n]|(?<=\\)\n)*)$|`(?P<span>profgate [^`\n]+)`", re.MULTILINE)


def commands_of(text: str) -> Iterator[list[str]]:
    """The words of each shown call of profgate, up to the end of its shell command."""
    for match in SHOWN.finditer(text):
        shown = (match["line"] or match["span"]).replace("\\\n", " ")
        for call in re.split(r"(?<![\w./-])(?:\.venv/bin/)?profgate (?=[a-z])", shown)[1:]:
            shell = shlex.shlex(call, posix=True, punctuation_chars=True)
            shell.whitespace_split = True
            words: list[str] = []
            try:
                for word in shell:
                    if set(word) <= set("|&;()<>"):
                        break
                    words.append(word)
            except ValueError:  # a quotation that the next lines end
                pass
            if words and words[0] in COMMANDS and (match["line"] or len(words) > 1):  # a sentence may name it alone
                yield words


DOCUMENTED = sorted({(page.name, *words) for page in PAGES for words in commands_of(page.read_text(encoding="utf-8"))})


def test_the_commands_are_found() -> None:
    assert {words[1] for words in DOCUMENTED} >= {"compare", "check", "track", "ranks", "store", "trends", "confirm"}


def test_commands_of_the_readme_work_in_a_clone(tmp_path: Path) -> None:
    """The demo has its own test in .ci/run; it also makes the environment that these commands use."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```sh\n(\.venv/bin/profgate .*?)```", readme, re.DOTALL)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    made = set()
    for line in block.splitlines():
        words = shlex.split(line)[1:]
        command = [sys.executable, "-m", "profgate", *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
        assert done.returncode in {0, 1}, done.stderr
        made.add(words[-1])
    assert all((tmp_path / name).exists() for name in made)


@pytest.fixture
def parsed_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands are parsed and not run."""
    monkeypatch.setattr(click.Command, "invoke", lambda *_: 0)


@pytest.mark.usefixtures("parsed_only")
@pytest.mark.parametrize("shown", DOCUMENTED, ids=" ".join)
def test_documented_command_is_valid(shown: tuple[str, ...]) -> None:
    assert run_command(shown[1:]) == 0


@pytest.mark.usefixtures("parsed_only")
def test_wrong_option_is_found() -> None:
    [words] = commands_of("    profgate compare a b --outputdir out | tee log\n")
    with pytest.raises(ProfgateError, match="no option --outputdir; did you mean --output-dir"):
        run_command(words)
