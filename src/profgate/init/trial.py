"""A trial recording: runs the lines of the planned workflow in a copy of the working tree."""

import math
import os
import re
import sys
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from profgate.errors import ProfgateError
from profgate.init.candidates import MOST, depth, joined
from profgate.init.java_project import FIXED_WORK
from profgate.init.library_share import Share, share_of
from profgate.init.native_project import GOOGLE_WORK
from profgate.init.node_project import build_line
from profgate.init.python_project import requirement
from profgate.init.recipes import FEWEST_RUNS, LIMITED, LOOPED, SAMPLES, extent_for, repeater
from profgate.init.repository_files import LARGEST_FILE, Files
from profgate.init.skeletons import skeleton
from profgate.init.workflow import COUNT, Plan, one_line
from profgate.io.files import exists, read_loosely, scratch_folder, sources_under, write_text
from profgate.io.git import without_git
from profgate.io.processes import run_command, variables
from profgate.io.worktrees import copied_worktree, quiet_git
from profgate.loading import read_sources
from profgate.model.visible_text import plain
from profgate.report.templates import render_template

LONGEST_SETUP = 900.0  # in seconds
LONGEST_RUN = 120.0  # in seconds; the workflow makes at least five runs
LONGEST_REPEATED = 60.0  # in seconds
LONGEST_SEARCH = 360.0  # in seconds, if several commands can be tried; CMake may have taken two minutes before
LARGEST_RECORDING = 128 << 20  # in bytes without compression; reading a larger one takes minutes
SHORTEST = 20.0  # in seconds, that a command has at the end of the search
MOST_TRIALS = 8
TRACE = "+ "  # before each command that sh -x prints
MOST_REPEATS = 3
ENOUGH = 0.3  # smallest share of samples in the library
RUN_SAMPLES = 1.1 * SAMPLES / FEWEST_RUNS  # samples of one run that are aimed at
TRIAL_RATE = 200  # py-spy stops the program for each sample, which makes it slower than in the workflow
FEW_SAMPLES = 100  # fewer do not tell the share of the library
MAIN_COUNT = re.compile(r"^REPEAT_MAIN=(\d{1,9})$", re.MULTILINE)
CRITERION_TIME = " --profile-time 2"
CRITERION_NAME = re.compile(r"^(.{1,200}): benchmark$", re.MULTILINE)
ITERATIONS = {  # by language: options that state the number of iterations, and those that measure the time of one
    "Go": (re.compile(r"-benchtime \d{1,12}x"), "-benchtime {}x", "-benchtime 100ms"),
    "native code": (re.compile(r"--benchmark_min_time=\d{1,12}x"), GOOGLE_WORK, "--benchmark_min_time=0.05s"),
    "Java": (re.compile(r"-bm ss -wi 0 -i 1 -bs \d{2,12}"), FIXED_WORK, "-bm avgt -wi 0 -i 1 -r 200ms -tu ns"),
}
GOOGLE_ROW = re.compile(r"^\S+ +([\d.]{1,20}(?:e[+-]\d+)?) (ns|us|ms|s) +\S+ \w+ +\d+", re.MULTILINE)
UNITS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
PROBLEMS = (
    re.compile(r"(?:No module named|Cannot find (?:module|package)) '([^'\n]{1,300})'"),
    re.compile(r"^(?:/bin/)?sh: \d{1,4}: ([\w.-]{1,80}): not found$", re.MULTILINE),
    re.compile(r"^(?:E? *\w*(?:Error|Exception)\b.{0,80}: |panic: |--- FAIL: )", re.MULTILINE),
    re.compile(r"^ {0,12}error: (?!subprocess-exited)", re.MULTILINE),  # what pip says about a subprocess is no cause
    re.compile(r"(?<![\w/.-])(?:error|fatal)(?![\w/.-])", re.IGNORECASE),
    re.compile(r"not found|does not|No such file|No rule|cannot", re.IGNORECASE),
)
COLOURS = re.compile(r"\x1b\[[0-9;]{0,20}m")
TRIED = "Trial recording of {}: {:,} samples in {:.1f} s, {:.0f} % of them in functions of this repository.\n"
FAILED = "Trial recording of {command} failed: {problem}.\n"
AGAIN = "Trying again with the setup {lines}.\n"
OLD_SOURCES = re.compile(r"Source option \d{1,2} is no longer supported")
UNREACHABLE = re.compile(r"fatal: (?:unable to access|Could not read from remote|clone of|could not read Username)")
NEWER_SOURCES = "mvn -Dmaven.compiler.source=8 -Dmaven.compiler.target=8 "
UNTRACKED = "git does not track it, so that a checkout does not contain it; git add it"
SLOW = (
    "it stopped in {command!r}; use --replace --measure with a shorter --install, or with a --command that needs less; "
    "a command that is given has {given:.0f} min for its setup"
)
LONG_RUN = "let the command do less work, or choose a shorter one with --replace --measure --command"
LARGE = f"one run may have {LARGEST_RECORDING >> 20} MB; {LONG_RUN}"
UNREAD = "the trial recording contains no samples; let the command run longer"
TOO_FEW = "one run has only {samples} samples; let the command run longer"
COST = (
    "On a machine like this one, each pull request takes about {minutes:.0f} min: setup {setup:.0f} s and {runs} runs "
    "of {seconds:.1f} s. If a function is slower, confirming that takes up to {budget} min more.\n"
    "The report of each pull request names the smallest change that its samples show.\n"
)
FEW = (
    "only {percent:.0f} % of the samples are in functions of this repository, so the gate would measure other code; "
    "name a program that calls the library in a loop with --replace --measure --command"
)
OR_SKELETON = ", or let --replace --measure --skeleton write a first one"


