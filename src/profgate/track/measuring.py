"""The plan of ``profgate track``, and the measurement of one version: checkout, setup, and the runs still missing."""

import glob
import hashlib
import json
import os
import platform
import re
import shlex
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

import numpy as np

from profgate import wiring
from profgate.compare.workloads import workload_name
from profgate.errors import ProfgateError, ProfileError
from profgate.io.environment import CPU_FILE, cpu_model
from profgate.io.files import confined, sources_under
from profgate.io.git import without_git
from profgate.io.processes import Outcome, run_command, variables, with_values
from profgate.io.worktrees import worktree
from profgate.model.profile import Measurements, Profile
from profgate.model.units import CALLS, Metric, MetricKind, base_unit
from profgate.track.benchmark_sources import copy_into, digest_at_line, digest_of_files, files_matching, text_below
from profgate.track.evolution import EvolutionOptions
from profgate.track.git_versions import TrackedRepository
from profgate.track.track_folder import LOG, OUTPUT, TrackFolder
from profgate.track.versions import BenchmarkValue, TrackRun, Version

INSTALLERS = {  # commands that install a version, by a part of the error message if it is not installed
    "No module named": "pip install {}",
    "Cannot find module": "npm ci --prefix {}",
    "Cannot find package": "npm ci --prefix {}",
}
PLAIN_NAME = re.compile(r"[\w.+@/:~^=,%-]*")


@dataclass(frozen=True, slots=True)
class TrackPlan:
    """The command and the versions to measure. ``repository`` is None if a setup command installs the versions.

    ``copied`` paths are copied into each worktree, and ``sources`` are patterns of the sources of benchmarks. With
    ``here``, the command runs in the current folder. With ``refine``, only versions that narrow down a jump are
    measured. ``timeout`` is in seconds.
    """

    command: tuple[str, ...]
    versions: tuple[Version, ...]
    repository: TrackedRepository | None
    setup: tuple[tuple[str, ...], ...] = ()
    runs: int = 3
    timeout: float = 1800.0
    here: bool = False
    copied: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    refine: bool = False
    options: EvolutionOptions = field(default_factory=EvolutionOptions)

    @property
    def prefix(self) -> str:
        """Path of the current folder relative to the top of the repository."""
        return self.repository.prefix if self.repository is not None else ""

    @property
    def program(self) -> str:
        """Name of the program: the name of the repository, of the package that is installed, or of the folder."""
        if self.repository is not None:
            return self.repository.name
        # installers take arguments such as shop=={version} and shop@v{version}
        packages = (part.partition("{version}")[0].removesuffix("v") for command in self.setup for part in command)
        names = (package.rstrip("=@") for package in packages if package.endswith(("==", "@")))
        return next(filter(None, names), Path.cwd().name)

    @property
    def key(self) -> str:
        """Digest of the command, the setup and files in the current folder. Comparable runs have the same digest."""
        patterns = [*map(glob.escape, self.copied), *(self.sources if self.here else ())]
        files = {name for pattern in patterns for name in files_matching(".", pattern)}
        files |= {name for name in self.named_files() if self.here or Path(name).is_absolute()}
        digest = digest_of_files(".", sorted(files))
        parts = [self.command, self.setup, self.here, self.copied, digest, not self.repository]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]

    def warnings(self) -> Iterator[str]:
        """Yield warnings about uncommitted changes and submodules, which are not measured."""
        if self.repository is None:
            return
        if not self.here and self.repository.is_dirty():
            yield "changes that are not committed are not measured; --bring copies files from here"
        if not self.setup and ".gitmodules" in self.repository.files(self.versions[-1].commit):
            yield "submodules are not checked out; --setup 'git submodule update --init' does that"

    def named_files(self) -> list[str]:
        """Return the arguments of the command that may be files of the benchmark."""
        program = self.command[0]
        arguments = [*self.command[1:], *([program] if "/" in program and not program.startswith("/") else [])]
        names = (argument.removeprefix("{source}/").removeprefix("./") for argument in arguments)
        possible = (name for name in names if name and not name.startswith(("-", "{")))
        return [name for name in possible if ".." not in PurePosixPath(name).parts]


