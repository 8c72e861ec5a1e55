"""A trial recording: runs the lines of the planned workflow in a copy of the working tree."""

import math
import os
import re
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from profgate.errors import ProfgateError
from profgate.io.files import exists, read_loosely, sources_under, write_text
from profgate.io.scratch import scratch_folder
from profgate.io.worktrees import quiet_git
from profgate.loading import read_sources
from profgate.measuring.checkouts import Checkout, checked_out
from profgate.measuring.init.candidates import MOST, joined
from profgate.measuring.init.java_project import FIXED_WORK
from profgate.measuring.init.library_share import Share, share_of
from profgate.measuring.init.native_project import GOOGLE_WORK
from profgate.measuring.init.recipes import FEWEST_RUNS, LIMITED, SAMPLES, extent_for
from profgate.measuring.init.repository_files import LARGEST_FILE, Files
from profgate.measuring.init.workflow import COUNT, Plan, one_line
from profgate.model.visible_text import plain

LONGEST_SETUP = 900.0  # in seconds
LONGEST_RUN = 120.0  # in seconds; the workflow makes at least five runs
LARGEST_RECORDING = 128 << 20  # in bytes without compression; reading a larger one takes minutes
ENOUGH = 0.3  # smallest share of samples in the library
RUN_SAMPLES = 1.1 * SAMPLES / FEWEST_RUNS  # samples of one run that are aimed at
FEW_SAMPLES = 100  # the share of the library is not known from fewer samples
ITERATIONS = {  # by language: options that state the number of iterations, and those that measure the time of one
    "Go": (re.compile(r"-benchtime \d{1,12}x"), "-benchtime {}x", "-benchtime 100ms"),
    "native code": (re.compile(r"--benchmark_min_time=\d{1,12}x"), GOOGLE_WORK, "--benchmark_min_time=0.05s"),
    "Java": (re.compile(r"-bm ss -wi 0 -i 1 -bs \d{2,12}"), FIXED_WORK, "-bm avgt -wi 0 -i 1 -r 200ms -tu ns"),
}
MISSING = re.compile(r"(?:No module named|Cannot find (?:module|package)) '([^'\n]{1,300})'")
NOT_INSTALLED = re.compile(r"^(?:/bin/)?sh: \d{1,4}: ([\w.-]{1,80}): not found$", re.MULTILINE)
PROBLEMS = (  # lines that name a problem, the most specific first
    MISSING,
    NOT_INSTALLED,
    re.compile(r"^(?:E? *\w*(?:Error|Exception)\b.{0,80}: |panic: |--- FAIL: )", re.MULTILINE),
    re.compile(r"^ {0,12}error: (?!subprocess-exited)", re.MULTILINE),  # what pip says about a subprocess is no cause
    re.compile(r"(?<![\w/.-])(?:error|fatal)(?![\w/.-])", re.IGNORECASE),
    re.compile(r"not found|does not|No such file|No rule|cannot", re.IGNORECASE),
)
OPERATION = re.compile(  # the time of a benchmark of Google Benchmark; of Go, and of JMH, such as 10.5 ± 0.3 ns/op
    r"^\S{1,200} {1,200}(\d[\d.]{0,20}(?:e[+-]\d{1,3})?) (ns|us|ms|s) {1,200}\S{1,40} \w{1,9} {1,200}\d"
    r"|^(?:Benchmark|.{1,200}\bavgt\b).{0,200}?\s(\d[\d.]{0,20})\s{0,20}(?:±.{1,40})?\sns/op",
    re.MULTILINE,
)
LONG_RUN = "let the command do less work, or choose a shorter one with --replace --measure --command"


@dataclass(frozen=True, slots=True)
class Trial:
    """A plan and its trial recording, if it succeeded: its share, duration, output and size in bytes.

    ``setup`` is the duration of the setup, and ``result`` a description for the user.
    """

    plan: Plan
    share: Share = field(default_factory=Share)
    seconds: float = 0.0
    output: str = ""
    size: int = 0
    setup: float = 0.0
    result: str = ""


