"""Content of the workflow and the policy file that ``profgate init`` writes."""

import math
import os
import re
import shlex
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from profgate.errors import ProfgateError
from profgate.measuring.init.candidates import Candidate
from profgate.measuring.init.recipes import BUDGET, REPEAT, REPEATED, RUNS, Extent, Recipe, samples_of
from profgate.measuring.init.repository import BRANCH, CURRENT, HOSTED, RUNNER, Pattern
from profgate.model.record import Record, replace
from profgate.report.templates import render_template

COUNT = re.compile(
    r"( (?:-count |--loops |-bs |-benchtime |--benchmark_min_time=|--profile-time |REPEATS=))(\d{1,12})(?=x?\b)"
)
OPEN = "# TODO: "


class Plan(Record):
    """The content of a workflow that records ``benchmark`` on a runner labelled ``runner``.

    A benchmark with an empty command stands for one that the user has to add. ``problem`` is the reason why it does not
    work yet, or empty.
    """

    recipe: Recipe
    benchmark: Candidate
    branch: str
    runner: tuple[str, ...]
    extent: Extent
    pattern: Pattern = Pattern()
    problem: str = ""

    def changed(self, **values: Any) -> "Plan":  # noqa: ANN401 - the values of any field
        """Return a plan whose benchmark has these values."""
        return replace(self, benchmark=replace(self.benchmark, **values))

    def with_work(self, times: float) -> "Plan":
        """Return a plan that does so many times the work, if a number or a list of tests states it. A list is cut."""

        def changed(found: re.Match[str]) -> str:
            return f"{found[1]}{max(1, math.ceil(int(found[2]) * times))}"

        if self.tests:
            rows = self.tests[:: math.ceil(1 / times)]
            return self.with_tests([re.sub(r"^()(\d{1,12})", changed, row) for row in rows] if times > 1 else rows)
        command, new_files = self.benchmark.command, self.benchmark.new_files
        if self.recipe.machine and times > 1 and not COUNT.search(command):
            command = REPEATED.format(os.path.relpath(REPEAT, self.benchmark.folder)) + command
            new_files = {**new_files, REPEAT: render_template("init/repeat.c.j2")}
        return self.changed(command=COUNT.sub(changed, command), new_files=new_files)

    @property
    def tests(self) -> list[str]:
        """The lines of the list of repeated tests: how often each is repeated, and its name."""
        lists = (text for path, text in self.benchmark.new_files.items() if path.endswith(".txt"))
        return "".join(lists).splitlines(keepends=True)

    def with_tests(self, rows: Sequence[str]) -> "Plan":
        """Return a plan that repeats only the tests of these rows."""
        files = self.benchmark.new_files.items()
        return self.changed(new_files={path: "".join(rows) if path.endswith(".txt") else text for path, text in files})

    @property
    def setup(self) -> tuple[str, ...]:
        """The shell lines that prepare a checkout on any machine."""
        return (*self.pattern.setup, *self.recipe.setup, *self.benchmark.setup)

    @property
    def start(self) -> tuple[str, ...]:
        """The shell lines that come before the command."""
        folder = () if self.benchmark.folder == "." else (f"cd {shlex.quote(self.benchmark.folder)}",)
        return (*self.recipe.activate, *folder)

    @property
    def record(self) -> tuple[str, ...]:
        """The shell lines that record one run."""
        if not self.benchmark.command:
            return (*self.start, "echo 'The command of the benchmark is missing' >&2", "exit 1")
        command, folder = self.benchmark.command.strip(), f"$PROFGATE_OUT/{self.benchmark.workload}"
        return (*self.start, *self.recipe.record(command, self.extent.rate, folder))

    @property
    def expanded(self) -> bool:
        """Whether the called workflow cannot do this, so that the workflow has to contain all jobs."""
        return bool(self.pattern.setup or not re.fullmatch(r"ubuntu-(?:latest|\d\d\.\d\d)", ",".join(self.runner)))

    def files(self, workflow: str, *, expanded: bool = False) -> dict[str, str]:
        """Return the text of each file by path. Raises ProfgateError if a value is not allowed in a workflow.

        The workflow calls the one of profgate, unless that cannot do this or ``expanded`` is true.
        """
        name = PurePosixPath(workflow).stem
        runner, branch, line = ", ".join(self.runner), self.branch, "must be one line of shell, without ${{"
        folder = self.benchmark.folder
        for option, valid, mistake in (
            ("folder", _is_line(folder), f"{folder[:60]!r} cannot be named in a workflow; rename it"),
            (workflow, RUNNER.fullmatch(name), "cannot be the name of a workflow; rename the file"),
            ("--command", not self.benchmark.command or _is_line(self.benchmark.command), line),
            ("--install", all(map(_is_line, self.benchmark.setup)), line),
            ("--branch", BRANCH.fullmatch(branch), f"{branch[:60]!r} is not a branch that a workflow can name"),
            (
                "--runner",
                all(map(RUNNER.fullmatch, self.runner)),
                f"{runner[:60]!r} is not a label of a runner, such as {HOSTED}",
            ),
        ):
            if not valid:
                raise ProfgateError(option, mistake)
        written = render_template(
            f"init/{'expanded' if expanded or self.expanded else 'workflow'}.yml.j2",
            name=name,
            plan=self,
            usual=Extent(self.extent.rate, RUNS, budget=BUDGET),
            version=CURRENT.get(self.recipe.language, ("",))[-1],
            todo=OPEN,
            notes=self.notes(),
        )
        return {workflow: written, ".github/profgate.yml": render_template("init/profgate.yml.j2")}

    def notes(self) -> list[str]:
        """Return comments for the recording step, which state the number of samples and explain how to record more."""
        return render_template(
            "init/notes.txt.j2", plan=self, needed=round(RUNS * samples_of(self.recipe.rate))
        ).splitlines()


def name_of(line: str) -> str:
    """Return the name of the function or the title of a test in the list of repeated tests, as profiles show it."""
    return re.split("::|#", line.strip().partition(" ")[2].strip('"'))[-1]


def check_of(text: str, branch: str, default: str) -> str:
    """Return the name of the check of pull requests into a branch. A called workflow knows only the default branch."""
    if "/gate.yml@" not in text:
        return "profgate"
    return "performance / profgate" + (f" ({branch})" if branch != default else "")


def open_line(text: str) -> int:
    """Return the number of the line of a workflow that the user has to complete, or 0 if there is none."""
    lines = text.splitlines()
    return next((number for number, line in enumerate(lines, 1) if line.strip().startswith(OPEN)), 0)


def one_line(texts: Sequence[str], longest: int = 300) -> str:
    """Return a text that fits into a comment of a workflow."""
    joined = " ".join(" ".join(texts).split())
    return "".join(sign for sign in joined if sign.isprintable()).replace("${{", "$ {{")[:longest]


def _is_line(text: str) -> bool:
    """Return whether a workflow can contain this shell line."""
    return text.isprintable() and bool(text.strip()) and "${{" not in text
