"""Input files for readers, with access by byte range."""

import io
from collections.abc import Callable
from typing import BinaryIO

from profgate.model.profile import Profile
from profgate.model.record import Record

HEAD_SIZE = 64 * 1024
MANIFEST_NAME = "profgate-manifest.json"
# events of the setting "profile" that contain environment variables, command lines and properties, not costs
JFR_PRIVATE = (
    *("jdk.InitialEnvironmentVariable", "jdk.InitialSystemProperty", "jdk.SystemProcess"),
    *("jdk.ProcessStart", "jdk.JavaAgent", "jdk.NativeAgent"),
)
JFR_ARGUMENTS = ("jvmArguments", "javaArguments", "jvmFlags")  # of jdk.JVMInformation, which has the version
JFR_EVENTS = (
    *("jdk.CPUTimeSample", "jdk.ExecutionSample", "jdk.NativeMethodSample", "jdk.ObjectAllocationSample"),
    *("jdk.ObjectAllocationInNewTLAB", "jdk.ObjectAllocationOutsideTLAB"),
    *("jdk.JVMInformation", "jdk.CPUTimeSamplesLost", "profiler.Malloc", "profiler.WallClockSample"),
)
"""The events of Java flight recordings that are printed to be read."""
RECORDING_NAME = "profgate-recording.txt"
"""Name of a text file that the step that records profiles can store with them: see `recording_facts`."""


class SourceFile(Record):
    """One input file.

    ``open(start, stop)`` returns a binary stream of that byte range. If ``stop`` is None, the range extends to the end
    of the file. ``name`` is displayed in messages, and ``head`` contains the first bytes, by which the format is
    detected. ``path`` is set if the file is on disk, which allows each worker process to open a range. ``profile`` is
    set if the file has already been read, for example by the history.
    """

    name: str
    size: int
    head: bytes
    open: Callable[[int, int | None], BinaryIO]
    path: str | None = None
    profile: Profile | None = None

    def read(self, limit: int) -> bytes:
        """Return at most ``limit`` + 1 bytes of the file, so that a caller can detect a file larger than ``limit``."""
        with self.open(0, None) as stream:
            return stream.read(limit + 1)


class BytesInMemory(Record):
    """A function object that opens byte ranges of data in memory. It can be pickled for use in another process."""

    data: bytes

    def __call__(self, start: int, stop: int | None) -> BinaryIO:
        """Return a stream of the bytes in a range."""
        return io.BytesIO(self.data[start : len(self.data) if stop is None else stop])


def source_of(name: str, data: bytes) -> SourceFile:
    """Return a source with bytes in memory."""
    return SourceFile(name, len(data), data[:HEAD_SIZE], BytesInMemory(data))


def source_of_profile(profile: Profile) -> SourceFile:
    """Return a source for a profile that has already been read."""
    return SourceFile(profile.name, 0, b"", BytesInMemory(b""), profile=profile)