@dataclass(frozen=True, slots=True)
class Trial:
    """A plan after its trial recording. ``setup`` and ``seconds`` are the durations of setup and recording."""

    plan: Plan
    share: float = 0.0
    setup: float = 0.0
    seconds: float = 0.0
    result: str = ""


def trial_of(files: Files, plans: list[Plan]) -> Trial:
    """Record the first plans and return the one with the largest share of samples in the library.

    Stops at the first sufficient share. If every recording fails, the first plan is returned with its problem.
    ``result`` describes the recording, the duration of the gate, and what it can detect.
    """
    trials, end = list[Trial](), time.monotonic() + LONGEST_SEARCH if len(plans) > 1 else math.inf
    with ExitStack() as stack:
        copies = _Copies(files, stack.enter_context(scratch_folder()), stack, end)
        for plan in plans[:MOST_TRIALS]:
            if plan.setup not in copies.failed:
                trials.append(_tried(plan, copies))
                for _ in range(MOST_REPEATS):
                    better = _remedy(files, trials[-1].plan, plan)
                    if better is None or better.setup in copies.failed:
                        break
                    plan = better  # noqa: PLW2901 - a further remedy is added to this one
                    sys.stdout.write(AGAIN.format(lines=plain("; ".join((*plan.pattern.setup, *plan.install)))))
                    trials.append(_tried(plan, copies))
            if trials[-1].share >= ENOUGH or time.monotonic() > end:
                break
    best = max(trials, key=lambda trial: (bool(trial.seconds), trial.share))
    if not best.seconds:
        return best
    extent = best.plan.extent
    minutes = max(1, (best.setup + extent.runs * best.seconds) / 60)
    values = {"setup": best.setup, "runs": extent.runs, "seconds": best.seconds, "budget": extent.budget}
    return replace(best, result=best.result + COST.format(minutes=minutes, **values))


