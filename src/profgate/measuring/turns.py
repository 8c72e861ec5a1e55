"""Records both sides in turns within a budget of time, in blocks of two runs of each side."""

import math
import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from profgate import loading
from profgate.compare.runs import in_run, workload_name
from profgate.decide.detect.permutation import FEWEST_BLOCKS
from profgate.errors import ProfgateError, SideError
from profgate.io.files import sources_under
from profgate.io.terminal import agreed, show_progress
from profgate.io.used_files import used_files
from profgate.measuring.checkouts import SIDES, Checkout, states, unchanged
from profgate.measuring.looks import FEWEST, RUNS
from profgate.measuring.other_work import RunFacts, facts_of
from profgate.measuring.own_code import UsedFiles, check_own_code, used_files_of
from profgate.model.record import replace
from profgate.model.source import MANIFEST_NAME, RECORDING_NAME, SourceFile
from profgate.report.numbers import duration
from profgate.source_maps import with_sources

Profiles = Mapping[str, Sequence[SourceFile]]  # profiles of each side


@dataclass(slots=True)
class Turns:
    """A program that records profiles in the checkout of each side, in blocks of two runs of each side: ABBA or BAAB.

    ``order`` are random bytes that decide about the order of the blocks. ``budget`` is the time for all runs after the
    warm-up in seconds, which is exceeded up to ``at_most`` if the first look needs more, and ``timeout`` limits one
    run. ``code`` are the files of each side that its warm-up run used, ``workloads`` those of all warm-up runs,
    ``warm`` is the time of the warm-up, and ``took`` that of the counted runs of each side. ``before`` is the
    `foreign_code` of the baseline before the setup of the target, or None without setup. ``ends_if`` is when the next
    look decides.
    """

    program: Sequence[str]
    sides: Mapping[str, Checkout]
    budget: float
    at_most: float
    timeout: float
    order: bytes = b"\0"
    before: Mapping[str, str] | None = None
    count: int = 0
    warm: float = 0.0
    ends_if: str = ""
    workloads: set[str] = field(default_factory=set)
    took: dict[str, float] = field(default_factory=lambda: dict.fromkeys(SIDES, 0.0))
    code: Mapping[str, frozenset[str]] = field(default_factory=dict)
    profiles: dict[str, list[SourceFile]] = field(default_factory=lambda: {side: [] for side in SIDES})
    facts: dict[str, list[RunFacts]] = field(default_factory=lambda: {side: [] for side in SIDES})

    def note_foreign_code(self, baseline: Checkout) -> None:
        """Record a run of the baseline, before the setup of the target can change code that both sides share."""
        self.before = watched_run(self.program, baseline, self.timeout)[1].foreign_code()

    def warm_up(self, repository: str = ".") -> Profiles:
        """Record one uncounted run of each side and return it. Raises ProfgateError if both sides ran the same code."""
        found, used, begin = {}, {}, time.monotonic()
        for side in SIDES:
            show_progress(f"warm-up, {side}")
            found[side], used[side] = watched_run(self.program, self.sides[side], self.timeout)
        self.warm = time.monotonic() - begin
        self.code = check_own_code(used["baseline"], used["target"], repository, self.before)
        for side, sources in found.items():
            self.workloads.update(workload_name(source.name) for source in sources)
            found[side] = [_below(self.sides[side], source) for source in sources]
        return found

    @property
    def spent(self) -> float:
        """The time of all counted runs, in seconds."""
        return sum(self.took.values())

    @property
    def pair(self) -> float:
        """The mean time of one run of each side, in seconds; that of the warm-up before the first pair."""
        return self.spent / self.count if self.count else self.warm

    def most(self) -> int:
        """Return how many runs of each side fit into the budget, or for the first look into ``at_most``."""
        return min(RUNS[-1], max(int(self.budget / self.pair), min(RUNS[0], int(self.at_most / self.pair))))

    def needed(self) -> float:
        """Return the budget in seconds for as many runs as the first look of a large budget has."""
        return RUNS[0] * self.pair

    def offer_more(self) -> None:
        """Offer the time for the first look on a terminal if ``at_most`` is too small.

        Raises ProfgateError if the user declines.
        """
        if FEWEST * self.pair > self.at_most:
            answer = agreed(f"{RUNS[0]} runs of each side take {duration(self.needed())}. Measure that long?")
            if answer is False:
                raise self.too_small()
            self.at_most = self.needed() if answer else self.at_most

    def too_small(self) -> ProfgateError:
        """Return the error for a limit that ends before the first look; the target is at fault if it takes longer."""
        what = f"is too small for {FEWEST} runs of each side; a pair of runs takes {self.pair:.0f} s"
        what += f", so --at-most {math.ceil(FEWEST * self.pair)}s or half of it as --budget would do"
        # ratio of the time of both sides above which the target is the reason for a budget that is too small
        slower = self.took["target"] > 1.5 * self.took["baseline"]
        return SideError("target", "--at-most", what) if slower else ProfgateError("--at-most", what)

    def record_until(self, runs: int) -> bool:
        """Record pairs of runs until each side has this many, and return whether there is time for another pair.

        A block is completed even if the time ends. Raises ProfgateError if it ends before the first look.
        """
        while self.count < runs:
            in_block = self.count % 2 == 1 and self.count > 2 * FEWEST_BLOCKS
            if self.count >= FEWEST and self.count >= self.most() and not in_block:
                return False
            if self.count < FEWEST and self.spent > self.at_most:
                raise self.too_small()
            left = duration((runs - self.count) * self.pair)
            show_progress(f"run {self.count + 1} of {runs}, {left} left{self.ends_if}" if runs > 1 else "first run")
            self._record_pair()
        return self.count < self.most()

    def _record_pair(self) -> None:
        number = self.count + 1
        begin = time.monotonic()
        for side in SIDES if (number % 2 == 1) != self._is_reversed(self.count // 2) else reversed(SIDES):
            self.profiles[side] += [_below(self.sides[side], source) for source in self._record(number, side)]
            end = time.monotonic()
            self.took[side] += end - begin
            begin = end
        self.count = number

    def _is_reversed(self, block: int) -> bool:
        """Return whether the order of a block is BAAB. Of two blocks, one is, and the random order decides which."""
        first = self.order[block // 16 % len(self.order)] >> (block // 2 % 8) & 1
        return first != block % 2

    def _record(self, number: int, side: str) -> list[SourceFile]:
        """Record one run of one side. Raises ProfgateError if it changed the other side or lacks a workload."""
        other = SIDES[side == SIDES[0]]
        before = states(self.code.get(other, ()))
        found, facts = recorded_run(self.program, self.sides[side], number, self.timeout)
        unchanged(before, f"run {number}", side)
        self.facts[side].append(facts)
        workloads = {workload_name(source.name) for source in found}
        if missing := sorted(self.workloads - workloads):
            what = f"wrote no profile of {missing[0]}, which the warm-up run has; store the same files in each run"
            raise SideError(side, f"run {number}, {side}", what)
        return found


def watched_run(program: Sequence[str], side: Checkout, timeout: float) -> tuple[list[SourceFile], UsedFiles]:
    """Record a warm-up run. Return its profiles and the files that it used."""
    opened: set[str] = set()
    with used_files(opened) as watch:
        found, _ = recorded_run(program, side, 0, timeout, watch)
    files = set[str]()
    for source in found:
        if source.profile is not None:
            files.update(filter(None, source.profile.frames.files))
    return found, used_files_of(side, files, opened)


def recorded_run(
    program: Sequence[str],
    side: Checkout,
    number: int,
    timeout: float,
    watch: Callable[[int], None] = lambda _: None,
) -> tuple[list[SourceFile], RunFacts]:
    """Record one run of one side, and read its profiles. Raises SideError if it fails or writes no profile."""
    where = f"run {number}, {side.name}"
    # beside the folder of the side: what the program stores is not code that it ran
    out = tempfile.mkdtemp(prefix="profiles-", dir=os.path.dirname(side.root))  # noqa: PTH120 - the path is a string
    outcome = side.run(program, timeout, {"run": str(number), "out": out}, on_start=watch)
    if outcome.failure:
        raise SideError(side.name, where, outcome.explained(side.folder))
    try:
        files = [each for each in sources_under(out) if each.name not in {MANIFEST_NAME, RECORDING_NAME}]
        sources, found = with_sources(files, side.place), list[SourceFile]()
        for source, profile in zip(sources, loading.readable_profiles(sources), strict=True):
            name = in_run(source.name, number)
            found.append(replace(source, name=name, profile=replace(profile, name=name)))
    except ProfgateError as error:
        raise SideError(side.name, where, str(error)) from error
    if not found:
        what = "wrote no profile to the folder that the variable PROFGATE_OUT names; store one there"
        raise SideError(side.name, where, what)
    return found, facts_of(outcome, len(found))


def _below(side: Checkout, source: SourceFile) -> SourceFile:
    """Make paths of files relative to the checkout; otherwise, a function would be a new one on each side."""
    if source.profile is None:
        return source
    starts = tuple(f"{scheme}{place}/" for place in (side.place, side.root) for scheme in ("", "file://"))
    frames = source.profile.frames
    files = [file and file.removeprefix(next(filter(file.startswith, starts), "")) for file in frames.files]
    return replace(source, profile=replace(source.profile, frames=frames._replace(files=files)))
