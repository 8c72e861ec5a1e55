"""Reads test durations from results and from a history for ``profgate ranks``."""

import re
from collections.abc import Iterable, Sequence

from profgate import loading
from profgate.compare.duration_table import run_of
from profgate.compare.readings import runs_of as stored
from profgate.errors import ProfgateError
from profgate.history.history_store import open_history
from profgate.io.files import sources_under
from profgate.model.durations import DurationRun
from profgate.model.record import replace
from profgate.model.source import SourceFile
from profgate.readers.benchmarks import TEST_RESULTS

_DIGITS = re.compile(r"([0-9]{1,18})")


def runs_in(place: str) -> list[DurationRun]:
    """Return the runs of a baseline, oldest first: each file in the folder, and all files of each sub-folder as one.

    Raises ProfgateError if there are no runs.
    """
    groups: dict[str, list[SourceFile]] = {}
    for source in sources_under(place):
        run, _, rest = source.name.partition("/")
        groups.setdefault(run, []).append(replace(source, name=rest or run))
    if not groups:
        raise ProfgateError(place, "contains no run; store a file or folder with the results of each run there")
    runs = [_run_of(sources, name) for name, sources in groups.items()]
    return sorted(runs, key=lambda run: _in_order(run.label))


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


def run_at(places: Iterable[str], label: str) -> DurationRun:
    """Read all results below these paths as one run. Raises ProfgateError if there are none or a file is unreadable."""
    return _run_of([source for place in places for source in sources_under(place)], label)


def _run_of(sources: Sequence[SourceFile], label: str) -> DurationRun:
    if not sources:
        raise ProfgateError(label, "contains no results; check where the tests write their results")
    return run_of(loading.readable_profiles(sources), label)
