"""A trial recording: runs the lines of the planned workflow in a copy of the working tree."""

import os
import re
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

from profgate.errors import ProfgateError
from profgate.init.library_share import Share, share_of
from profgate.init.recipes import FEWEST_RUNS, SAMPLES, extent_for
from profgate.init.repository_files import Files
from profgate.init.workflow import Plan, one_line
from profgate.io.files import scratch_folder, sources_under
from profgate.io.git import without_git
from profgate.io.processes import run_command, variables
from profgate.io.worktrees import copied_worktree
from profgate.model.visible_text import plain
from profgate.wiring import read_all

LONGEST = 900.0  # time limit in seconds of the setup, and of the recording
MOST_TRIALS = 3
ENOUGH = 0.3  # share of samples in the library at which no further command is tried
ITERATIONS = re.compile(r" -benchtime \d{1,12}x")
PER_ITERATION = re.compile(r"^Benchmark\S{0,200}\s{1,50}\d{1,12}\s{1,50}(\d{1,15}(?:\.\d{1,9})?) ns/op", re.MULTILINE)
PROBLEMS = (
    re.compile(r"(?:No module named|Cannot find (?:module|package)) '([^'\n]{1,300})'"),
    re.compile(r"^E? *\w*(?:Error|Exception)\b.{0,80}: ", re.MULTILINE),
    re.compile(r"\berror\b|not found|does not|No such file|cannot", re.IGNORECASE),
)
TRIED = (
    "Trial recording of {command}: {samples:,} samples in {seconds:.0f} s, {share:.0%} of them in functions of this "
    "repository.\n"
)
FAILED = "Trial recording of {command} failed: {problem}.\n"
UNREAD = "the trial recording contains no samples; let the command run longer"
COST = (
    "On a machine like this one, each pull request takes about {minutes:.0f} min: setup {setup:.0f} s, {runs} runs of "
    "{seconds:.0f} s, and up to 5 min to confirm a suspect.\n"
    "A change of about {visible:.0%} of the total time is visible with {samples:,} samples.\n"
)
FEW = (
    "Only {share:.0%} of the samples are in functions of this repository, so the gate mostly measures other code.\n"
    "Name a benchmark with --replace --command, or let --replace --skeleton write a first one.\n"
)


@dataclass(frozen=True, slots=True)
class Trial:
    """A plan after its trial recording. ``setup`` and ``seconds`` are the durations of setup and recording."""

    plan: Plan
    share: float = 0.0
    setup: float = 0.0
    seconds: float = 0.0
    result: str = ""


def measured(files: Files, plans: list[Plan]) -> Trial:
    """Record the first plans and return the one with the largest share of samples in the library.

    Stops at the first plan with a sufficient share. If every recording fails, return the first plan with its problem.
    The text ``result`` describes the recording, the duration of the gate, and what it can detect.
    """
    trials = []
    for plan in plans[:MOST_TRIALS]:
        trials.append(_tried(files, plan))
        if trials[-1].share >= ENOUGH:
            break
    best = max(trials, key=lambda trial: (not trial.plan.problem, trial.share))
    return best if best.plan.problem else replace(best, result=best.result + _cost(best))


def _tried(files: Files, plan: Plan) -> Trial:
    command = plain(plan.command)
    sys.stdout.write(f"Setting up and recording {command} in a copy of the working tree ...\n")
    sys.stdout.flush()
    try:
        with scratch_folder() as scratch, copied_worktree(f"{scratch}/checkout", files.top) as checkout:
            trial, share = _recorded(files, plan, checkout, scratch)
    except ProfgateError as error:
        problem = one_line([error.where, error.what])
        sys.stdout.write(FAILED.format(command=command, problem=plain(problem)))
        return Trial(replace(plan, problem=problem))
    values = {"samples": share.samples, "seconds": trial.seconds, "share": share.library}
    result = TRIED.format(command=command, **values)
    sys.stdout.write(result)
    return replace(trial, result=result)


