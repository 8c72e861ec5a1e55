"""Reads test durations from result files and folders."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from profgate import wiring
from profgate.compare.duration_table import run_of
from profgate.compare.past import runs_of as stored
from profgate.errors import ProfgateError, ProfileError
from profgate.history.history_store import open_history
from profgate.io.files import exists, sources_under
from profgate.model.durations import MARK, MOST_BYTES, DurationRun, durations_from_json
from profgate.model.profile import Profile
from profgate.model.source import SourceFile
from profgate.readers.benchmarks import TEST_RESULTS

FOLDER = "profgate-ranks"
_DIGITS = re.compile(r"([0-9]{1,18})")


def runs_in(place: str) -> list[DurationRun]:
    """Return the runs of a baseline, oldest first.

    Each file in the folder is a run, and all files below a sub-folder form one run. Raises ProfgateError if there are
    no runs.
    """
    if place == FOLDER and not exists(place):
        raise ProfgateError(place, "does not exist; 'profgate ranks record' stores baseline runs there")
    groups: dict[str, list[SourceFile]] = {}
    for source in sources_under(place):
        run, _, rest = source.name.partition("/")
        groups.setdefault(run, []).append(replace(source, name=rest or run))
    if not groups:
        raise ProfgateError(place, "contains no run; 'profgate ranks record' stores runs there")
    runs = [_run_of(sources, name) for name, sources in groups.items()]
    return sorted(runs, key=lambda run: (run.recorded, _in_order(run.label)))


def _in_order(label: str) -> tuple[tuple[str, int], ...]:
    """Return a sort key that orders numbers in a label by their value."""
    return tuple((part, 0) if number % 2 == 0 else ("", int(part)) for number, part in enumerate(_DIGITS.split(label)))


def stored_runs(folder: str) -> list[DurationRun]:
    """Return the runs in a history, in the order of recording. Raises ProfgateError if there are no runs."""
    with open_history(folder) as store:
        runs = stored(store.readings(), TEST_RESULTS)
    if not runs:
        raise ProfgateError(folder, "contains no durations; 'profgate store add' stores test results there")
    return runs


def run_at(places: Iterable[str], label: str, commit: str = "", recorded: str = "") -> DurationRun:
    """Read all results below these paths as one run.

    Raises ProfgateError if there are no results or a file is unreadable.
    """
    return _run_of([source for place in places for source in sources_under(place)], label, commit, recorded)


def _run_of(sources: Sequence[SourceFile], label: str, commit: str = "", recorded: str = "") -> DurationRun:
    """Return the results of one run.

    If the only source is a file from ``profgate ranks record``, the label, commit and time in this file are used.
    """
    if not sources:
        raise ProfgateError(label, "contains no results; check where the tests write their results")
    if len(sources) == 1 and MARK in sources[0].head[:200]:
        run = durations_from_json(sources[0].read(MOST_BYTES), sources[0].name)
        return replace(run, commit=run.commit or commit, recorded=run.recorded or recorded)
    return run_of(_profiles(sources), label, commit, recorded)


def _profiles(sources: Sequence[SourceFile]) -> Iterator[Profile]:
    for result in wiring.read_all(sources):
        if isinstance(result, ProfileError):
            raise result
        yield result