def trial_of(files: Files, plans: list[Plan]) -> Trial:
    """Record the first plans and return the one with the largest share of samples in the library.

    Stops at the first sufficient share. If every recording fails, the first plan is returned with its problem.
    ``result`` describes the recording, the duration of the gate, and what it can detect.
    """
    longest_search = 360.0  # seconds, if several commands can be tried; CMake may have taken two minutes before
    trials, end = list[Trial](), time.monotonic() + longest_search if len(plans) > 1 else math.inf
    with ExitStack() as stack:
        copies = _Copies(files, stack.enter_context(scratch_folder()), stack, end)
        for plan in plans[:8]:
            if plan.setup not in copies.failed:
                trials.append(_tried(plan, copies))
            if trials[-1].share.library >= ENOUGH or time.monotonic() > end:
                break
    best = max(trials, key=lambda trial: (bool(trial.seconds), trial.share.library))
    if not best.seconds:
        return best
    extent = best.plan.extent
    minutes = max(1, (best.setup + extent.runs * best.seconds) / 60)
    cost = (
        f"On a machine like this one, each pull request takes about {minutes:.0f} min: setup {best.setup:.0f} s and "
        f"{extent.runs} runs of {best.seconds:.1f} s. If a function is slower, confirming that takes up to "
        f"{extent.budget} min more.\n"
        "The report of each pull request names the smallest change that its samples show.\n"
    )
    return replace(best, result=best.result + cost)


class _Copies:
    """Copies of the working tree below a scratch folder, one for each setup, and the time when the search ends.

    Setups that only build different programs share a copy, so that they build their common parts once.
    """

    def __init__(self, files: Files, scratch: str, stack: ExitStack, end: float) -> None:
        self.files, self.end, self.failed = files, end, set[tuple[str, ...]]()
        self._scratch, self._stack = scratch, stack
        self._copies, self._ready = dict[tuple[str, ...], Checkout](), dict[tuple[str, ...], float]()

    def ready(self, plan: Plan) -> tuple[Checkout, float]:
        """Return a checkout in which the setup of a plan has run, and the seconds that it took.

        Raises ProfgateError if the setup fails, or if a checkout does not contain a file of the command.
        """
        for path in (os.path.normpath(joined(plan.folder, word)) for word in plan.command.split()):
            if path not in plan.new_files and _only_copied(self.files, path):
                raise ProfgateError(path, "git does not track it, so that a checkout does not contain it; git add it")
        shared = plan.setup[:-1] if plan.recipe.language in {"Rust", "native code"} else plan.setup
        checkout = self._copies.get(shared)
        if checkout is None:
            root = f"{self._scratch}/copy-{len(self.failed) + len(self._ready)}"
            made = checked_out("working tree", None, root, self.files.top, untracked=False)
            checkout = self._copies[shared] = self._stack.enter_context(made)
        _write_files(plan, checkout)
        if plan.setup not in self._ready:
            del self._copies[shared]  # a failed build may leave files that another one would use
            self.failed.add(plan.setup)
            self._ready[plan.setup] = self.run("the setup", plan.setup, plan, checkout)[0]
            self.failed.remove(plan.setup)
        self._copies[shared] = checkout
        return checkout, self._ready[plan.setup]

    def run(
        self, what: str, lines: tuple[str, ...], plan: Plan, checkout: Checkout, out: str = ""
    ) -> tuple[float, str]:
        """Run shell lines as the workflow does. Return the duration in seconds and the output.

        Raises ProfgateError with the line of the output that names the cause.
        """
        own = replace(checkout, environment={**checkout.environment, **dict(plan.recipe.env)})
        left = max(self.end - time.monotonic(), 20.0)  # a command has this time at the end of the search
        longest = min(LONGEST_RUN if out or what == "the benchmark" else LONGEST_SETUP, left)
        words = ["sh", "-ec" if out else "-exc", "\n".join(lines)]
        outcome = own.run(words, longest, {"out": out, "run": "1"} if out else {})
        if outcome.failure:
            shown = problem_in(outcome.output.replace(f"{checkout.place}/", ""))
            if outcome.nanoseconds > 1e9 * longest:
                shown = LONG_RUN if out else _slow_setup(outcome.output)
            raise ProfgateError(f"{what} {outcome.failure}", shown)
        return max(outcome.nanoseconds / 1e9, 0.001), outcome.output


def _write_files(plan: Plan, checkout: Checkout) -> None:
    for path, text in plan.new_files.items():
        write_text(f"{checkout.place}/{path}", text)


def _slow_setup(output: str) -> str:
    """Return advice for a setup that took too long, with the last command that sh -x printed, or the last line."""
    lines = [line for line in output.splitlines() if line.strip()]
    traced = [line.lstrip("+ ") for line in lines if line.startswith("+ ")]
    return (
        f"it stopped in {one_line([*lines[-1:], *traced][-1:], 100)!r}; use --replace --measure with a shorter "
        "--install, or with a --command that needs less; a command that is given has "
        f"{LONGEST_SETUP / 60:.0f} min for its setup"
    )


