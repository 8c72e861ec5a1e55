"""The plan of ``profgate track``: measures the versions in the order of a bisection, each in its own checkout."""

import hashlib
import json
import os
import platform
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from pathlib import Path, PurePosixPath
from time import monotonic

import numpy as np

from profgate import loading
from profgate.compare.runs import in_run, in_runs, without_empty_parts, workload_name
from profgate.errors import ProfgateError, ProfileError
from profgate.io.environment import CPU_FILE, cpu_model
from profgate.io.files import sources_under
from profgate.io.processes import with_values
from profgate.measuring.checkouts import Checkout, checked_out
from profgate.measuring.track.benchmark_sources import copy_into, digest_at_line, digest_of_files, text_below
from profgate.measuring.track.evolution import evolution_of
from profgate.measuring.track.track_folder import LOG, OUTPUT, TrackFolder
from profgate.measuring.track.versions import (
    BenchmarkValue,
    Evolution,
    MeasuredVersion,
    TrackedRepository,
    TrackRun,
    Version,
)
from profgate.model.profile import Measurements, Profile
from profgate.model.record import Record, replace
from profgate.model.units import CALLS, Metric, MetricKind, base_unit
from profgate.model.visible_text import name_text
from profgate.report.numbers import counted
from profgate.report.wording import reason_text


class TrackPlan(Record):
    """The command and the versions to measure.

    ``setup`` is a shell command, and ``copied`` are paths that are copied into each worktree. ``timeout`` is in
    seconds. ``metric`` and ``min_change`` are those of `evolution_of`.
    """

    command: tuple[str, ...]
    versions: tuple[Version, ...]
    repository: TrackedRepository
    setup: str | None = None
    runs: int = 3
    timeout: float = 900.0
    copied: tuple[str, ...] = ()
    metric: str | None = None
    min_change: float | None = None

    @property
    def key(self) -> str:
        """Digest of the command, the setup and files outside of the versions. Comparable runs have the same digest."""
        outside = [name for name in self.named_files() if Path(name).is_absolute()]
        parts = [self.command, self.setup, self.copied, digest_of_files(".", [*self.copied, *outside])]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]

    def named_files(self) -> list[str]:
        """Return the arguments of the command that may be files of the benchmark."""
        found = []
        for place, argument in enumerate(self.command):
            name = argument.removeprefix("./")
            program = place == 0 and ("/" not in name or name.startswith("/"))  # that is installed
            if name and not program and not name.startswith(("-", "{")) and ".." not in PurePosixPath(name).parts:
                found.append(name)
        return found


class VersionRuns:
    """Runs of one version. ``root`` is the path of a new folder for the version."""

    def __init__(self, plan: TrackPlan, folder: TrackFolder, version: Version, root: str) -> None:
        self.plan, self.folder, self.version, self.root = plan, folder, version, root

    def measure(self) -> str:
        """Make the missing runs of the version. Return the reason for a failure, or "" on success."""
        name = f"version {name_text(self.version.name, 40)}"
        try:
            with checked_out(name, self.version.commit, self.root) as checkout:
                copy_into(checkout.place, self.plan.repository.prefix, self.plan.copied)
                if self.version == self.plan.versions[-1]:
                    checkout.report_missing(self.plan.setup)
                return self._make_runs(checkout.set_up(self.plan.setup, self.plan.timeout))
        except ProfgateError as error:
            if error.where.startswith(self.folder.folder):  # the version did not cause this error
                raise
            problem = str(error)
        except OSError as error:  # for example, the disk is full, or files of the version are unreadable
            problem = f"{error.filename or 'the worktree'}: {error.strerror}"
        with self.folder.attempt() as attempt:
            number = max(self.folder.records(self.version.commit), default=0) + 1
            self.folder.store(attempt, self.version.commit, number, TrackRun(problem=problem))
        return problem

    def _make_runs(self, checkout: Checkout) -> str:
        # a fixed hash seed fixes the order of sets, which makes call counts reproducible
        seed = {"PYTHONHASHSEED": os.environ.get("PYTHONHASHSEED", "0")}
        checkout = replace(checkout, environment={**checkout.environment, **seed})
        stored = self.folder.records(self.version.commit)
        for number in range(1, self.plan.runs + 1):
            if number not in stored:
                with self.folder.attempt() as attempt:
                    record = self._run(checkout, attempt)
                    self.folder.store(attempt, self.version.commit, number, record)
                if record.problem:
                    return record.problem
        return ""

    def _run(self, checkout: Checkout, attempt: Path) -> TrackRun:
        out, version = str(attempt / OUTPUT), self.version
        values = {"out": out, "source": checkout.place, "version": version.name, "commit": version.commit}
        # a name of a version may contain characters that a shell interprets, so arguments contain only the folder
        command = with_values(self.plan.command, {"out": out})
        outcome = checkout.run(command, self.plan.timeout, values, str(attempt / LOG))
        seconds = outcome.nanoseconds / 1e9
        if outcome.failure:
            return TrackRun(seconds=seconds, problem=outcome.problem)
        found = without_empty_parts(sources_under(out))
        read = loading.read_sources(found)
        warnings = tuple(f"{error}; left out" for error in read if isinstance(error, ProfileError))
        profiles = [replace(one, name=in_run(one.name, 1)) for one in read if not isinstance(one, ProfileError)]
        (runs,), unclear = in_runs([profiles])
        warnings += tuple(f"{workload}: {reason_text(reason, str)}; left out" for workload, reason in unclear.items())
        values_found = benchmark_values((workload_name(profile.name), profile) for profile in runs)
        if not found:
            wall = Metric("wall time", "nanoseconds", kind=MetricKind.TIMED)
            values_found = [BenchmarkValue(" ".join(self.plan.command), wall, float(outcome.nanoseconds))]
        if not values_found:
            reason = warnings[0] if warnings else "they are empty"
            return TrackRun(seconds=seconds, problem=f"no result in {len(found)} files of PROFGATE_OUT: {reason}")
        of_command = self._command_digest(checkout)
        known = []
        for value in values_found:
            text = text_below(checkout.folder, value.file) if value.file else None
            own = None if text is None else digest_at_line(str(value.file), value.line, text)
            known.append(replace(value, source=own or of_command))
        return TrackRun(tuple(known), seconds, machine(), warnings=warnings)

    def _command_digest(self, checkout: Checkout) -> str | None:
        """Return a digest of the files that the command names.

        Only committed or copied files count, because files that a setup builds differ in every version.
        """
        plan = self.plan
        committed = plan.repository.files(self.version.commit)
        inside = {name for name in plan.named_files() if plan.repository.prefix + name in committed}
        outside = {name for name in plan.named_files() if name in plan.copied or Path(name).is_absolute()}
        return digest_of_files(checkout.folder, inside | outside)


