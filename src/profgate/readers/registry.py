"""Registry of all readers, and selection of the reader for a file."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from importlib import import_module

from profgate.errors import ProfileError, SettingsError, UnknownFormat
from profgate.model.kernels import Kernels
from profgate.model.profile import Profile
from profgate.model.record import replace
from profgate.model.source import SourceFile
from profgate.readers.containers import unwrap
from profgate.readers.foreign import advice_for, beginning_of
from profgate.readers.reader import ProfileReader

LONGEST_NAME = 16_000  # characters
_JSON = rb"\s*[{\[]"
# two stacks of more than one frame, perhaps after that of the root: no file of another format begins like this
_FOLDED = re.compile(rb"(?:[^\n;\0]* \d+\r?\n)?(?:[^\n;\0]+;[^\n]* \d+\r?\n){2}")
# Module and class of each built-in reader, and a pattern that matches the beginning of every file of its format. Only
# the modules of formats that fit a file are imported.
BUILT_IN = {
    "pprof PprofReader": rb"[\n\x12\x1a\"*2:@HPZ`hjrpx\x80-\xff]",  # the number of a field, which may be encoded longer
    "speedscope SpeedscopeReader": _JSON,
    "cpuprofile CpuprofileReader": _JSON,
    "heapprofile HeapprofileReader": _JSON,
    "firefox FirefoxReader": _JSON,
    "gecko GeckoReader": _JSON,
    "pstats PstatsReader": rb"[{\xfb]",
    "python_sampling PythonSamplingReader": rb"HCAT",
    "pyinstrument PyinstrumentReader": _JSON,
    "trace_events TraceEventsReader": _JSON,
    "perun PerunReader": rb"x|" + _JSON,
    "perf PerfReader": rb"\s*+(?:#|(?:[^\n;]*+\n){0,20}?(?=[^\n]*:)[^\n;]*\s-?\d)",
    "callgrind CallgrindReader": rb"\s*(?:#|[a-z]+:(?!:))",
    "austin AustinReader": rb"\s*#",
    "jfr JfrReader": _JSON,
    "dhat DhatReader": _JSON,
    "benchmarks FORMATS": rb"(?!" + _FOLDED.pattern + rb")",
    "folded FoldedReader": rb"",  # accepts many kinds of text, so it comes last
}
_BEGINNINGS = [(place, re.compile(begin).match) for place, begin in BUILT_IN.items()]


class Readers:
    """The readers of other packages and the built-in readers, in the order in which they are tried."""

    def __init__(self, extra: Iterable[ProfileReader] = (), kernels: Kernels | None = None) -> None:
        self._extra, self._kernels = tuple(extra), kernels
        self._loaded: dict[str, tuple[ProfileReader, ...]] = {}

    def __iter__(self) -> Iterator[ProfileReader]:
        yield from self._extra
        for place in BUILT_IN:
            yield from self._at(place)

    def of(self, source: SourceFile) -> list[ProfileReader]:
        """Return the readers that may recognise a file, and the reader of folded stacks, which is the last one."""
        places = [
            place
            for place, matches in (_BEGINNINGS[-1:] if _FOLDED.match(source.head) else _BEGINNINGS)
            if matches(source.head)
        ]
        return [*self._extra, *(reader for place in places for reader in self._at(place))]

    def _at(self, place: str) -> tuple[ProfileReader, ...]:
        if place not in self._loaded:
            module, name = place.split()
            found = getattr(import_module(f"profgate.readers.{module}"), name)
            if isinstance(found, type):
                found = (found(self._kernels) if module in ("pprof", "folded") else found(),)
            self._loaded[place] = found
        return self._loaded[place]


READERS = Readers()


def readers_with(extra: Iterable[ProfileReader], kernels: Kernels | None = None) -> Readers:
    """Return the ``extra`` readers and the built-in readers. Raises SettingsError if two readers have the same name."""
    extra = tuple(extra)
    readers = Readers(extra, kernels)
    names = [reader.name for reader in readers] if extra else []
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SettingsError(f"reader {twice[0]}", "two readers have this name; remove one of their packages")
    return readers


def read_profile(source: SourceFile, readers: Readers = READERS) -> Profile:
    """Read a profile with the reader that recognises its content.

    Raises UnknownFormat if no reader recognises the file, and ProfileError if several readers recognise the file or
    reading fails.
    """
    source = unwrap(source)
    reader, why = _claiming(source, readers)
    try:
        profile = reader.read(source)
    except ProfileError as error:
        raise ProfileError(error.where, f"looks like {reader.name} ({why}), but: {error.what}") from error
    return _with_short_names(profile)


def _with_short_names(profile: Profile) -> Profile:
    """Replace the middle of very long names, such as those of C++ templates, by a hash, so that they stay different."""
    names = profile.frames.names
    if max(map(len, names), default=0) <= LONGEST_NAME:
        return profile
    names = [name if len(name) <= LONGEST_NAME else _shortened(name) for name in names]
    return replace(profile, frames=profile.frames._replace(names=names))


def _shortened(name: str) -> str:
    half = LONGEST_NAME // 2
    digest = hashlib.sha256(name.encode(errors="replace")).hexdigest()[:16]
    return f"{name[:half]}…{digest}…{name[-half:]}"


def read_or_error(source: SourceFile, readers: Readers = READERS) -> Profile | ProfileError:
    """Return the profile, or the error if the file is unreadable, so that the caller can continue with other files."""
    try:
        return read_profile(source, readers)
    except ProfileError as error:
        return error


def _claiming(source: SourceFile, readers: Readers) -> tuple[ProfileReader, str]:
    *others, last = readers.of(source)
    claims = [(reader, why) for reader in others if (why := reader.recognizes(source)) is not None]
    if len(claims) > 1:
        claimants = " and like ".join(f"{reader.name} ({why})" for reader, why in claims)
        raise ProfileError(source.name, f"looks like {claimants}; remove the wrong reader")
    if claims:
        return claims[0]
    advice = None if _FOLDED.match(source.head) else advice_for(source)
    if advice is not None:
        raise UnknownFormat(source.name, advice)
    why = last.recognizes(source)
    if why is None:
        what = f"no known profile format: it {beginning_of(source.head)}; for the formats that are read, run:"
        raise UnknownFormat(source.name, f"{what} profgate formats")
    return last, why