def _is_path(name: str) -> bool:
    folder, slash, file = name.rpartition("/")
    return bool(slash) and (not folder or "." in folder[0] + file)


def _tried(plan: Plan, copies: _Copies) -> Trial:
    command = plain(plan.command if plan.folder == "." else f"cd {plan.folder} && {plan.command}")
    sys.stdout.write(f"Setting up and recording {command} in a copy of the working tree ...\n")
    sys.stdout.flush()
    try:
        trial = _recorded(plan, copies)
    except ProfgateError as error:
        problem = one_line([str(error)])
        sys.stdout.write(f"Trial recording of {command} failed: {plain(problem)}.\n")
        return Trial(replace(plan, problem=problem))
    result = (
        f"Trial recording of {command}: {trial.share.samples:,} samples in {trial.seconds:.1f} s, "
        f"{100 * trial.share.library:.0f} % of them in functions of this repository.\n"
    )
    sys.stdout.write(result)
    return replace(trial, result=result)


def _only_copied(files: Files, path: str) -> bool:
    """Return whether the working tree contains this path, but a checkout does not. Ignored files are in neither."""
    if path.startswith(".") or any(name == path or name.startswith(f"{path}/") for name in files.tracked):
        return False
    others = ("ls-files", "--others", "--exclude-standard", "--", path)
    return exists(f"{files.top}/{path}") and bool(quiet_git(files.top, *others))


def _recorded(plan: Plan, copies: _Copies) -> Trial:
    """Record one run in a copy of the working tree. Raises ProfgateError if a step fails or records no samples."""
    checkout, setup = copies.ready(plan)
    if plan.update:
        copies.run("the choice of tests", (*plan.start, plan.update), plan, checkout)
        texts = {path: read_loosely(f"{checkout.place}/{path}", LARGEST_FILE) for path in plan.new_files}
        plan = replace(plan, new_files=texts)
    trial = _with_enough_samples(_with_fixed_work(plan, copies, checkout), copies, checkout)
    plan, share = trial.plan, trial.share
    if plan.recipe.language == "Python":  # its profilers succeed if the program fails
        copies.run("the benchmark", (*plan.start, plan.command), plan, checkout)
    if plan.timed:  # its parts may differ in each run
        share = min(share, _once(plan, copies, checkout).share, key=lambda each: each.library)
    if not share.samples:
        what = "the trial recording contains no samples; let the command run longer"
        raise ProfgateError(what, one_line(trial.output.splitlines()[-3:]))
    extent, problem = extent_for(plan.recipe.rate, share.samples / plan.extent.rate, trial.seconds), ""
    if share.library < ENOUGH:
        problem = (
            f"only {100 * share.library:.0f} % of the samples are in functions of this repository, so the gate would "
            "measure other code; name a program that calls the library in a loop with --replace --measure --command"
        )
    if (samples := plan.samples_of_run(share.samples)) < FEW_SAMPLES:
        share = replace(share, library=0.0)
        problem = f"one run has only {round(samples)} samples; let the command run longer"
    return replace(trial, plan=replace(plan, extent=extent, problem=problem), share=share, setup=setup)


