"""Which parts this run gets: readers and strategies with those of outside packages, and processes for large input."""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from profgate.detect.base import Strategy
from profgate.detect.registry import all_strategies
from profgate.errors import ProfgateError, ProfileError
from profgate.model.comparison import Comparison
from profgate.model.profile import Profile
from profgate.model.source import SourceFile
from profgate.pipeline import Built, PipelineInput, Reader, build_report, compare_sources
from profgate.readers.base import ProfileReader
from profgate.readers.registry import read_or_error, readers_with

if TYPE_CHECKING:
    from concurrent.futures import Executor

GZIP = b"\x1f\x8b"
PACKING = 8
Progress = Callable[[int], None]  # told the size of each file that was read
LARGE = 50 << 20  # bytes on both sides together; below, starting a process costs more than it saves


@cache
def _outside(group: str) -> tuple[Any, ...]:
    """Parts that installed packages register; one that cannot be loaded is an error that names it."""
    parts = []
    for point in sorted(entry_points(group=group), key=lambda one: one.name):
        try:
            parts.append(point.load()())
        except Exception as error:  # a foreign package may raise anything
            raise ProfgateError(f"entry point {group}: {point.name}", f"cannot be loaded: {error}") from error
    return tuple(parts)


def strategies() -> tuple[Strategy, ...]:
    """The built-in strategies and those of outside packages."""
    return all_strategies(_outside("profgate.strategies"))


def readers() -> tuple[ProfileReader, ...]:
    """The readers in the order in which they are asked."""
    return readers_with(_outside("profgate.readers"))


def read_all(
    sources: Sequence[SourceFile], executor: "Executor | None" = None, progress: Progress | None = None
) -> list[Profile | ProfileError]:
    """Every source in order; large input is read by processes, a file each. ``progress`` hears of each file read."""
    results = []
    for source, result in zip(sources, _read_lazily(sources, executor), strict=True):
        results.append(result)
        if progress is not None:
            progress(source.size)
    return results


def _work(source: SourceFile) -> int:
    """Bytes that reading has to look at: packed input and pprof hold several times what their size says."""
    packed = source.head[:2] == GZIP
    return source.size * (PACKING if packed else 1)


def _read_lazily(sources: Sequence[SourceFile], executor: "Executor | None") -> Iterator[Profile | ProfileError]:
    read = partial(read_or_error, readers=readers())
    if executor is not None:
        yield from executor.map(read, sources)
        return
    helpers = min(len(sources), os.cpu_count() or 1) - 1
    if helpers < 1 or sum(map(_work, sources)) < LARGE:
        yield from map(read, sources)
        return
    # here, because importing it takes longer than reading a small profile
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(helpers, mp_context=get_context("spawn")) as pool:
        # the last files are handed out first: meanwhile this process reads from the front what nobody has begun
        waiting = [pool.submit(read, source) for source in reversed(sources)][::-1]
        for source, one in zip(sources, waiting, strict=True):
            yield read(source) if one.cancel() else one.result()


def _reader(executor: "Executor | None", progress: Progress | None) -> Reader:
    return lambda sources: read_all(sources, executor, progress)


def compare(given: PipelineInput, executor: "Executor | None" = None, progress: Progress | None = None) -> Built:
    """The judged report and its pages."""
    return build_report(given, _reader(executor, progress), strategies())


def overlays(given: PipelineInput) -> list[Comparison]:
    """The comparisons alone, for commands that draw or tabulate without judging."""
    return compare_sources(given, _reader(None, None))[0]