def _recorded(files: Files, plan: Plan, checkout: str, scratch: str) -> tuple[Trial, Share]:
    """Set up the checkout and record one run. Raises ProfgateError if a step fails or records no samples."""
    setup, _ = _run("the setup", plan.setup, plan, checkout, scratch)
    if plan.recipe.language == "Go" and ITERATIONS.search(plan.command):
        plan = replace(plan, command=_with_iterations(plan, checkout, scratch))
    seconds, output = _run("the recording", plan.record, plan, checkout, scratch)
    profiles = read_all(sources_under(f"{scratch}/profiles")) if Path(scratch, "profiles").is_dir() else []
    share = share_of(profiles, files, checkout, plan.extent.rate)
    if not share.samples:
        raise ProfgateError(UNREAD, one_line(output.splitlines()[-3:]))
    extent = extent_for(plan.recipe.rate, share.samples / plan.extent.rate)
    return Trial(replace(plan, extent=extent), share.library, setup, seconds), share


def _with_iterations(plan: Plan, checkout: str, scratch: str) -> str:
    """Return the command with enough iterations per benchmark for one run."""
    command = ITERATIONS.sub(" -benchtime 100ms", plan.command)
    _, output = _run("the benchmark", (f"cd '{checkout}/{plan.folder}'", command), plan, checkout, scratch)
    iteration = sum(map(float, PER_ITERATION.findall(output))) / 1e9
    if not iteration:
        raise ProfgateError("--measure", "found no benchmark in the output; use a --command that runs benchmarks")
    count = max(1, round(1.1 * SAMPLES / FEWEST_RUNS / plan.recipe.rate / iteration))
    return ITERATIONS.sub(f" -benchtime {count}x", plan.command)


def _run(what: str, lines: tuple[str, ...], plan: Plan, checkout: str, scratch: str) -> tuple[float, str]:
    """Run shell lines as the workflow does. Return the duration in seconds and the output.

    Raises ProfgateError with the line of the output that names the cause.
    """
    own = {"npm_config_prefix": f"{scratch}/npm"}  # npm link changes it
    given = (
        without_git(os.environ) | own | dict(plan.recipe.env) | variables({"out": f"{scratch}/profiles", "run": "1"})
    )
    start = time.monotonic()
    outcome = run_command(
        ["sh", "-ec", "\n".join(lines)], folder=checkout, environment=given, log=f"{scratch}/log", timeout=LONGEST
    )
    if outcome.failure:
        raise ProfgateError(f"{what} {outcome.failure}", problem_in(outcome.output.replace(f"{checkout}/", "")))
    return max(time.monotonic() - start, 0.001), outcome.output


def problem_in(output: str) -> str:
    """Return the line of a program's output that names the problem, and advice about it."""
    for pattern in PROBLEMS:
        if found := pattern.search(output):
            start = output.rfind("\n", 0, found.start()) + 1
            return one_line([output[start : start + 300].splitlines()[0], _advice(found)])
    lines = [line for line in output.splitlines() if line.strip()]
    return one_line(lines[-1:])


def _advice(found: re.Match[str]) -> str:
    name = found[1] if found.re is PROBLEMS[0] else ""
    if not name:
        return ""
    if "/" in name or name.startswith("."):
        return f"(if a build writes {name}, add the build: --install 'npm ci && npm run build')"
    return f"(add what installs {name} to --install)"


def _cost(trial: Trial) -> str:
    extent = trial.plan.extent
    minutes = (trial.setup + extent.runs * trial.seconds) / 60
    visible = 0.05 * (SAMPLES / max(extent.samples, 1)) ** 0.5
    text = COST.format(
        minutes=max(minutes, 1),
        setup=trial.setup,
        runs=extent.runs,
        seconds=trial.seconds,
        visible=visible,
        samples=extent.samples,
    )
    return text + (FEW.format(share=trial.share) if trial.share < ENOUGH else "")
