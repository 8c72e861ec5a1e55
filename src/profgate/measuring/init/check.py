"""What the written workflow measures: answers to the questions of its user, and the commands that improve them."""

import math
import re
import statistics
from contextlib import ExitStack

from profgate.errors import ProfgateError
from profgate.io.scratch import scratch_folder
from profgate.measuring.init.candidates import Candidate, Files, entries, subtable, table_of
from profgate.measuring.init.recipes import FEWEST_RUNS, RECIPES, RUNS, Extent
from profgate.measuring.init.repository import HOSTED, WORKFLOWS, Pattern, Project
from profgate.measuring.init.trial import LONGEST_RUN, Copies, needed, once, other_version, too_little
from profgate.measuring.init.workflow import Plan, one_line
from profgate.model.record import replace

AGAIN = "profgate init --replace --measure"
OTHER_SETUP, OTHER_COMMAND = f"{AGAIN} --install 'SETUP'", f"{AGAIN} --command 'COMMAND'"
LONGEST = 2 * LONGEST_RUN  # what init accepts on one machine is accepted on a slower one, too
ERRORS = 3.65  # the normal quantiles of a two-sided level of 0.005 (2.81) and of a power of 0.8 (0.84)


def checked(files: Files, project: Project) -> tuple[list[tuple[str, str, str]], str]:
    """Set up a checkout and record five runs as the written workflow does. Return one row for each question.

    A row has the question, the answer and the command that improves it. The second result is the problem of the
    workflow, or "".
    """
    plan, lines = _written(files.read(project.ours or ""), project)
    rows = list[tuple[str, str, str]]()
    with ExitStack() as stack:
        copies = Copies(files, stack.enter_context(scratch_folder()), stack)
        try:
            checkout = copies.ready(plan)
            setup = copies.setups[plan.setup]
            rows.append(("sets up on a fresh clone", f"yes, in {setup:.0f} s", OTHER_SETUP))
            copies.left = FEWEST_RUNS * LONGEST
            trials = [once(plan, copies, checkout, lines, LONGEST) for _ in range(FEWEST_RUNS)]
        except ProfgateError as error:
            problem = one_line([str(error), *needed(files, plan, str(error))])
            failed = ("records", "no", OTHER_COMMAND) if rows else ("sets up on a fresh clone", "no", OTHER_SETUP)
            return [*rows, failed], problem
    counts = [trial.share.samples for trial in trials]
    mean, seconds, runs = statistics.mean(counts), statistics.mean(trial.seconds for trial in trials), plan.extent.runs
    library = min(trial.share.library for trial in trials)
    change = ERRORS * statistics.stdev(counts) / max(1.0, mean) * math.sqrt(2 / runs)
    rows += [
        ("records", f"yes {other_version(plan)}".strip(), OTHER_COMMAND),
        ("samples of a run", f"{mean:,.0f}; {mean * runs:,.0f} in {runs} runs", AGAIN),
        ("in functions of this repository", f"{library:.0%}", "profgate init --skill"),
        ("seconds of a run", f"{seconds:.1f}", AGAIN),
        ("smallest visible change of the total", f"{change:.1%}", AGAIN),
        ("minutes of a pull request", f"{(setup + runs * seconds) / 60:.1f}", OTHER_SETUP),
    ]
    return rows, too_little(mean, library)


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
    named = [recipe for recipe in RECIPES if recipe.language.lower() in given]
    recipe = next(iter([*named, *project.recipes]), RECIPES[-1])
    if not called:  # otherwise, the called workflow installs the profiler
        recipe = replace(recipe, setup=(), activate=())
    runs = int(given.get("runs", 0)) or int(re.findall(r"seq 0 (\d{1,4})", f"{text} seq 0 {RUNS - 1}")[0]) + 1
    setup = tuple(line for line in given.get("setup", "").splitlines() if "sudo " not in line)  # it prepares a machine
    plan = Plan(
        recipe,
        Candidate(recipe.language, "", "", setup=setup),
        project.branch,
        (HOSTED,),
        Extent(recipe.rate, runs),
        Pattern(options={"version": given.get(recipe.language.lower(), "")}),
    )
    return plan, (*recipe.activate, *given["record"].splitlines())
