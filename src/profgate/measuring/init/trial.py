"""A trial recording: runs the lines of the planned workflow in a copy of the working tree."""

import math
import os
import re
import shlex
import sys
from contextlib import ExitStack
from itertools import count
from pathlib import Path, PurePosixPath

from profgate.errors import ProfgateError
from profgate.io.files import read_loosely, sources_under, write_text
from profgate.io.processes import output_of
from profgate.io.scratch import scratch_folder
from profgate.io.workers import processors
from profgate.io.worktrees import quiet_git
from profgate.loading import read_sources
from profgate.measuring.checkouts import Checkout, checked_out
from profgate.measuring.init.candidates import LARGEST_FILE, Files, within
from profgate.measuring.init.library_share import Share, share_of
from profgate.measuring.init.recipes import extent_for, samples_of
from profgate.measuring.init.workflow import COUNT, Plan, name_of, one_line
from profgate.model.record import Record, replace
from profgate.model.visible_text import plain

LONGEST_RUN = 30.0  # in seconds of processor time, which other programs do not change
# of all runs and set-ups but the first, which is the repository's own; with the search for programs, five minutes
LONGEST_SEARCH = 240.0
WAITING = 2.5  # seconds that count as a second of processor time, on a busy machine or if a program waits
LARGEST_RECORDING = 128 << 20  # in bytes; reading a larger one takes minutes
ENOUGH = 0.3  # smallest share of samples in the library
FEW_SAMPLES = 100  # the share of the library is not known from fewer samples
LONG_RUN = "let the command do less work, or choose a shorter one with --replace --measure --command"

ENDED = re.compile(r"^(?:E? *\w*(?:Error|Exception)\b.{0,80}: |panic: |--- FAIL: )", re.MULTILINE)
PROBLEMS = (  # lines that name a problem, the most specific first
    re.compile(r"^(?:/bin/)?sh: \d{1,4}: [\w.-]{1,80}: not found$", re.MULTILINE),
    ENDED,
    re.compile(r"^ {0,12}error: (?!subprocess-exited)", re.MULTILINE),  # what pip says about a subprocess is no cause
    re.compile(r"(?<![\w/.-])(?:error|fatal)(?![\w/.-])", re.IGNORECASE),
    re.compile(r"not found|does not|No such file|No rule|cannot", re.IGNORECASE),
)
ADVICE = (
    (re.compile(r"sh: \d{1,4}: (.{1,80}): not found"), "(install {} here, or add what installs it to --install)"),
    (
        re.compile(r"Cannot find \w{6,7} '([./].{1,300}?|.{1,300}?\.\w{1,9})'"),
        "(if a build writes {}, add the build to --install)",
    ),
    (re.compile(r"(?:No module named|Cannot find \w{6,7}) '(.{1,300}?)'"), "(add what installs {} to --install)"),
)
VERSIONS = {"Python": "python --version", "Node": "node --version", "Go": "go version", "Java": "java --version"}


class Trial(Record):
    """A plan and its trial recording, if it succeeded: its share, and its duration in seconds.

    ``result`` describes the duration of the gate for the user.
    """

    plan: Plan
    share: Share = Share()
    seconds: float = 0.0
    result: str = ""


def trial_of(files: Files, plans: list[Plan]) -> Trial:
    """Record the first plans. Return the first sufficient one, or else that with the largest share of the library.

    If every recording fails, the last plan is returned with its problem.
    """
    trials = list[Trial]()
    with ExitStack() as stack:
        copies = Copies(files, stack.enter_context(scratch_folder()), stack)
        for plan in plans[:8]:
            if copies.setups.get(plan.setup) != 0.0:  # a setup that failed
                trials.append(_tried(plan, copies))
            if not trials[-1].plan.problem or copies.left <= 0:
                break
    return max(reversed(trials), key=lambda trial: (trial.seconds > 0, not trial.plan.problem, trial.share.library))


def too_little(samples: float, library: float) -> str:
    """Return the problem of a run with few samples or a small share of samples in the library, or ""."""
    if samples < FEW_SAMPLES:
        return f"one run has only {round(samples)} samples; let the command run longer"
    if library < ENOUGH:
        return (
            f"only {100 * library:.0f} % of the samples are in functions of this repository, so the gate would measure "
            "other code; name a program that calls the library in a loop with --replace --measure --command"
        )
    return ""


