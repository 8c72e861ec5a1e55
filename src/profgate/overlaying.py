"""Reads the files of a comparison, pairs them and overlays both sides, one part at a time if they are many."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import closing
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from profgate.attribution.identity import SourcePairing
from profgate.compare.overlay import OverlayInput, overlay
from profgate.compare.recordings import Recordings, in_parts, move_last, read_recordings
from profgate.compare.runs import nesting, without_empty_parts
from profgate.compare.workloads import pair
from profgate.errors import ComparisonError, ProfgateError
from profgate.io.files import LARGEST_PROFILE
from profgate.io.workers import done, processors, return_memory
from profgate.loading import read_sources
from profgate.model.record import replace
from profgate.model.source import SourceFile, source_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from profgate.attribution.function_changes import FunctionChanges
    from profgate.compare.columns import CompareOptions
    from profgate.model.attribution import SourceDiff
    from profgate.model.comparison import Comparison
    from profgate.model.history import Recorded
    from profgate.model.manifest import Manifest
    from profgate.model.profile import Profile
    from profgate.model.reason import NotCompared, Reason

MANY = 100  # number of workloads below which starting a process takes more time than it saves
WORKLOADS_PER_BATCH = 1000  # workloads of a part that are compared before their profiles are removed
PARTS, MOST_IN_PART = 64, 25  # number of parts of the files for several processes, and maximum workloads of a part
TASKS_PER_FORK = 2500  # number of tasks of the same processes, which copy the memory that they use

Files = Sequence[Sequence[SourceFile]]  # of the baseline, of the target and of each base job
Functions = Callable[[], "FunctionChanges | None"]


class ComparedPart(NamedTuple):
    """The results for one part of the files. ``names`` are the names of its workloads.

    ``unreadable`` and ``alone`` are workloads with unusable files and workloads of one side. ``missing`` are those that
    could not be compared. ``lost`` contains the functions of workloads that only the baseline has.
    """

    comparisons: list[Comparison]
    missing: list[NotCompared]
    unreadable: list[NotCompared]
    alone: list[NotCompared]
    warnings: list[Reason]
    names: list[str]
    lost: list[tuple[str, Recorded]]

    def add(self, other: ComparedPart) -> None:
        """Add the results for another part."""
        for name in self._fields:
            getattr(self, name).extend(getattr(other, name))


class _Part:
    """A task that reads and compares one part of the files. It can be sent to another process."""

    def __init__(
        self,
        files: Files,
        manifests: Sequence[Manifest | None],
        beside: OverlayInput,
        pairing: Callable[[], SourcePairing],
        others: Collection[str] | None,
    ) -> None:
        """``others`` are names of workloads of other parts, or None for a single part.

        ``pairing`` is called after the files were read.
        """
        self.files, self.manifests, self.beside, self.pairing, self.others = files, manifests, beside, pairing, others

    def __call__(self) -> tuple[ComparedPart, Recordings]:
        """Also return the profiles that may belong to a workload with files in other parts."""
        # Step 1: Read the files in a single call, which allows both sides to be read in parallel.
        every = [source for sources in self.files for source in sources]
        results = read_sources(every)
        made = read_recordings(self.files, results, manifests=self.manifests, named=self.beside.named)
        last = _no_recordings(self.files)
        if self.others is not None:
            move_last(made, last)
        del results  # otherwise, this reference would keep every profile in memory
        return _compared_part(made, replace(self.beside, pairing=self.pairing()), self.others), last

    def with_contents(self) -> _Part:
        """Return a part with the contents of its files, for a machine that may not have them."""
        files = [[_in_memory(source) for source in sources] for sources in self.files]
        return _Part(files, self.manifests, self.beside, self.pairing, self.others)


def _recorded(profiles: Sequence[Profile], options: CompareOptions) -> Recorded:
    """Return the functions of a workload; none if its values overflow."""
    from profgate.compare.readings import recorded_of, summarised

    try:
        runs = [run for profile in profiles for run in summarised(profile, options)]
    except ComparisonError:
        runs = []
    return recorded_of(chain.from_iterable(runs), truncated=any(profile.facts.truncated for profile in profiles))


def compared_parts(
    sides: Files,
    manifests: Sequence[Manifest | None],
    beside: OverlayInput,
    diff: SourceDiff | None,
    functions: Functions,
    executor: Executor | None,
) -> ComparedPart:
    """Return the results of all parts of the files. ``functions`` returns what the source ``diff`` changed.

    If there are many workloads, one part of the files is read and overlaid at a time, which limits the memory.
    """
    files = _without_nesting(sides)
    # a database connection works only in the process that opened it
    shared = beside.past is None and (executor is not None or len(files[0]) + len(files[1]) >= 2 * MANY)
    divided = in_parts(files, MOST_IN_PART, PARTS if shared else 1)
    if len(divided) == 1:
        return _Part(files, manifests, beside, lambda: SourcePairing(diff, functions()), None)()[0]
    pairing = partial(SourcePairing, diff, functions())
    parts = [_Part(part, manifests, beside, pairing, frozenset()) for part in divided]
    whole, last = ComparedPart([], [], [], [], [], [], []), _no_recordings(files)
    with closing(_results_of_parts(parts, executor, shared=shared)) as results:
        for part, (found, late) in zip(parts, results, strict=True):
            names = frozenset(whole.names)
            # if a workload of another part has the same name, this one needs a longer name
            alone = names.isdisjoint(found.names)
            whole.add(found if alone else _Part(part.files, manifests, beside, pairing, names)()[0])
            for profiles, of_part in zip(last.profiles, late.profiles, strict=True):
                profiles.extend(of_part)
    whole.add(_compared_part(last, replace(beside, pairing=pairing()), frozenset(whole.names)))
    return whole


def _without_nesting(files: Files) -> Files:
    """Leave out folders that all files of one side share and the other side lacks, such as the name of an artifact."""
    names = [[source.name for source in sources] for sources in files]
    made = []
    for place, sources in enumerate(files):
        prefix = nesting(names[place], names[place != 1])
        whole = without_empty_parts(sources)
        made.append([replace(source, name=source.name.removeprefix(prefix)) for source in whole])
    return made


def _results_of_parts(
    parts: list[_Part], executor: Executor | None, *, shared: bool
) -> Generator[tuple[ComparedPart, Recordings]]:
    if executor is None or not shared:
        yield from done(parts, processors() if shared else 1)
        return
    from profgate.io.executors import results_of

    yield from results_of((part.with_contents() for part in parts), executor)


def _in_memory(source: SourceFile) -> SourceFile:
    if source.path is None:
        return source
    data = source.read(LARGEST_PROFILE)
    if len(data) > LARGEST_PROFILE:  # the reader of the contents would not notice that a part is missing
        raise ProfgateError(source.name, f"has more than {LARGEST_PROFILE:,} bytes, too many for --executor")
    return source_of(source.name, data)


def _no_recordings(files: Files) -> Recordings:
    return Recordings([[] for _ in files])


def in_processes(tasks: Sequence[Callable[[], Any]], many: int = MANY) -> list[Any]:
    """Run tasks and return their results in order. At least ``many`` tasks are run in several processes."""
    results: list[Any] = []
    if len(tasks) >= many:
        return_memory()  # before the processes share it
    for start in range(0, len(tasks), TASKS_PER_FORK):
        batch = tasks[start : start + TASKS_PER_FORK]
        results += done(batch, processors() if len(tasks) >= many else 1)
    return results


def _compared_part(files: Recordings, beside: OverlayInput, others: Collection[str] | None) -> ComparedPart:
    """Pair and align the profiles, and remove them from ``files``."""
    # Step 2: Pair the files that are runs of the same workload.
    baseline, target, *noise = files.profiles
    paired = pair(baseline, target, noise, others)
    part = ComparedPart(
        comparisons=[],
        missing=[],
        unreadable=list(files.unreadable),
        alone=list(paired.alone),
        warnings=[*files.warnings, *paired.warnings],
        names=[workload.name for workload in paired.workloads],
        lost=[(name, _recorded(own, beside.options)) for name, own in paired.lost.items()],
    )
    # Step 3: Align the sides of each workload.
    workloads = deque(paired.workloads)
    for profiles in files.profiles:
        profiles.clear()
    del paired  # otherwise, this reference would keep every profile in memory
    while workloads:
        count = min(len(workloads), WORKLOADS_PER_BATCH)
        tasks = [partial(overlay, workloads.popleft(), beside) for _ in range(count)]
        # a database connection works only in the process that opened it
        made = in_processes(tasks) if beside.past is None else [task() for task in tasks]
        for comparisons, missing in made:
            part.comparisons.extend(comparisons)
            part.missing.extend(missing)
    return part
