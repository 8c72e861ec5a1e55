"""Which parts this run gets: readers and strategies with those of outside packages, and processes for large input."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import cache
from importlib.metadata import entry_points
from multiprocessing import get_context
from typing import Any

from profgate.detect.base import Strategy
from profgate.detect.registry import all_strategies
from profgate.errors import ProfgateError, ProfileError
from profgate.model.comparison import Comparison
from profgate.model.profile import Profile
from profgate.model.source import SourceFile
from profgate.pipeline import Built, PipelineInput, Reader, build_report, compare_sources
from profgate.readers.base import ProfileReader
from profgate.readers.registry import read_profile, readers_with

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


def read_one(source: SourceFile) -> Profile | ProfileError:
    """A profile, or why it cannot be read: an unreadable file is told beside the others, not instead of them."""
    try:
        return read_profile(source, readers())
    except ProfileError as error:
        return error


def read_all(
    sources: Sequence[SourceFile], executor: Executor | None = None, progress: Progress | None = None
) -> list[Profile | ProfileError]:
    """Every source in order; large input is read by processes, a file each. ``progress`` hears of each file read."""
    results = []
    for source, result in zip(sources, _read_lazily(sources, executor), strict=True):
        results.append(result)
        if progress is not None:
            progress(source.size)
    return results


def _read_lazily(sources: Sequence[SourceFile], executor: Executor | None) -> Iterator[Profile | ProfileError]:
    large = sum(source.size for source in sources) > LARGE and len(sources) > 1
    if executor is not None or not large:
        yield from (map if executor is None else executor.map)(read_one, sources)
        return
    workers = min(len(sources), os.cpu_count() or 1)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(read_one, sources)


def _reader(executor: Executor | None, progress: Progress | None) -> Reader:
    return lambda sources: read_all(sources, executor, progress)


def compare(given: PipelineInput, executor: Executor | None = None, progress: Progress | None = None) -> Built:
    """The judged report and its pages."""
    return build_report(given, _reader(executor, progress), strategies())


def overlays(given: PipelineInput) -> list[Comparison]:
    """The comparisons alone, for commands that draw or tabulate without judging."""
    return compare_sources(given, _reader(None, None))[0]
