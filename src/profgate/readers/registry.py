"""Which reader a file belongs to: by content, each file claimed by one reader, folded stacks asked last."""

from collections.abc import Sequence

from profgate.errors import ProfileError, UnknownFormat
from profgate.model.profile import Profile
from profgate.model.source import SourceFile
from profgate.readers.base import ProfileReader
from profgate.readers.containers import unwrap
from profgate.readers.folded import FoldedReader
from profgate.readers.pprof import PprofReader
from profgate.readers.pstats import PstatsReader
from profgate.readers.speedscope import SpeedscopeReader

READERS: tuple[ProfileReader, ...] = (SpeedscopeReader(), PstatsReader(), PprofReader(), FoldedReader())


def readers_with(extra: Sequence[ProfileReader] = ()) -> tuple[ProfileReader, ...]:
    """Outside readers first, then our own."""
    return (*extra, *READERS)


def read_profile(source: SourceFile, extra: Sequence[ProfileReader] = ()) -> Profile:
    """The profile of a file. Raises UnknownFormat, or ProfileError that says what the file looks like and why."""
    content = unwrap(source)
    readers = readers_with(extra)
    for reader in readers:
        because = reader.recognizes(content)
        if because is None:
            continue
        try:
            return reader.read(content)
        except ProfileError as error:
            raise ProfileError(source.name, f"looks like {reader.name} (because {because}); {error}") from error
    names = ", ".join(reader.name for reader in readers)
    raise UnknownFormat(source.name, f"no known profile format; tried {names}")
