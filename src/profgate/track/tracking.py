"""Runs a benchmark command over versions, as far as it was not done before, and gathers the results."""

import glob
import hashlib
import json
import os
import re
import statistics
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from time import monotonic

from profgate import wiring
from profgate.compare.workloads import workload_name
from profgate.errors import ComparisonError, ProfgateError, ProfileError
from profgate.io.processes import Outcome, filled, run_command, variables
from profgate.model.visible_text import name_text
from profgate.report.numbers import counted
from profgate.track.benchmark_source import benchmark_source
from profgate.track.benchmark_sources import bring, digest_of, files_matching, machine, text_below
from profgate.track.benchmark_values import benchmark_values, wall_time
from profgate.track.evolution import EvolutionOptions, evolution_of
from profgate.track.git_versions import Repository, without_git, worktree
from profgate.track.run_record import RunRecord, record_from_json, record_to_json
from profgate.track.track_folder import Attempt, TrackFolder, remove_folder
from profgate.track.versions import BenchmarkValue, Evolution, MeasuredVersion, Version

PLAIN_NAME = re.compile(r"[\w.+@/:~^=,%-]*")


@dataclass(frozen=True, slots=True)
class Plan:
    """What shall be measured, and how. ``repository`` is None where a setup command brings the versions."""

    command: tuple[str, ...]
    versions: tuple[Version, ...]
    repository: Repository | None
    setup: tuple[tuple[str, ...], ...] = ()
    runs: int = 3
    timeout: float = 1800.0
    here: bool = False
    brought: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    refine: bool = False
    options: EvolutionOptions = field(default_factory=EvolutionOptions)

    @property
    def prefix(self) -> str:
        """The folder of this call, from the top of the repository."""
        return self.repository.prefix if self.repository is not None else ""

    @property
    def key(self) -> str:
        """Runs are comparable where this is the same: the command, what prepares it, and what comes from here."""
        patterns = [*map(glob.escape, self.brought), *(self.sources if self.here else ())]
        files = {name for pattern in patterns for name in files_matching(".", pattern)}
        files |= {name for name in self.named_files() if self.here or Path(name).is_absolute()}
        digest = digest_of(".", sorted(files))
        parts = [self.command, self.setup, self.here, self.brought, digest, not self.repository]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]

    def warnings(self) -> Iterator[str]:
        """What a person might take for measured, though it is not."""
        if self.repository is None:
            return
        if not self.here and self.repository.is_dirty():
            yield "changes that are not committed are not measured; --bring copies files from here"
        if not self.setup and ".gitmodules" in self.repository.files(self.versions[-1].commit):
            yield "submodules are not checked out; --setup 'git submodule update --init' does that"

    def named_files(self) -> list[str]:
        """Arguments of the command that could be files of the benchmark."""
        program = self.command[0]
        arguments = [*self.command[1:], *([program] if "/" in program and not program.startswith("/") else [])]
        names = (argument.removeprefix("{source}/").removeprefix("./") for argument in arguments)
        fit = (name for name in names if name and not name.startswith(("-", "{")))
        return [name for name in fit if ".." not in PurePosixPath(name).parts]


