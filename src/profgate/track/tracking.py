"""Selects and orders the versions of a plan, measures them, and collects the results."""

import statistics
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from time import monotonic

from profgate.model.visible_text import name_text
from profgate.report.numbers import counted
from profgate.track.evolution import evolution_of
from profgate.track.measuring import TrackPlan, VersionRuns
from profgate.track.track_folder import TrackFolder
from profgate.track.versions import Evolution, MeasuredVersion, Version


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
        evolution = evolution_of(self.plan.repository.name, self.measured_versions(), self.plan.options)
        return replace(evolution, command=" ".join(self.plan.command))

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