class _Copies:
    """Copies of the working tree below a scratch folder, one for each setup, and the time when the search ends.

    Setups that only build different programs share a copy, so that they build their common parts once.
    """

    def __init__(self, files: Files, scratch: str, stack: ExitStack, end: float) -> None:
        self.files, self.end, self.failed = files, end, set[tuple[str, ...]]()
        self._scratch, self._stack = scratch, stack
        self._places, self._ready = dict[tuple[str, ...], str](), dict[tuple[str, ...], float]()

    def ready(self, plan: Plan) -> tuple[str, float]:
        """Return a checkout in which the setup of a plan has run, and the seconds that it took.

        Raises ProfgateError if the setup fails, or if a checkout does not contain a file of the command.
        """
        for path in (os.path.normpath(joined(plan.folder, word)) for word in plan.command.split()):
            if path not in plan.new_files and _only_copied(self.files, path):
                raise ProfgateError(path, UNTRACKED)
        shared = plan.setup[:-1] if plan.recipe.language in {"Rust", "native code"} else plan.setup
        if shared not in self._places:
            place = f"{self._scratch}/checkout-{len(self.failed) + len(self._ready)}"
            self._places[shared] = self._stack.enter_context(copied_worktree(place, self.files.top, untracked=False))
        checkout = self._places[shared]
        for path, text in plan.new_files.items():
            write_text(f"{checkout}/{path}", text)
        if plan.setup not in self._ready:
            self.failed.add(plan.setup)
            del self._places[shared]  # a failed build may leave files that another one would use
            self._ready[plan.setup] = self.run("the setup", plan.setup, plan, checkout)[0]
            self.failed.remove(plan.setup)
            self._places[shared] = checkout
        return checkout, self._ready[plan.setup]

    def run(self, what: str, lines: tuple[str, ...], plan: Plan, checkout: str, out: str = "") -> tuple[float, str]:
        """Run shell lines as the workflow does. Return the duration in seconds and the output.

        Raises ProfgateError with the line of the output that names the cause.
        """
        place = f"{checkout}-npm"  # npm link and global installations change it
        own = {"npm_config_prefix": place, "PATH": f"{place}/bin:{os.environ.get('PATH', os.defpath)}"}
        given = without_git(os.environ) | own | dict(plan.recipe.env) | variables({"out": out, "run": "1"})
        Path(f"{checkout}-log").unlink(missing_ok=True)
        start = time.monotonic()
        longest = min(LONGEST_RUN if out or what == "the benchmark" else LONGEST_SETUP, max(self.end - start, SHORTEST))
        outcome = run_command(
            ["sh", "-ec" if out else "-exc", "\n".join(lines)],
            folder=checkout,
            environment=given,
            log=f"{checkout}-log",
            timeout=longest,
        )
        if outcome.failure:
            shown = problem_in(outcome.output.replace(f"{checkout}/", ""))
            if outcome.nanoseconds > 1e9 * longest:  # then the outcome contains no output
                slow = _last(Path(f"{checkout}-log").read_text(encoding="utf-8", errors="replace"))
                shown = LONG_RUN if out else SLOW.format(command=slow, given=LONGEST_SETUP / 60)
            raise ProfgateError(f"{what} {outcome.failure}", shown)
        return max(time.monotonic() - start, 0.001), outcome.output


def _remedy(files: Files, failed: Plan, plan: Plan) -> Plan | None:
    """Return the plan with what its failed recording lacks, or without what fails, or None if there is no such plan.

    A module that the repository names nowhere is not installed, because its package may be anybody's.
    """
    missing, install = PROBLEMS[0].search(failed.problem), plan.install
    if UNREACHABLE.search(failed.problem) and plan.pattern.setup:  # submodules may only contain documentation
        return replace(plan, pattern=replace(plan.pattern, setup=()))
    if OLD_SOURCES.search(failed.problem):
        install = tuple(line.replace("mvn ", NEWER_SOURCES, 1) for line in install)
    elif plan.recipe.language == "Python" and failed.problem.startswith("the setup ended"):  # of further tools
        install = tuple(line for line in install if not line.startswith("pip install -r "))
    elif missing and plan.recipe.language == "Python":
        install = (*install, requirement(files, missing[1]))
    elif missing and plan.recipe.language == "Node" and _is_path(missing[1]):
        install = (*install, build_line(files))
    possible = install != plan.install and all(install) and len({*install}) == len(install)
    return replace(plan, install=install) if possible else None


def _is_path(name: str) -> bool:
    folder, slash, file = name.rpartition("/")
    return bool(slash) and (not folder or "." in folder[0] + file)


def _tried(plan: Plan, copies: _Copies) -> Trial:
    command = plain(plan.command if plan.folder == "." else f"cd {plan.folder} && {plan.command}")
    sys.stdout.write(f"Setting up and recording {command} in a copy of the working tree ...\n")
    sys.stdout.flush()
    try:
        trial, share = _recorded(plan, copies)
    except ProfgateError as error:
        problem = one_line([str(error)])
        sys.stdout.write(FAILED.format(command=command, problem=plain(problem)))
        return Trial(replace(plan, problem=problem))
    result = TRIED.format(command, share.samples, trial.seconds, 100 * share.library)
    sys.stdout.write(result)
    return replace(trial, result=result)


def _only_copied(files: Files, path: str) -> bool:
    """Return whether the copy contains this path, but a checkout does not. Ignored files are in neither."""
    path = os.path.normpath(path)
    if path.startswith(".") or any(name == path or name.startswith(f"{path}/") for name in files.tracked):
        return False
    return exists(f"{files.top}/{path}") and bool(
        quiet_git(files.top, "ls-files", "--others", "--exclude-standard", "--", path)
    )