def _with_fixed_work(plan: Plan, copies: _Copies, checkout: Checkout) -> Plan:
    """Return the plan with a number of iterations, or with a part of the benchmarks that run for a fixed time."""
    if plan.recipe.language == "Python":  # py-spy stops the program for each sample: slower than in the workflow
        plan = replace(plan, extent=replace(plan.extent, rate=200))
    options, fixed, timed = ITERATIONS.get(plan.recipe.language, (COUNT, "", ""))
    if timed and options.search(plan.command):
        command = options.sub(timed, plan.command)
        output = copies.run("the benchmark", (*plan.start, command), plan, checkout)[1]
        plan = replace(plan, command=options.sub(fixed.format(iterations(output, plan.recipe.rate)), plan.command))
    criterion = " --profile-time 2"
    if plan.command.endswith(criterion):
        listed = (*plan.start, plan.command.replace(criterion, " --list"))
        output = copies.run("the list", listed, plan, checkout)[1]
        names = re.findall(r"^(.{1,200}): benchmark$", output, re.MULTILINE)
        if len(names) > MOST:
            chosen = "|".join(re.sub(r"[^\w/ -]", ".", name) for name in names[:: -(-len(names) // MOST)])
            plan = replace(plan, command=f"{plan.command} '^({chosen})$'")
    return plan


def _once(plan: Plan, copies: _Copies, checkout: Checkout) -> Trial:
    """Record one run. Profiles that are too large are not read."""
    _write_files(plan, checkout)
    with scratch_folder() as out:
        seconds, output = copies.run("the recording", plan.record, plan, checkout, out)
        size = sum(map(_size, Path(out).rglob("*.*")))
        profiles = read_sources(sources_under(out)) if size <= LARGEST_RECORDING else []
        share = share_of(profiles, copies.files, checkout.place, plan.extent.rate)
        return Trial(plan, share, seconds, output, size)


def _with_enough_samples(plan: Plan, copies: _Copies, checkout: Checkout) -> Trial:
    """Return the recording of a plan whose work gives enough samples, as far as it can be changed."""
    for left in (2, 1, 0):  # further trials
        try:
            trial = _once(plan, copies, checkout)
            other = _adjusted(trial)
        except ProfgateError as error:
            other = plan.with_work(0.25)
            if other == plan and plan.recipe.machine and not plan.command.startswith(LIMITED):
                other = replace(plan, command=LIMITED + plan.command, timed=True)
            if error.what != LONG_RUN or other == plan or not left:
                raise
        if other == plan or not left:
            break
        plan = other
    if trial.size > LARGEST_RECORDING:
        large = f"one run may have {LARGEST_RECORDING >> 20} MB; {LONG_RUN}"
        raise ProfgateError(f"the profile is {trial.size / 1e6:.0f} MB", large)
    return trial


def _adjusted(trial: Trial) -> Plan:
    """Return a plan that repeats the same work until one run has enough samples and its recording is not too large.

    A command that cannot be repeated stays.
    """
    plan, share = trial.plan, trial.share
    room = 0.8 * LARGEST_RECORDING / max(1, trial.size)
    if trial.size > LARGEST_RECORDING:
        return plan.with_work(room)
    samples = max(1.0, plan.samples_of_run(share.samples))
    if samples > RUN_SAMPLES / 2 or plan.command.startswith(LIMITED):
        return plan
    if share.samples > FEW_SAMPLES and share.library < ENOUGH:
        return plan
    times = min(RUN_SAMPLES / samples, 60.0 / trial.seconds, room)  # at most a minute
    return plan.with_work(times) if times > 1.5 else plan


def iterations(output: str, rate: int) -> int:
    """Return the number of iterations of each benchmark in the output that take as long as one run."""
    units = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
    nanoseconds = 0.0
    for number, unit, other in OPERATION.findall(output):
        nanoseconds += float(number) * units[unit] if unit else float(other)
    if not nanoseconds:
        raise ProfgateError("--measure", "found no benchmark in the output; use a --command that runs benchmarks")
    return max(1, round(RUN_SAMPLES / rate / nanoseconds * 1e9))


def problem_in(output: str) -> str:
    """Return the line of a program's output that names the problem, and advice about it."""
    plain_output = re.sub(r"\x1b\[[0-9;]{0,20}m", "", output)
    lines = [line for line in plain_output.split("\n") if not line.startswith(("+ ", "[ perf record:"))]
    text = "\n".join(lines)
    for pattern in PROBLEMS:
        if found := pattern.search(text):
            start = text.rfind("\n", 0, found.start()) + 1
            shown = [line for line in text[start : start + 600].splitlines() if line.strip()]
            further = shown[1:2] if shown[0].rstrip().endswith(":") else []  # CMake explains an error in the next line
            return one_line([shown[0], *further, _advice(found)])
    return one_line([line for line in lines if line.strip()][-1:])


def _size(path: Path) -> int:
    """Return the size of a file in bytes, without compression. gzip stores it at the end, modulo 4 GB."""
    return int.from_bytes(path.read_bytes()[-4:], "little") if path.suffix == ".gz" else path.stat().st_size


def _advice(found: re.Match[str]) -> str:
    if found.re is NOT_INSTALLED:
        return f"(install {found[1]} here, or add what installs it to --install)"
    if found.re is not MISSING:
        return ""
    if _is_path(found[1]):
        return f"(if a build writes {found[1]}, add the build to --install)"
    return f"(add what installs {found[1]} to --install)"
