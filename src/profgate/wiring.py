"""Selects the readers and strategies, including those from plugins, and reads large input in subprocesses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from profgate.errors import ComparisonError, ProfgateError, ProfileError
from profgate.io.converters import converted
from profgate.io.files import dereferenced, referenced
from profgate.io.packages import registers
from profgate.io.workers import done, processors
from profgate.model.source import SourceFile
from profgate.pipeline import (
    Built,
    ComparedPart,
    Files,
    PipelineInput,
    Progress,
    build_report,
    compare_sources,
    in_turn,
    metric_report_of,
    silent,
)
from profgate.readers.reader import collection_paused
from profgate.readers.registry import read_or_error, readers_with, splitting_reader

if TYPE_CHECKING:
    from profgate.compare.recordings import Reader
    from profgate.detect.strategy import Strategy
    from profgate.io.executors import TaskRunner
    from profgate.model.attribution import SourceDiff
    from profgate.model.comparison import Comparison
    from profgate.model.profile import Profile
    from profgate.readers.reader import SplittingReader
from profgate.readers.registry import Readers

GZIP, ZSTANDARD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
PACKING = 8
LARGE = 16 << 20  # total number of bytes below which starting a process takes more time than it saves
FILE = 32 << 10  # number of bytes that can be read in the time that opening a file takes
MANY = 100  # number of workloads below which starting a process takes more time than it saves
AT_ONCE = 2500  # number of tasks of the same processes, which copy the memory that they use
IN_TASK = 25  # number of metrics in a task of an executor
PART = 64 << 20  # number of bytes of a file that one task reads
MOST_PARTS = 16  # maximum number of parts of a file; all names are parsed again for each part


@cache
def _outside(group: str) -> tuple[Any, ...]:
    """Return the plugins registered for an entry point group. Raises ProfgateError if a plugin cannot be loaded."""
    if not registers(group):
        return ()
    from importlib.metadata import entry_points

    parts = []
    for point in sorted(entry_points(group=group), key=lambda point: point.name):
        try:
            parts.append(point.load()())
        except (Exception, SystemExit) as error:  # a plugin may raise any exception
            raise ProfgateError(f"entry point {group}: {point.name}", f"cannot be loaded: {error}") from error
    return tuple(parts)


def strategies() -> tuple[Strategy, ...]:
    """Return the built-in strategies and the strategies of plugins."""
    from profgate.detect.builtin import all_strategies  # imported here because commands that only draw do not need it

    return all_strategies(_outside("profgate.strategies"))


@cache
def readers() -> Readers:
    """Return the readers, in the order in which they are tried."""
    from profgate.io.native import NativeKernels

    return readers_with(_outside("profgate.readers"), NativeKernels())


def read_sources(sources: Sequence[SourceFile], progress: Progress = silent) -> list[Profile | ProfileError]:
    """Read every source and return the results in the same order. Large input is read in parts by subprocesses.

    ``progress`` is called before the first file and after each file.
    """
    unread = iter(_read_anew([converted(source) for source in sources if source.profile is None], progress))
    return [next(unread) if source.profile is None else source.profile for source in sources]


def readable_profiles(sources: Sequence[SourceFile]) -> list[Profile]:
    """Read every source and return its profile. Raises the error of the first source that cannot be read."""
    profiles = []
    for result in read_sources(sources):
        if isinstance(result, ProfileError):
            raise result
        profiles.append(result)
    return profiles


def _read_anew(sources: Sequence[SourceFile], progress: Progress) -> list[Profile | ProfileError]:
    read = partial(read_or_error, readers=readers())
    sizes = [source.size for source in sources]
    large = sum(map(_work, sources)) >= LARGE
    # files of equal size are shared evenly without joining parts afterwards
    even = len(sizes) % processors() == 0 and 10 * max(sizes, default=0) < 11 * min(sizes, default=0)
    work = [_Reading(source, read, split=large and not even) for source in sources]
    tasks = [(reading, task) for reading in work for task in reading.tasks]
    finished, size = 0, max(sum(sizes), 1)
    progress("reading profiles", 0)
    for number, result in done([task for _, task in tasks], processors() if large else 1):
        reading, task = tasks[number]
        reading.results[task] = result
        if len(reading.results) == len(reading.tasks):
            finished += reading.source.size
            progress("reading profiles", finished / size)
    return [reading.profile() for reading in work]


class _Reading:
    """The tasks that read one source, either as a whole or in parts that are joined afterwards."""

    def __init__(
        self, source: SourceFile, read: Callable[[SourceFile], Profile | ProfileError], *, split: bool
    ) -> None:
        self.source, self._read = source, read
        self._splitter = splitting_reader(source, readers()) if split and source.size >= LARGE else None
        self.results: dict[Callable[[], Any], Any] = {}
        self.tasks: list[Callable[[], Any]] = [partial(read, source)]
        if self._splitter is not None:
            count = min(max(source.size // PART, 1), MOST_PARTS)
            starts = [number * source.size // count for number in range(count)]
            scan = partial(_scanned, self._splitter, source)
            self.tasks = [partial(scan, start, stop) for start, stop in zip(starts, [*starts[1:], None], strict=True)]

    def profile(self) -> Profile | ProfileError:
        """Join the results of all tasks. After an error, read the whole file to obtain the correct line number."""
        results = [self.results[task] for task in self.tasks]
        if self._splitter is None:
            whole: Profile | ProfileError = results[0]
            return whole
        try:
            return self._splitter.join(self.source, results) if None not in results else self._read(self.source)
        except ProfileError:
            return self._read(self.source)


def _scanned(reader: SplittingReader[Any], source: SourceFile, start: int, stop: int | None) -> object:
    try:
        return reader.scan(source, start, stop)
    except ProfileError:
        return None


def _work(source: SourceFile) -> int:
    """Return the estimated number of bytes to read, after decompression if the source is compressed."""
    packed = source.head.startswith((GZIP, ZSTANDARD))
    return FILE + source.size * (PACKING if packed else 1)


def in_processes(tasks: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run the tasks of a comparison and return their results in order. Many tasks are run in several processes."""
    found: list[Any] = []
    for start in range(0, len(tasks), AT_ONCE):
        part = tasks[start : start + AT_ONCE]
        results = dict(done(part, processors() if len(tasks) >= MANY else 1))
        found += (results[number] for number in range(len(part)))
    return found