def machine(cpu_file: str = CPU_FILE) -> str:
    """Return a description of the machine, because times from different machines are not comparable."""
    return f"{platform.system()} {platform.machine()}, {cpu_model(cpu_file) or platform.machine()}"


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


class Track:
    """A plan and the folder that stores its runs. ``report`` receives progress messages."""

    def __init__(self, plan: TrackPlan, folder: TrackFolder, report: Callable[[str], None]) -> None:
        self.plan, self.folder = plan, folder
        self._report = report

    def measured_versions(self) -> list[MeasuredVersion]:
        """Return the results of all versions, in order."""
        return [self._measured(version) for version in self.plan.versions]

    def evolution(self) -> Evolution:
        """Return the evolution of the measured versions. Raises ComparisonError if no version was measured."""
        plan = self.plan
        evolution = evolution_of(plan.repository.name, self.measured_versions(), plan.metric, plan.min_change)
        return replace(evolution, command=" ".join(plan.command))

    def measure(self, root: str) -> None:
        """Measure the versions that lack runs. ``root`` is the path of a folder for one version.

        Failed runs are made again, because the environment may have caused the failure.
        """
        versions = self.plan.versions
        waiting = sum(map(self._lacks_runs, versions))
        self._report(f"{waiting} of {len(versions)} versions to measure; finished runs stay stored if this is stopped")
        seconds: list[float] = []
        missing = [number for number in coarse_to_fine(len(versions)) if self._lacks_runs(versions[number])]
        for left, number in zip(reversed(range(len(missing))), missing, strict=True):
            version, start = versions[number], monotonic()
            self.folder.drop_failed(version.commit)
            before = len(self.folder.records(version.commit))
            problem = VersionRuns(self.plan, self.folder, version, root).measure()
            seconds.append(monotonic() - start)
            runs = counted(len(self.folder.records(version.commit)) - before, "run")
            result = f"skipped: {problem}" if problem else f"{runs} in {_duration(seconds[-1])}"
            rest = f"; {left} left, about {_duration(statistics.median(seconds) * left)}" if left else ""
            self._report(f"{_label(version)}: {result}{rest}")

    def _lacks_runs(self, version: Version) -> bool:
        records = self.folder.records(version.commit).values()
        return sum(not record.problem for record in records) < self.plan.runs

    def _measured(self, version: Version) -> MeasuredVersion:
        records = self.folder.records(version.commit).values()
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


def _duration(seconds: float) -> timedelta:
    return timedelta(seconds=round(seconds))  # printed in the form 0:00:45


def _label(version: Version) -> str:
    short = version.commit[:10]
    names = version.name if not short or short.startswith(version.name) else f"{version.name} ({short})"
    return name_text(f"{names} {version.subject}".strip(), 72)


def coarse_to_fine(count: int) -> list[int]:
    """Return all numbers below ``count`` in bisection order, so that the first few cover the whole range."""
    order = list(dict.fromkeys((count - 1, 0))) if count else []
    gaps = [(0, count - 1)]
    for first, last in gaps:  # the list is extended inside the loop
        middle = (first + last) // 2
        if first < middle:
            order.append(middle)
            gaps += [(first, middle), (middle, last)]
    return order