class Track:
    """The versions of a plan, and the folder with what is known of them."""

    def __init__(self, plan: Plan, folder: TrackFolder, report: Callable[[str], None]) -> None:
        self.plan, self.folder = plan, folder
        self._report = report

    def measured_versions(self) -> list[MeasuredVersion]:
        """What is known of all versions, in their order."""
        return [self._measured(version) for version in self.plan.versions]

    def evolution(self) -> Evolution:
        """The lines and jumps of what is known. Raises ComparisonError where nothing is."""
        return evolution_of(" ".join(self.plan.command), self.measured_versions(), self.plan.options)

    def measure(self, source: str, *, again: bool = False) -> None:
        """Measures every version that lacks runs; ``source`` is the folder for its sources. Finished runs remain.

        ``again`` forgets the versions that failed, so that they are tried once more.
        """
        versions = self.plan.versions
        if again:
            for version in versions:
                if any(record.problem for record in self._records(version).values()):
                    self.folder.drop(version_key(version))
        waiting = sum(map(self._lacks, versions))
        self._report(f"{waiting} of {len(versions)} versions to measure; finished runs are stored, however this ends")
        seconds: list[float] = []
        for number, left in self._to_do():
            version, start = versions[number], monotonic()
            before = len(self._records(version))
            problem = self._measure_version(version, source)
            seconds.append(monotonic() - start)
            runs = counted(len(self._records(version)) - before, "run")
            result = f"skipped: {problem}" if problem else f"{runs} in {duration_text(seconds[-1])}"
            rest = f"; {left} left, about {duration_text(statistics.median(seconds) * left)}" if left else ""
            self._report(f"{_label(version)}: {result}{rest}")

    def _to_do(self) -> Iterator[tuple[int, int]]:
        """The numbers of versions to measure, and how many are left after each; 0 where unknown."""
        count = len(self.plan.versions)
        missing = {number for number, version in enumerate(self.plan.versions) if self._lacks(version)}
        if not self.plan.refine:
            order = [number for number in coarse_to_fine(count) if number in missing]
            yield from ((number, len(order) - place) for place, number in enumerate(order, start=1))
            return
        tried = set(range(count)) - missing
        while (number := next_to_refine(count, tried, self._jumps_so_far())) is not None:
            yield number, 0
            tried.add(number)

    def _jumps_so_far(self) -> list[tuple[int, int]]:
        try:
            evolution = self.evolution()
        except ComparisonError:
            return []
        return [(jump.baseline, jump.target) for _, jump in evolution.first_jumps()]

    def _records(self, version: Version) -> dict[int, RunRecord]:
        read = ((number, record_from_json(text)) for number, text in self.folder.runs(version_key(version)))
        return {number: record for number, record in read if record is not None}

    def _lacks(self, version: Version) -> bool:
        records = self._records(version)
        return len(records) < self.plan.runs and not any(record.problem for record in records.values())

    def _measured(self, version: Version) -> MeasuredVersion:
        records = [record for _, record in sorted(self._records(version).items())]
        good = [record for record in records if record.values]
        problems = list(dict.fromkeys(record.problem for record in records if record.problem))
        warnings = list(dict.fromkeys(warning for record in records for warning in record.warnings))
        return MeasuredVersion(
            version,
            tuple(record.values for record in good),
            problem="" if good else "; ".join(problems) or "not measured",
            machine=good[-1].machine if good else "",
            warnings=tuple([*warnings, *problems] if good else warnings),
        )

    def _measure_version(self, version: Version, source: str) -> str:
        """Makes the runs that a version lacks; returns the reason where it cannot be measured."""
        try:
            with self._sources(version, source):
                problem = self._set_up(version, source)
                if not problem:
                    return self._runs(version, source)
        except ProfgateError as error:
            if error.where.startswith(self.folder.folder):  # our own disk is full: no fault of the version
                raise
            problem = str(error)
        except OSError as error:  # a full disk, or unreadable files of that version
            problem = f"{error.filename or 'the worktree'}: {error.strerror}"
        number = max(self._records(version), default=0) + 1
        with self.folder.attempt() as attempt:
            self.folder.store(attempt, version_key(version), number, record_to_json(RunRecord(problem=problem)))
        return problem

    @contextmanager
    def _sources(self, version: Version, source: str) -> Iterator[None]:
        if self.plan.repository is None:
            Path(source).mkdir()
            try:
                yield
            finally:
                remove_folder(source)
            return
        with worktree(version.commit, source, self.plan.repository.top):
            bring(self.plan.brought, source, self.plan.prefix)
            yield

    def _set_up(self, version: Version, source: str) -> str:
        for words in self.plan.setup:
            with self.folder.attempt() as attempt:
                outcome = self._execute(words, version, source, attempt, source)
            if outcome.problem:
                return f"setup: {outcome.problem}"
        if self.plan.repository is None:
            self.folder.sources.store(version_key(version), source)
        return ""

    def _runs(self, version: Version, source: str) -> str:
        for number in range(1, self.plan.runs + 1):
            if number in self._records(version):
                continue
            with self.folder.attempt() as attempt:
                record = self._run(attempt, version, source)
                self.folder.store(attempt, version_key(version), number, record_to_json(record))
            if record.problem:
                return record.problem
        return ""

    def _run(self, attempt: Attempt, version: Version, source: str) -> RunRecord:
        place = "." if self.plan.here else str(Path(source, self.plan.prefix))
        outcome = self._execute(self.plan.command, version, source, attempt, place)
        seconds = outcome.nanoseconds / 1e9
        if outcome.problem:
            return RunRecord(seconds=seconds, problem=outcome.problem)
        found = attempt.profiles()
        read = wiring.read_all(found)
        warnings = tuple(f"{error}; left out" for error in read if isinstance(error, ProfileError))
        profiles = [profile for profile in read if not isinstance(profile, ProfileError)]
        values = benchmark_values((workload_name(profile.name), profile) for profile in profiles)
        if not found:
            values = wall_time(" ".join(self.plan.command), outcome.nanoseconds)
        if not values:
            why = warnings[0] if warnings else "they hold nothing"
            return RunRecord(seconds=seconds, problem=f"no result in {len(found)} files of PROFGATE_OUT: {why}")
        shared = self._command_digest(version, place)
        known = tuple(replace(value, source=self._digest(place, value) or shared) for value in values)
        return RunRecord(known, seconds, machine(), warnings=warnings)

    def _execute(self, words: Sequence[str], version: Version, source: str, attempt: Attempt, place: str) -> Outcome:
        """Runs a command with its placeholders filled. Raises ProfgateError for a name that a shell would run."""
        if any("{version}" in word for word in words) and not PLAIN_NAME.fullmatch(version.name):
            what = "its name holds signs that a shell reads; use the variable PROFGATE_VERSION"
            raise ProfgateError("{version}", what)
        values = {"out": attempt.output, "source": source, "version": version.name, "commit": version.commit}
        # Python shuffles its sets at every start; with one order, counted calls repeat
        environment = {"PYTHONHASHSEED": "0"} | without_git(dict(os.environ)) | variables(values)
        return run_command(
            filled(words, values),
            folder=place,
            environment=environment,
            log=attempt.log,
            timeout=self.plan.timeout,
            on_start=self.folder.note_started,
        )

    def _digest(self, place: str, value: BenchmarkValue) -> str | None:
        """Of the benchmark's own source, which a person or the format names."""
        if self.plan.sources:
            patterns = [pattern.replace("{benchmark}", glob.escape(value.benchmark)) for pattern in self.plan.sources]
            return digest_of(place, sorted({name for pattern in patterns for name in files_matching(place, pattern)}))
        text = text_below(place, value.file) if value.file else None
        return benchmark_source(value.file, value.line, text).hex() if value.file and text is not None else None

    def _command_digest(self, version: Version, place: str) -> str | None:
        """Of the files that the command names."""
        names = self.plan.named_files()
        if self.plan.repository is not None and not self.plan.here:
            # what a setup builds differs in every version; a benchmark is what somebody wrote
            written = self.plan.repository.files(version.commit)
            same = {*self.plan.brought, *filter(os.path.isabs, names)}
            names = [name for name in names if self.plan.prefix + name in written or name in same]
        return digest_of(place, sorted(set(names)))