class Copies:
    """Copies of the working tree below a scratch folder, one for each setup, and the time that is left in seconds.

    Setups that only build different programs share a copy, so that they build their common parts once. ``setups`` has
    the seconds of each setup, which are 0 if it failed. The first one that succeeds takes no time from the others.
    """

    def __init__(self, files: Files, scratch: str, stack: ExitStack) -> None:
        self.files, self.left, self.setups = files, LONGEST_SEARCH, dict[tuple[str, ...], float]()
        self._stack, self._roots = stack, map(f"{scratch}/copy-{{}}".format, count())
        self._copies = dict[tuple[str, ...], Checkout]()

    def ready(self, plan: Plan) -> Checkout:
        """Return a checkout in which the setup of a plan has run. Raises ProfgateError if the setup fails."""
        shared = plan.setup[:-1] if plan.recipe.machine else plan.setup
        checkout = self._copies.pop(shared, None)  # a failed build may leave files that another one would use
        if checkout is None:
            checkout = self._stack.enter_context(
                checked_out("working tree", None, next(self._roots), self.files.top, untracked=False)
            )
        if plan.setup not in self.setups:
            left, first, self.setups[plan.setup] = self.left, not any(self.setups.values()), 0.0
            self.run("the setup", plan.setup, plan, checkout)
            self.setups[plan.setup] = left - self.left
            self.left += self.setups[plan.setup] * first
        self._copies[shared] = checkout
        return checkout

    def run(
        self,
        what: str,
        lines: tuple[str, ...],
        plan: Plan,
        checkout: Checkout,
        longest: float = math.inf,
        out: str = "",
    ) -> tuple[float, str]:
        """Write the new files and run shell lines as the workflow does. Return the seconds and the output.

        The seconds are those on a machine on which nothing else runs: the processor time of all processes that ended,
        but not more than the duration. Raises ProfgateError with the line of the output that names the cause.
        """
        for path, new in plan.benchmark.new_files.items():
            write_text(f"{checkout.place}/{path}", new)
        own = replace(checkout, environment={**checkout.environment, **dict(plan.recipe.env)})
        longest, before = min(longest, max(5.0, self.left)), sum(os.times()[2:4])
        # the limit of one process, whose threads may use all processors
        text = "\n".join((f"ulimit -t {math.ceil(longest * processors())}", "set -x", *lines))
        outcome = own.run(["sh", "-ec", text], WAITING * longest, {"out": out, "run": "1"} if out else {})
        whole = outcome.nanoseconds / 1e9
        seconds = max(0.001, min(whole, sum(os.times()[2:4]) - before))
        self.left -= max(seconds, whole / WAITING)
        if outcome.failure:
            slow = what != "the setup" and max(seconds, whole / WAITING) > 0.9 * longest
            shown = LONG_RUN if slow else problem_in(outcome.output.replace(f"{checkout.place}/", ""))
            raise ProfgateError(f"{what} {'took too long' if slow else outcome.failure}", shown)
        return seconds, outcome.output


def _tried(plan: Plan, copies: Copies) -> Trial:
    command = plain(*within(plan.benchmark.folder, [plan.benchmark.command]))
    sys.stdout.write(f"Setting up and recording {command} in a copy of the working tree ...\n")
    sys.stdout.flush()  # a pipe shows it before the trial ends
    try:
        trial = _recorded(plan, copies)
    except ProfgateError as error:
        problem = one_line([str(error), *needed(copies.files, plan, str(error))])
        sys.stdout.write(f"Trial recording of {command} failed: {plain(problem)}.\n")
        return Trial(replace(plan, problem=problem))
    sys.stdout.write(
        f"Trial recording of {command}: {trial.share.samples:,} samples in {trial.seconds:.1f} s, "
        f"{100 * trial.share.library:.0f} % of them in functions of this repository. {other_version(plan)}".strip()
        + "\n"
    )
    return trial


def _recorded(plan: Plan, copies: Copies) -> Trial:
    """Record one run in a copy of the working tree. Raises ProfgateError if a step fails or records no samples."""
    checkout = copies.ready(plan)
    if plan.benchmark.update:
        copies.run("the choice of tests", (*plan.start, plan.benchmark.update), plan, checkout)
        texts = {path: read_loosely(f"{checkout.place}/{path}", LARGEST_FILE) for path in plan.benchmark.new_files}
        plan = plan.changed(new_files=texts)
    if COUNT.search(plan.benchmark.command) and not plan.benchmark.update:
        plan = plan.with_work(0.01)  # it grows from there, because one of them may take seconds
    trial = _with_enough_samples(plan, copies, checkout)
    plan, share, seconds = trial.plan, trial.share, trial.seconds
    if plan.recipe.language == "Python":
        # py-spy succeeds if the program fails, and on a busy machine it takes more time than the program
        seconds = copies.run("the benchmark", (*plan.start, plan.benchmark.command), plan, checkout, LONGEST_RUN)[0]
    samples = min(share.samples, seconds * plan.recipe.rate)
    if not share.samples:
        raise ProfgateError("the trial recording", "contains no samples; let the command run longer")
    extent = extent_for(plan.recipe.rate, samples / plan.recipe.rate, seconds)
    setup = copies.setups[plan.setup]
    cost = (
        f"On a machine like this one, each pull request takes about {(setup + extent.runs * seconds) / 60:.1f} "
        f"min: setup {setup:.0f} s and {extent.runs} runs of {seconds:.1f} s. If a function is slower, "
        f"confirming that takes up to {extent.budget} min more.\n"
        "The report of each pull request names the smallest change that its samples show.\n"
    )
    plan = replace(plan, extent=extent, problem=too_little(samples, share.library))
    return replace(trial, plan=plan, share=replace(share, samples=round(samples)), seconds=seconds, result=cost)


