"""Registry of all readers, and selection of the reader for a file."""

from collections.abc import Iterable
from typing import Any

from profgate.errors import ProfileError, SettingsError, UnknownFormat
from profgate.model.kernels import Kernels
from profgate.model.profile import Profile
from profgate.model.source import SourceFile
from profgate.readers.austin import AustinReader
from profgate.readers.benchmarks import FORMATS
from profgate.readers.callgrind import CallgrindReader
from profgate.readers.containers import is_wrapped, unwrap
from profgate.readers.cpuprofile import CpuprofileReader
from profgate.readers.firefox import FirefoxReader
from profgate.readers.folded import FoldedReader
from profgate.readers.foreign import advice_for
from profgate.readers.gecko import GeckoReader
from profgate.readers.jfr import JfrReader
from profgate.readers.perf import PerfReader
from profgate.readers.perun import PerunReader
from profgate.readers.pprof import PprofReader
from profgate.readers.pstats import PstatsReader
from profgate.readers.pyinstrument import PyinstrumentReader
from profgate.readers.python_sampling import PythonSamplingReader
from profgate.readers.python_sampling_jsonl import PythonSamplingJsonlReader
from profgate.readers.reader import ProfileReader, SplittingReader, collection_paused
from profgate.readers.speedscope import SpeedscopeReader
from profgate.readers.trace_events import TraceEventsReader


def built_in(kernels: Kernels | None = None) -> tuple[ProfileReader, ...]:
    """Return the built-in readers. Some readers are faster with compiled kernels."""
    # the folded reader accepts many kinds of text, so it comes last
    return (
        PprofReader(kernels),
        SpeedscopeReader(),
        CpuprofileReader(),
        FirefoxReader(),
        GeckoReader(),
        PstatsReader(),
        PythonSamplingReader(),
        PythonSamplingJsonlReader(),
        PyinstrumentReader(),
        TraceEventsReader(),
        PerunReader(),
        PerfReader(),
        CallgrindReader(),
        AustinReader(),
        JfrReader(),
        *FORMATS,
        FoldedReader(kernels),
    )


READERS = built_in()


def readers_with(extra: Iterable[ProfileReader], kernels: Kernels | None = None) -> tuple[ProfileReader, ...]:
    """Return the ``extra`` readers and the built-in readers. Raises SettingsError if two readers have the same name."""
    readers = (*extra, *built_in(kernels))
    names = [reader.name for reader in readers]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SettingsError(f"reader {twice[0]}", "two readers have this name; remove one of their packages")
    return readers


def read_profile(source: SourceFile, readers: tuple[ProfileReader, ...] = READERS) -> Profile:
    """Read a profile with the reader that recognises its content.

    Raises UnknownFormat if no reader recognises the file, and ProfileError if several readers recognise the file or
    reading fails.
    """
    source = unwrap(source)
    reader, why = _claiming(source, readers)
    try:
        with collection_paused():
            return reader.read(source)
    except ProfileError as error:
        raise ProfileError(error.where, f"looks like {reader.name} ({why}), but: {error.what}") from error


def read_or_error(source: SourceFile, readers: tuple[ProfileReader, ...] = READERS) -> Profile | ProfileError:
    """Return the profile, or the error if the file is unreadable, so that the caller can continue with other files."""
    try:
        return read_profile(source, readers)
    except ProfileError as error:
        return error


def splitting_reader(source: SourceFile, readers: tuple[ProfileReader, ...] = READERS) -> SplittingReader[Any] | None:
    """Return the reader if the file is on disk and can be read in parts, otherwise None."""
    if source.path is None or is_wrapped(source):
        return None
    try:
        reader, _ = _claiming(source, readers)
    except ProfileError:
        return None
    return reader if isinstance(reader, SplittingReader) else None


def _claiming(source: SourceFile, readers: tuple[ProfileReader, ...]) -> tuple[ProfileReader, str]:
    *others, last = readers
    claims = [(reader, why) for reader in others if (why := reader.recognizes(source)) is not None]
    if len(claims) > 1:
        claimants = " and like ".join(f"{reader.name} ({why})" for reader, why in claims)
        raise ProfileError(source.name, f"looks like {claimants}; remove the wrong reader")
    if claims:
        return claims[0]
    advice = advice_for(source)
    if advice is not None:
        raise UnknownFormat(source.name, advice)
    why = last.recognizes(source)
    if why is None:
        tried = ", ".join(reader.name for reader in readers)
        raise UnknownFormat(source.name, f"no known profile format (tried {tried}); use a file in one of these formats")
    return last, why