def version_key(version: Version) -> str:
    """The name under which a version's runs are stored."""
    return version.commit or f"release-{version.name}"


def _label(version: Version) -> str:
    short = version.commit[:10]
    names = version.name if not short or short.startswith(version.name) else f"{version.name} ({short})"
    return name_text(f"{names} {version.subject}".strip(), 72)


def coarse_to_fine(count: int) -> list[int]:
    """All numbers below ``count``, in bisection order: the ends, then the middles of what lies between, ever finer.

    Whoever stops early has seen the whole range.
    """
    order = list(dict.fromkeys((count - 1, 0))) if count else []
    gaps = [(0, count - 1)]
    for first, last in gaps:  # grows meanwhile
        middle = (first + last) // 2
        if first < middle:
            order.append(middle)
            gaps += [(first, middle), (middle, last)]
    return order


def next_to_refine(count: int, tried: Collection[int], jumps: Iterable[tuple[int, int]]) -> int | None:
    """The version whose measurement narrows a jump down: first both ends, then the middle of the first wide one.

    ``tried`` are versions that were measured or failed, ``jumps`` pairs of version numbers. None when every jump lies
    between neighbours, or between versions with nothing but failed ones among them.
    """
    for end in (count - 1, 0):
        if count and end not in tried:
            return end
    for baseline, target in jumps:
        inside = [number for number in range(baseline + 1, target) if number not in tried]
        if inside:
            return min(inside, key=lambda number: (abs(2 * number - baseline - target), number))
    return None


def duration_text(seconds: float) -> str:
    """Seconds for a person who waits: ``45 s``, ``12 min``, ``3 h 05 min``."""
    minutes = round(seconds / 60)
    if round(seconds) < 90:
        return f"{max(round(seconds), 1)} s"
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02d} min"