def _with_enough_samples(plan: Plan, copies: Copies, checkout: Checkout) -> Trial:
    """Return the recording of a plan whose work gives enough samples, as far as it can be changed."""
    for left in range(6, -1, -1):  # further trials
        try:
            trial = once(plan, copies, checkout, plan.record, LONGEST_RUN)
            other = _adjusted(trial)
        except ProfgateError as error:
            other = plan.with_work(0.25)
            if error.what != LONG_RUN or other == plan or not left:
                raise
        if other == plan:
            break
        plan = other
    return trial


def once(plan: Plan, copies: Copies, checkout: Checkout, lines: tuple[str, ...], longest: float) -> Trial:
    """Record one run with shell lines, of at most so many seconds of processor time.

    Raises ProfgateError if it takes longer, or if its profiles are too large to be read.
    """
    with scratch_folder() as out:
        seconds = copies.run("the recording", lines, plan, checkout, longest, out)[0]
        size = sum(path.stat().st_size for path in Path(out).rglob("*.*"))
        if size > LARGEST_RECORDING:
            raise ProfgateError(f"the profile is {size / 1e6:.0f} MB", LONG_RUN)
        tests, profiles = list(map(name_of, plan.tests)), read_sources(sources_under(out))
        share = share_of(profiles, copies.files, checkout.place, plan.extent.rate, tests)
    # on a busy machine, some profilers count what waits for a processor
    return Trial(plan, replace(share, samples=min(share.samples, round(seconds * plan.extent.rate))), seconds)


def _adjusted(trial: Trial) -> Plan:
    """Return a plan that does so much of the same work that one run has enough samples, or the same plan.

    Only the samples in the library are work, and not the start of the program. If too few samples of repeated tests are
    in the library, only the tests that spend enough of their time there remain.
    """
    plan, share = trial.plan, trial.share
    least = max(ENOUGH, share.library)
    best = [row for row in plan.tests if share.tests[name_of(row)] >= least]
    if share.library < ENOUGH and 0 < len(best) < len(plan.tests):
        return plan.with_tests(best)
    wanted = samples_of(plan.recipe.rate)
    hopeless = share.library < ENOUGH and share.samples > 2 * wanted
    times = min(wanted / max(1.0, share.samples * share.library), 100.0, LONGEST_RUN / trial.seconds)
    enough = 0.5 < times < 1.2 or (times < 1 and bool(plan.benchmark.update))
    return plan if hopeless or enough else plan.with_work(times)


def problem_in(output: str) -> str:
    """Return the line of a program's output that names the problem, and advice about it."""
    lines = list(filter(str.strip, re.sub(r"\x1b\[[0-9;]{0,20}m", "", output).splitlines()))
    # sh -x prints the commands
    printed = [line for line in lines if not line.startswith(("+ ", "[ perf record:"))]
    for pattern in PROBLEMS:
        if found := [number for number, line in enumerate(printed) if pattern.search(line)]:
            # an exception may have another one as its cause, which comes first; a compiler repeats that it failed
            number = found[-1 if pattern is ENDED else 0]
            # CMake explains an error in the next line
            shown = printed[number : number + 1 + printed[number].rstrip().endswith(":")]
            advice = (form.format(name[1]) for known, form in ADVICE if (name := known.search(shown[0])))
            return one_line([*shown, next(advice, "")])
    return one_line(lines[-1:])


def needed(files: Files, plan: Plan, problem: str) -> list[str]:
    """Return what may be missing: files that git does not track, and the workflow's version of the language."""
    words = set(re.findall(r"[\w-]{1,80}", f"{plan.benchmark.command} {problem}"))
    others = quiet_git(files.top, "ls-files", "--others", "--exclude-standard").splitlines()
    added = [shlex.quote(path) for path in others if PurePosixPath(path).stem in words]
    return [
        f"(a checkout contains only files that git tracks: git add {' '.join(added[:5])})" if added else "",
        other_version(plan),
    ]


def other_version(plan: Plan) -> str:
    """Return the difference if another version of the language runs here than in the workflow, or ""."""
    stated = next(iter(plan.pattern.options.values()), "").rstrip(".x")
    output = output_of(["sh", "-c", f"{VERSIONS.get(plan.recipe.language)} || true"], ".", {}, 30.0)
    here = re.search(r"\d{1,4}(?:\.\d{1,4}){1,3}", output)
    if here and stated[:1].isdigit() and not f"{here[0]}.".startswith(f"{stated}."):
        return f"({plan.recipe.language} {here[0]} runs here, and the workflow uses {stated})"
    return ""