def _spread(parts: Sequence[Files], compared: Callable[[Files, Reader], ComparedPart]) -> Iterator[ComparedPart]:
    """Compare the parts of the files in several processes."""
    found, place = dict[int, ComparedPart](), 0
    for number, result in done([partial(compared, part, read_sources) for part in parts], processors()):
        found[number] = result
        while place in found:
            yield found.pop(place)
            place += 1


def _reader(progress: Progress) -> Reader:
    def read(sources: Sequence[SourceFile]) -> list[Profile | ProfileError]:
        found = read_sources(sources, progress)
        progress("comparing", 0)
        return found

    return read


def tests_in(sources: Sequence[SourceFile]) -> int:
    """Return the number of tests in these files, or 0 if any file contains no test results or cannot be read."""
    from profgate.compare.duration_table import is_table_of_durations

    count = 0
    for profile in read_sources(sources):
        if isinstance(profile, ProfileError) or not is_table_of_durations(profile):
            return 0
        count += len(profile.frames.names)
    return count


def compare(given: PipelineInput, progress: Progress = silent, runner: TaskRunner | None = None) -> Built:
    """Compare the input and return the judged report and its pages. ``runner`` distributes the work."""
    if runner is None:
        many = len(given.baseline) + len(given.target) >= 2 * MANY
        with collection_paused():  # the results contain no cycles
            divided = _spread if many else None
            return build_report(given, _reader(progress), strategies(), in_processes, progress, divided)

    def run(tasks: Sequence[Callable[[], Any]]) -> list[Any]:
        """Send the tasks that take longer than sending their arguments."""
        if len(tasks) < MANY or getattr(tasks[0], "func", None) is not metric_report_of:
            return in_turn(tasks)
        from profgate.model.report import MetricReport

        parts = (partial(in_turn, tasks[start : start + IN_TASK]) for start in range(0, len(tasks), IN_TASK))
        return list(chain.from_iterable(runner(parts, list[MetricReport])))

    def spread(parts: Sequence[Files], compared: Callable[[Files, Reader], ComparedPart]) -> Iterator[ComparedPart]:
        """Send references to the files."""
        referring = ([[referenced(source) for source in sources] for sources in part] for part in parts)
        return runner((partial(compared, part, read_referenced) for part in referring), ComparedPart)

    return build_report(given, _reader(progress), strategies(), run, progress, spread)


def read_referenced(sources: Sequence[SourceFile]) -> list[Profile | ProfileError]:
    """Read sources that are references to files. A file with another content is an error."""
    found: list[SourceFile | ProfileError] = []
    for source in sources:
        try:
            found.append(dereferenced(source))
        except ProfgateError as error:
            found.append(ProfileError(error.where, error.what))
    read = iter(read_sources([source for source in found if isinstance(source, SourceFile)]))
    return [source if isinstance(source, ProfileError) else next(read) for source in found]


def overlays(given: PipelineInput, progress: Progress = silent) -> list[Comparison]:
    """Return the comparisons without judging them, for commands that only draw or tabulate.

    Raises ComparisonError with the reasons if nothing can be compared.
    """
    compared = compare_sources(given, _reader(progress), progress=progress)
    if not compared.comparisons:
        from profgate.report.wording import reason_text

        names = (" ".join(filter(None, (entry.name, entry.metric))) for entry in compared.not_compared)
        reasons = (reason_text(entry.reason, str) for entry in compared.not_compared)
        raise ComparisonError("; ".join(f"{name}: {reason}" for name, reason in zip(names, reasons, strict=True)))
    return list(compared.comparisons)


def with_texts(diff: SourceDiff) -> SourceDiff:
    """Add the texts of all files for which the diff contains blob ids. Texts are read from git or the working tree."""
    from profgate.attribution.dependencies import wanted_texts  # imported only if there is a diff
    from profgate.io.git import blob_texts, texts_of_files
    from profgate.model.attribution import SourceTexts

    wanted_before, wanted_after = wanted_texts(diff)
    before = {
        file.previous_path: file.blobs[0] for file in diff.files if file.blobs and file.previous_path in wanted_before
    }
    after = {file.path: file.blobs[1] for file in diff.files if file.blobs and file.path in wanted_after}
    if not before and not after:
        return diff
    stored = blob_texts([*before.values(), *after.values()])
    here = texts_of_files({path: blob for path, blob in after.items() if blob not in stored})
    texts = SourceTexts(
        {path: stored[blob] for path, blob in before.items() if blob in stored},
        {path: stored[blob] for path, blob in after.items() if blob in stored} | here,
    )
    return replace(diff, texts=texts)
