"""Content of the workflow and the policy file that ``profgate init`` writes."""

import json
import math
import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from profgate.errors import ProfgateError
from profgate.init.recipes import FEWEST_RUNS, SAMPLES, Extent, Recipe
from profgate.init.repository import BRANCH, HOSTED, RUNNER, SetupStep
from profgate.report.templates import render_template

POLICY = ".github/profgate.yml"
UNMEASURED = "{runs} runs give {samples:,} samples, which is enough, if each takes {seconds:.0f} s or longer;"
MEASURE = "profgate init --measure runs the command and writes the number of runs that it needs"
MEASURED = "{runs} runs of {seconds:.1f} s at {rate:,} samples a second give about {samples:,} samples."
TOO_SHORT = "{needed:,} are needed: let the command do {times:.0f} times the work."
BARE_LABEL = re.compile(r"[a-z]+-[a-z0-9.-]*[a-z0-9]")  # matches labels that YAML parses as strings even without quotes


@dataclass(frozen=True, slots=True)
class Plan:
    """The content of a workflow that runs ``install`` and records ``command`` on a runner labelled ``runner``."""

    recipe: Recipe
    command: str
    install: tuple[str, ...]
    branch: str
    runner: tuple[str, ...]
    extent: Extent
    language_step: SetupStep | None = None

    def files(self, workflow: str) -> dict[str, str]:
        """Return the text of each file by path. Raises ProfgateError if a value is not allowed in a workflow."""
        name = PurePosixPath(workflow).stem
        for option, mistake in (
            (workflow, "" if RUNNER.fullmatch(name) else "cannot be the name of a workflow; rename the file"),
            ("--command", line_mistake(self.command)),
            *(("--install", line_mistake(line)) for line in self.install),
            ("--branch", branch_mistake(self.branch)),
            ("--runner", runner_mistake(",".join(self.runner))),
        ):
            if mistake:
                raise ProfgateError(option, mistake)
        labels = [label if BARE_LABEL.fullmatch(label) else json.dumps(label) for label in self.runner]
        text = render_template(
            "init/workflow.yml.j2",
            name=name,
            branch=self.branch,
            runner=labels[0] if len(labels) == 1 else f"[{', '.join(labels)}]",
            language=self.language_step,
            env=self.recipe.env,
            setup=(*self.recipe.setup, *self.install),
            record=(*self.recipe.activate, *self.recipe.record(self.command.strip(), self.extent.rate)),
            runs=self.extent.runs,
            notes=self.notes(),
        )
        return {workflow: text, POLICY: render_template("init/profgate.yml.j2")}

    def notes(self) -> list[str]:
        """Return comments for the recording step, which state the number of samples and explain how to record more."""
        extent, advice = self.extent, self.recipe.advice
        shown = {"runs": extent.runs, "rate": extent.rate, "samples": extent.samples or SAMPLES}
        if extent.seconds is None:
            notes = [UNMEASURED.format(**shown, seconds=SAMPLES / extent.rate / FEWEST_RUNS), MEASURE]
        else:
            notes = [MEASURED.format(**shown, seconds=extent.seconds)]
            if not extent.enough:
                notes.append(TOO_SHORT.format(needed=SAMPLES, times=math.ceil(SAMPLES / max(extent.samples, 1))))
        return [*notes, advice] if advice else notes


def line_mistake(text: str) -> str:
    """Return the reason why a workflow cannot contain this shell line, or an empty string if it can."""
    valid = text.isprintable() and text.strip() and "${{" not in text
    return "" if valid else "must be one line of shell, without ${{"


def branch_mistake(text: str) -> str:
    """Return the reason why this branch name is not valid in a workflow, or an empty string if it is valid."""
    return "" if BRANCH.fullmatch(text) else f"{text[:60]!r} is not a branch that a workflow can name"


def runner_mistake(text: str) -> str:
    """Return the reason why these runner labels are not valid, or an empty string if they are valid."""
    valid = all(RUNNER.fullmatch(label.strip()) for label in text.split(","))
    return "" if valid else f"{text[:60]!r} is not a label of a runner, such as {HOSTED}"
