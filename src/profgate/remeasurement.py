"""Measures both sides again in alternating order, and judges the report again based on the new profiles."""

import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from profgate import wiring
from profgate.compare.workloads import workload_name
from profgate.errors import ProfgateError, ProfileError
from profgate.io.files import sources_under
from profgate.io.processes import output_of
from profgate.judge.confirmation import Suspect, confirmed
from profgate.model.comparison import Comparison
from profgate.model.manifest import MANIFEST_NAME
from profgate.model.policy import Policy
from profgate.model.report import Report
from profgate.model.source import SourceFile
from profgate.model.tests import Second
from profgate.pipeline import PipelineInput

SIDES = ("baseline", "target")
FEWEST_RUNS, MOST_RUNS = 3, 50
Profiles = Mapping[str, Sequence[SourceFile]]  # profiles of each side


@dataclass(frozen=True, slots=True)
class Remeasurement:
    """A program that records profiles in the checkout of each side. ``timeout`` limits each run, in seconds."""

    program: Sequence[str]
    checkouts: Mapping[str, str]
    scratch: str
    runs: int
    timeout: float

    def profiles(self, deadline: float) -> Profiles:
        """Record both sides after a warm-up run, alternating the side that is recorded first.

        ``deadline`` is a value of ``time.monotonic``. Runs that are expected to end after the deadline are skipped. In
        the profiles, paths of files in the checkout of a side are relative to this checkout. Raises ProfgateError if
        there is not enough time for three runs of each side, or if a profile cannot be read.
        """
        start = time.monotonic()
        self._record_both(0)
        duration = time.monotonic() - start
        fitting = (deadline - time.monotonic()) / duration
        if fitting < FEWEST_RUNS:
            what = f"are too few for {FEWEST_RUNS} runs of each side; a pair of runs takes {duration:.0f} seconds"
            raise ProfgateError("--minutes", f"{what}; give more minutes, or let the program do less")
        found: dict[str, list[SourceFile]] = {side: [] for side in SIDES}
        for number in range(1, int(min(self.runs, fitting)) + 1):
            for side, profiles in self._record_both(number).items():
                found[side] += _as_run(profiles, number)
        return {side: _read_below(self.checkouts[side], sources) for side, sources in found.items()}

    def _record_both(self, number: int) -> Profiles:
        return {side: self._record(number, side) for side in (SIDES if number % 2 else reversed(SIDES))}

    def _record(self, number: int, side: str) -> list[SourceFile]:
        """Record one run of one side. Raises ProfgateError if the program writes no profiles."""
        sys.stderr.write(f"measuring {f'run {number} of {self.runs}' if number else 'warm-up'}, {side}\n")
        out = os.path.join(self.scratch, "out", side, str(number))  # noqa: PTH118 - the path is passed on as text
        os.makedirs(out)  # noqa: PTH103 - the path is a string
        environment = {"PROFGATE_SIDE": side, "PROFGATE_RUN": str(number), "PROFGATE_OUT": out}
        output_of(list(self.program), self.checkouts[side], environment, self.timeout)
        found = [source for source in sources_under(out) if source.name != MANIFEST_NAME]
        if not found:
            raise ProfgateError(f"run {number}, {side}", "wrote no profile to the folder that PROFGATE_OUT names")
        return found


def judged_again(
    report: Report, policy: Policy, suspects: Sequence[Suspect], profiles: Profiles, reading: Policy
) -> Report:
    """Judge the report again with the profiles of a second measurement.

    ``reading`` is the policy whose rules for names and filters apply to the new profiles. Raises ProfgateError if none
    of the suspects was measured again.
    """
    from profgate.detect.second_runs import second_measurement

    comparisons = wiring.overlays(PipelineInput(profiles["baseline"], profiles["target"], policy=reading, pages=0))
    by_place: dict[tuple[str, str], Comparison] = {(each.workload, each.metric.name): each for each in comparisons}
    if not any((suspect.workload, suspect.metric) in by_place for suspect in suspects):
        expected = ", ".join(sorted({suspect.workload for suspect in suspects}))
        measured = ", ".join(sorted({each.workload for each in comparisons}))
        what = f"has profiles of {measured}, but the findings are of {expected}; keep the names of files, and confirm"
        raise ProfgateError("PROFGATE_OUT", f"{what} each shard before the reports are merged")

    def second(suspect: Suspect) -> Second | None:
        comparison = by_place.get((suspect.workload, suspect.metric))
        if comparison is None:
            return None
        worse = 1 if suspect.lower_is_better else -1
        place = suspect.finding.location
        return second_measurement(comparison, place, total=suspect.total, subtree=suspect.subtree, worse=worse)

    return confirmed(report, policy, second)


def _read_below(checkout: str, sources: Sequence[SourceFile]) -> list[SourceFile]:
    """Read the profiles, and make the paths of files in the checkout relative to it.

    Otherwise, a function would have a different path on each side and count as a new function.
    """
    folders = {os.path.abspath(checkout), os.path.realpath(checkout)}  # noqa: PTH100 - the path is a string
    starts = tuple(f"{start}{folder}/" for start in ("", "file://") for folder in folders)
    found = []
    for source, profile in zip(sources, wiring.read_all(sources), strict=True):
        if isinstance(profile, ProfileError):
            raise profile
        files = [file and _without_start(file, starts) for file in profile.frames.files]
        found.append(replace(source, profile=replace(profile, frames=replace(profile.frames, files=files))))
    return found


def _without_start(file: str, starts: Sequence[str]) -> str:
    return next((file.removeprefix(start) for start in starts if file.startswith(start)), file)


def _as_run(sources: Sequence[SourceFile], number: int) -> list[SourceFile]:
    """Rename the files of one run so that they are paired by workload.

    For example, ``api.folded`` becomes a run of the workload ``api``.
    """
    times: dict[tuple[str, str], int] = {}
    named = []
    for source in sources:
        workload, suffix = workload_name(source.name), source.name.rpartition("/")[2].partition(".")[2]
        times[workload, suffix] = place = times.get((workload, suffix), 0) + 1
        named.append(replace(source, name=f"{workload}/{1000 * number + place}{f'.{suffix}' if suffix else ''}"))
    return named