def _recorded(plan: Plan, copies: _Copies) -> tuple[Trial, Share]:
    """Record one run in a copy of the working tree. Raises ProfgateError if a step fails or records no samples."""
    checkout, setup = copies.ready(plan)
    if plan.update:
        copies.run("the choice of tests", (*plan.start, plan.update), plan, checkout)
        texts = {path: read_loosely(f"{checkout}/{path}", LARGEST_FILE) for path in plan.new_files}
        plan = replace(plan, new_files=texts)
    plan, share, seconds, output = _with_enough_samples(_with_fixed_work(plan, copies, checkout), copies, checkout)
    if plan.recipe.language == "Python":  # its profilers succeed if the program fails
        copies.run("the benchmark", (*plan.start, plan.command), plan, checkout)
    if plan.timed:  # its parts may differ in each run
        share = min(share, _once(plan, copies, checkout)[0], key=lambda each: each.library)
    if not share.samples:
        raise ProfgateError(UNREAD, one_line(output.splitlines()[-3:]))
    extent = extent_for(plan.recipe.rate, share.samples / plan.extent.rate, seconds)
    problem = "" if share.library >= ENOUGH else FEW.format(percent=100 * share.library)
    if problem and skeleton(copies.files, plan.recipe.language):
        problem += OR_SKELETON
    if (samples := plan.samples_of_run(share.samples)) < FEW_SAMPLES:
        share, problem = replace(share, library=0.0), TOO_FEW.format(samples=round(samples))
    return Trial(replace(plan, extent=extent, problem=problem), share.library, setup, seconds), share