class VersionRuns:
    """Runs of one version. ``source`` is the path of a new folder for the sources of the version."""

    def __init__(self, plan: TrackPlan, folder: TrackFolder, version: Version, source: str) -> None:
        self.plan, self.folder, self.version, self.source = plan, folder, version, source
        self.place = "." if plan.here else str(Path(source, plan.prefix))

    def measure(self) -> str:
        """Make the missing runs of the version. Return the reason for a failure, or "" on success."""
        try:
            with self._checkout():
                problem = self._set_up()
                if not problem:
                    return self._make_runs()
        except ProfgateError as error:
            if error.where.startswith(self.folder.folder):  # the version did not cause this error
                raise
            problem = str(error)
        except OSError as error:  # for example, the disk is full, or files of the version are unreadable
            problem = f"{error.filename or 'the worktree'}: {error.strerror}"
        with self.folder.attempt() as attempt:
            number = max(self.folder.records(self.version.key), default=0) + 1
            self.folder.store(attempt, self.version.key, number, TrackRun(problem=problem))
        return problem

    @contextmanager
    def _checkout(self) -> Iterator[None]:
        if self.plan.repository is None:
            Path(self.source).mkdir()
            try:
                yield
            finally:
                shutil.rmtree(self.source, ignore_errors=True)
            return
        with worktree(self.version.commit, self.source, self.plan.repository.top):
            if not self.plan.here:
                confined(self.place, self.source)
            copy_into(self.source, self.plan.prefix, self.plan.copied)
            yield

    def _set_up(self) -> str:
        for command in self.plan.setup:
            with self.folder.attempt() as attempt:
                outcome = self._execute(command, attempt, self.source)
            if outcome.problem:
                return f"setup: {outcome.problem}"
        if self.plan.repository is None:
            self.folder.sources.store(self.version.key, self.source)
        return ""

    def _make_runs(self) -> str:
        stored = self.folder.records(self.version.key)
        for number in range(1, self.plan.runs + 1):
            if number not in stored:
                with self.folder.attempt() as attempt:
                    record = self._run(attempt)
                    self.folder.store(attempt, self.version.key, number, record)
                if record.problem:
                    return record.problem
        return ""

    def _run(self, attempt: Path) -> TrackRun:
        outcome = self._execute(self.plan.command, attempt, self.place)
        seconds = outcome.nanoseconds / 1e9
        if outcome.problem:
            return TrackRun(seconds=seconds, problem=outcome.problem + self._setup_advice(outcome.problem))
        found = sources_under(str(attempt / OUTPUT))
        read = wiring.read_sources(found)
        warnings = tuple(f"{error}; left out" for error in read if isinstance(error, ProfileError))
        profiles = [profile for profile in read if not isinstance(profile, ProfileError)]
        values = benchmark_values((workload_name(profile.name), profile) for profile in profiles)
        if not found:
            values = [BenchmarkValue(" ".join(self.plan.command), WALL, float(outcome.nanoseconds))]
        if not values:
            reason = warnings[0] if warnings else "they are empty"
            return TrackRun(seconds=seconds, problem=f"no result in {len(found)} files of PROFGATE_OUT: {reason}")
        of_command = self._command_digest()
        known = tuple(replace(value, source=self._own_digest(value) or of_command) for value in values)
        return TrackRun(known, seconds, machine(), warnings=warnings)

    def _setup_advice(self, problem: str) -> str:
        """Return the missing option --setup if the command failed because the version is not installed."""
        installers = (command for part, command in INSTALLERS.items() if part in problem and not self.plan.setup)
        command = next(installers, "").format(shlex.quote(f"./{self.plan.prefix}" if self.plan.prefix else "."))
        return command and f"; to install each version, use --setup {shlex.quote(command)}"

    def _execute(self, command: Sequence[str], attempt: Path, place: str) -> Outcome:
        """Fill in the placeholders of a command and run the command. Raises ProfgateError for unsafe version names."""
        version = self.version
        if any("{version}" in argument for argument in command) and not PLAIN_NAME.fullmatch(version.name):
            what = "its name has characters that a shell interprets; use the variable PROFGATE_VERSION"
            raise ProfgateError("{version}", what)
        out = str(attempt / OUTPUT)
        values = {"out": out, "source": self.source, "version": version.name, "commit": version.commit}
        # a fixed hash seed fixes the order of sets, which makes call counts reproducible
        environment = {"PYTHONHASHSEED": "0"} | without_git(os.environ) | variables(values)
        return run_command(
            with_values(command, values),
            folder=place,
            environment=environment,
            log=str(attempt / LOG),
            timeout=self.plan.timeout,
            on_start=self.folder.note_started,
        )

    def _own_digest(self, value: BenchmarkValue) -> str | None:
        """Return the digest of the benchmark's source, which is located by --source or by the result."""
        if self.plan.sources:
            patterns = [pattern.replace("{benchmark}", glob.escape(value.benchmark)) for pattern in self.plan.sources]
            names = {name for pattern in patterns for name in files_matching(self.place, pattern)}
            return digest_of_files(self.place, sorted(names))
        text = text_below(self.place, value.file) if value.file else None
        return digest_at_line(value.file, value.line, text) if value.file and text is not None else None

    def _command_digest(self) -> str | None:
        """Return a digest of the files that the command names."""
        plan, names = self.plan, self.plan.named_files()
        if plan.repository is not None and not plan.here:
            # only committed or copied files are used, because files built by a setup command differ in every version
            committed = plan.repository.files(self.version.commit)
            copied = {*plan.copied, *filter(os.path.isabs, names)}
            names = [name for name in names if plan.prefix + name in committed or name in copied]
        return digest_of_files(self.place, sorted(set(names)))


