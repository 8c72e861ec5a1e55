"""What the written workflow measures: answers to the questions of its user, and the commands that improve them."""

import math
import re
import statistics
from contextlib import ExitStack
from dataclasses import replace

from profgate.errors import ProfgateError
from profgate.io.scratch import scratch_folder
from profgate.measuring.init.candidates import Files, entries, subtable, table_of
from profgate.measuring.init.recipes import FEWEST_RUNS, RECIPES, RUN_SAMPLES, Extent
from profgate.measuring.init.repository import WORKFLOWS, Pattern, Project
from profgate.measuring.init.trial import ENOUGH, Copies, needed, once, other_version
from profgate.measuring.init.workflow import Plan, one_line

SET_UP, RECORDS, SAMPLES, SHARE, SECONDS, VISIBLE, MINUTES = QUESTIONS = (
    "sets up on a fresh clone",
    "records",
    "samples of a run",
    "in functions of this repository",
    "seconds of a run",
    "smallest visible change of the total",
    "minutes of a pull request",
)
AGAIN = "profgate init --replace --measure"
BETTER = dict(zip(QUESTIONS, (f"{AGAIN} --install 'SETUP'", f"{AGAIN} --command 'COMMAND'", AGAIN), strict=False))
BETTER |= {SHARE: "profgate init --skill", SECONDS: AGAIN, VISIBLE: AGAIN, MINUTES: BETTER[SET_UP]}
ERRORS = 3.65  # the normal quantiles of a two-sided level of 0.005 (2.81) and of a power of 0.8 (0.84)


def checked(files: Files, project: Project) -> tuple[dict[str, str], str]:
    """Set up a checkout and record five runs as the written workflow does. Return the answers, by question.

    The second result is the question whose answer is not good enough, or "".
    """
    plan, lines = _written(files.read(project.ours or ""), project)
    answers = dict[str, str]()
    with ExitStack() as stack:
        copies = Copies(files, stack.enter_context(scratch_folder()), stack)
        try:
            checkout = copies.ready(plan)
            answers[SET_UP] = f"yes, in {copies.setups[plan.setup]:.0f} s"
            trials = [once(plan, copies, checkout, lines) for _ in range(FEWEST_RUNS)]
        except ProfgateError as error:
            failed = RECORDS if answers else SET_UP
            return answers | {failed: f"no: {one_line([str(error), *needed(files, plan, str(error))])}"}, failed
    counts, seconds = zip(*((trial.share.samples, trial.seconds) for trial in trials), strict=True)
    mean, library, runs = statistics.mean(counts), min(trial.share.library for trial in trials), plan.extent.runs
    change = ERRORS * statistics.stdev(counts) / max(1.0, mean) * math.sqrt(2 / runs)
    answers[RECORDS] = " ".join(["yes", *other_version(plan)])
    answers[SAMPLES] = f"{mean:,.0f}; {mean * runs:,.0f} in {runs} runs"
    answers[SHARE], answers[SECONDS] = f"{library:.0%}", f"{statistics.mean(seconds):.1f}"
    answers[VISIBLE] = f"{change:.1%}"
    answers[MINUTES] = f"{(copies.setups[plan.setup] + runs * statistics.mean(seconds)) / 60:.1f}"
    return answers, SAMPLES if mean < RUN_SAMPLES else SHARE if library < ENOUGH else ""


def _written(text: str, project: Project) -> tuple[Plan, tuple[str, ...]]:
    """Return the plan of a workflow, and the lines that record. Raises ProfgateError if init did not write it."""
    import yaml

    content = table_of(text, yaml.safe_load, yaml.YAMLError)
    scopes = [
        subtable(scope, key) for scope in (content, *entries(content.get("jobs"), dict)) for key in ("env", "with")
    ]
    given = {name.lower(): str(value) for scope in scopes for name, value in scope.items()}
    if not given.get("record"):
        raise ProfgateError(project.ours or WORKFLOWS, "has no recording of profgate init; write it with profgate init")
    called = "/gate.yml@" in text
    named = [recipe for recipe in RECIPES if called and recipe.language.lower() in given]
    recipe = next(iter([*named, *project.recipes]), RECIPES[-1])
    if not called:  # otherwise, the called workflow installs the profiler
        recipe = replace(recipe, setup=(), activate=())
    looped = re.findall(r"seq 0 (\d{1,4})", f"{text} seq 0 4")
    runs = int(given.get("runs", 0)) or int(looped[0]) + 1
    setup = tuple(line for line in given.get("setup", "").splitlines() if "sudo " not in line)  # it prepares a machine
    pattern = Pattern(options={"version": given.get(recipe.language.lower(), "")})
    plan = Plan(recipe, "", setup, project.branch, project.runner, Extent(recipe.rate, runs), pattern)
    return plan, (*recipe.activate, *given["record"].splitlines())