def _with_fixed_work(plan: Plan, copies: _Copies, checkout: str) -> Plan:
    """Return the plan with a number of iterations, or with a part of the benchmarks that run for a fixed time."""
    if plan.recipe.language == "Python":
        plan = replace(plan, extent=replace(plan.extent, rate=TRIAL_RATE))
    options, fixed, timed = ITERATIONS.get(plan.recipe.language, (COUNT, "", ""))
    if timed and options.search(plan.command):
        command = options.sub(timed, plan.command)
        output = copies.run("the benchmark", (*plan.start, command), plan, checkout)[1]
        plan = replace(plan, command=options.sub(fixed.format(iterations(output, plan.recipe.rate)), plan.command))
    if plan.command.endswith(CRITERION_TIME):
        listed = plan.command.replace(CRITERION_TIME, " --list")
        names = CRITERION_NAME.findall(copies.run("the list", (*plan.start, listed), plan, checkout)[1])
        if len(names) > MOST:
            chosen = "|".join(re.sub(r"[^\w/ -]", ".", name) for name in names[:: -(-len(names) // MOST)])
            plan = replace(plan, command=f"{plan.command} '^({chosen})$'")
    return plan


def _once(plan: Plan, copies: _Copies, checkout: str) -> tuple[Share, float, str, int]:
    """Record one run. Return its share, its seconds, the output and its size in bytes; too large ones are not read."""
    for path, text in plan.new_files.items():
        write_text(f"{checkout}/{path}", text)
    with scratch_folder() as out:
        seconds, output = copies.run("the recording", plan.record, plan, checkout, out)
        size = sum(map(_size, Path(out).rglob("*.*")))
        profiles = read_sources(sources_under(out)) if size <= LARGEST_RECORDING else []
        return share_of(profiles, copies.files, checkout, plan.extent.rate), seconds, output, size


def _with_enough_samples(plan: Plan, copies: _Copies, checkout: str) -> tuple[Plan, Share, float, str]:
    """Return a plan whose work gives enough samples, as far as it can be changed, and its recording as in `_once`."""
    for left in reversed(range(MOST_REPEATS)):
        try:
            share, seconds, output, size = _once(plan, copies, checkout)
            other = _adjusted(plan, share, seconds, size, copies, checkout)
        except ProfgateError as error:
            other = plan.with_work(0.25)
            if other == plan and plan.recipe.machine and not plan.command.startswith(LIMITED):
                other = replace(plan, command=LIMITED + plan.command, timed=True)
            if error.what != LONG_RUN or other == plan or not left:
                raise
        if other == plan or not left:
            break
        plan = other
    if size > LARGEST_RECORDING:
        raise ProfgateError(f"the profile is {size / 1e6:.0f} MB", LARGE)
    return plan, share, seconds, output


def _adjusted(plan: Plan, share: Share, seconds: float, size: int, copies: _Copies, checkout: str) -> Plan:
    """Return a plan that repeats the same work until one run has enough samples and its recording is not too large.

    ``seconds`` and ``size`` are those of the recording with this share. A command that cannot be repeated stays.
    """
    room = 0.8 * LARGEST_RECORDING / max(1, size)
    if size > LARGEST_RECORDING:
        return plan.with_work(room)
    samples = max(1.0, plan.samples_of_run(share.samples))
    if samples > RUN_SAMPLES / 2 or plan.command.startswith(LIMITED):
        return plan
    if plan.recipe.language == "native code" and not plan.new_files and not LOOPED.match(plan.command):
        with suppress(ProfgateError):  # for example if the program cannot run twice
            return _with_repeated_main(plan, copies, checkout)
    if share.samples > FEW_SAMPLES and share.library < ENOUGH:
        return plan
    times = min(RUN_SAMPLES / samples, LONGEST_REPEATED / seconds, room)
    return plan.with_work(times) if times > 1.5 else plan


def _with_repeated_main(plan: Plan, copies: _Copies, checkout: str) -> Plan:
    """Return a plan that calls the main function of a program as often as one run needs."""
    path, text = "bench/repeat_main.c", render_template("init/repeat_main.c.j2")
    write_text(f"{checkout}/{path}", text)
    library = f"{'../' * depth(plan.folder)}{path.removesuffix('.c')}"
    command = f"LD_PRELOAD={library}.so REPEAT_MAIN={{}} {plan.command}"
    counting = (*plan.start, repeater(library), f"timeout 60 env {command.format(0)} > /dev/null")
    found = MAIN_COUNT.search(copies.run("the count", counting, plan, checkout)[1])
    if found is None:
        raise ProfgateError(plan.command, "does not return from its main function")
    times = math.ceil(int(found[1]) * RUN_SAMPLES / plan.recipe.rate)
    return replace(plan, command=command.format(times), new_files={path: text})


def iterations(output: str, rate: int) -> int:
    """Return the number of iterations of each benchmark in the output that take as long as one run."""
    nanoseconds = sum((float(row[1]) * UNITS[row[2]] for row in GOOGLE_ROW.finditer(output)), 0.0)
    for line in output.splitlines():
        words = line.partition(" ns/op")[0].partition("±")[0].split()
        if " ns/op" in line and (line.startswith("Benchmark") or "avgt" in words):
            with suppress(ValueError):  # JMH writes very small numbers as powers
                nanoseconds += float(words[-1])
    if not nanoseconds:
        raise ProfgateError("--measure", "found no benchmark in the output; use a --command that runs benchmarks")
    return max(1, round(RUN_SAMPLES / rate / nanoseconds * 1e9))


def problem_in(output: str) -> str:
    """Return the line of a program's output that names the problem, and advice about it."""
    output = "\n".join(line for line in COLOURS.sub("", output).split("\n") if not line.startswith(TRACE))
    for pattern in PROBLEMS:
        if found := pattern.search(output):
            start = output.rfind("\n", 0, found.start()) + 1
            lines = [line for line in output[start : start + 600].splitlines() if line.strip()]
            further = lines[1:2] if lines[0].rstrip().endswith(":") else []  # CMake explains an error in the next line
            return one_line([lines[0], *further, _advice(found)])
    lines = [line for line in output.splitlines() if line.strip() and not line.startswith("[ perf record:")]
    return one_line(lines[-1:])


def _size(path: Path) -> int:
    """Return the size of a file in bytes, without compression. gzip stores it at the end, modulo 4 GB."""
    return int.from_bytes(path.read_bytes()[-4:], "little") if path.suffix == ".gz" else path.stat().st_size


def _last(output: str) -> str:
    """Return the last command that sh -x printed, or the last line."""
    lines = [line for line in output.splitlines() if line.strip()]
    traced = [line.lstrip("+ ") for line in lines if line.startswith(TRACE)]
    return one_line([*lines[-1:], *traced][-1:], 100)


def _advice(found: re.Match[str]) -> str:
    if OLD_SOURCES.search(found.string):
        return "(raise the source and target level in the build, or let --install use an older JDK)"
    if found.re is PROBLEMS[1]:
        return f"(install {found[1]} here, or add what installs it to --install)"
    name = found[1] if found.re is PROBLEMS[0] else ""
    if not name:
        return ""
    if _is_path(name):
        return f"(if a build writes {name}, add the build to --install)"
    return f"(add what installs {name} to --install)"