def machine(cpu_file: str = CPU_FILE) -> str:
    """Return a description of the machine, because times from different machines are not comparable."""
    return f"{platform.system()} {platform.machine()}, {cpu_model(cpu_file) or platform.machine()}"


WALL = Metric("wall time", "nanoseconds", kind=MetricKind.TIMED)


def benchmark_values(profiles: Iterable[tuple[str, Profile]]) -> list[BenchmarkValue]:
    """Return the totals of each pair of workload name and profile, and the median of each benchmark in a result file.

    A number of calls is a deterministic metric. Metrics without a better direction are omitted.
    """
    known = list(profiles)
    results = (profile for _, profile in known if profile.measurements is not None)
    files_of = Counter(name for profile in results for name in set(profile.frames.names))
    found: list[BenchmarkValue] = []
    for workload, profile in known:
        if profile.measurements is not None:
            found += _medians(workload, profile, profile.measurements, files_of)
        else:
            found += (BenchmarkValue(workload, metric, value) for metric, value in _totals(profile))
    return [value for value in found if value.metric.directed]


def _totals(profile: Profile) -> Iterator[tuple[Metric, float]]:
    stacks, graph = profile.stacks, profile.graph
    for place, metric in enumerate(profile.metrics):
        if stacks is not None:
            total = int(stacks.values[place].sum()) + int(stacks.root_values[place])
        elif graph is not None:
            total = int(graph.self_value[place].sum())
        else:
            continue
        yield replace(metric, exponent=0), float(total) * metric.scale
    calls = graph.calls if graph is not None else stacks.calls if stacks is not None else None
    if calls is not None and calls.any() and all(metric.name != CALLS.name for metric in profile.metrics):
        yield CALLS, float(int(calls.sum()))


def _medians(
    workload: str, profile: Profile, results: Measurements, files_of: Counter[str]
) -> Iterator[BenchmarkValue]:
    """Yield the median of each benchmark. If several files contain the benchmark, the workload is added to the name."""
    frames = profile.frames
    for place, metric in enumerate(profile.metrics):
        unit, factor, power = base_unit(metric.unit)
        base_metric = replace(metric, unit=unit, exponent=0)
        usable = results.of_metric(place) & np.isfinite(results.amount)
        order = np.argsort(results.frame[usable], kind="stable")
        frame, amount = results.frame[usable][order], results.amount[usable][order]
        numbers, starts = np.unique(frame, return_index=True)
        for number, amounts in zip(numbers.tolist(), np.split(amount, starts[1:]), strict=True):
            name = frames.names[number]
            title = name if files_of[name] == 1 else f"{workload}: {name}"
            value = float(np.median(amounts)) * factor * 10.0**power
            yield BenchmarkValue(title, base_metric, value, frames.files[number], frames.lines[number])
