"""Access to the compiled functions of ``native/kernels.c``, if these could be built during installation."""

import ctypes
import os
import weakref
from array import array
from functools import cache

TYPE_CHECKING = False  # --version imports this module, so it needs only fast imports
if TYPE_CHECKING:
    from collections.abc import Sequence

    from profgate.model.kernels import TakenStacks

LIBRARY = os.path.join(os.path.dirname(os.path.dirname(__file__)), "kernels.so")  # noqa: PTH118, PTH120
_TOO_DEEP, _NO_MEMORY = 2, 3
_FIELDS = 16384  # maximum number of fields found by one call
_INT64 = ctypes.c_int64
_ITEM = {"i": 4, "q": 8}


class _Scan(ctypes.Structure):
    """The first members of the C structure ``scan_t``."""

    _fields_ = (
        *dict.fromkeys(("stacks", "frames", "names", "path_size", "depth"), _INT64).items(),
        *dict.fromkeys(("lines", "two_numbers", "status"), _INT64).items(),
        *dict.fromkeys(("frame", "shared", "fresh", "value", "text"), ctypes.c_void_p).items(),
        ("start", ctypes.POINTER(_INT64)),
        ("path", ctypes.c_void_p),
    )


@cache
def _library(place: str) -> ctypes.CDLL | None:
    """Return the compiled library, or None if it was not built from this version or does not work on this machine."""
    try:
        found = ctypes.CDLL(place)
    except OSError:
        return None
    if not _is_current(found, place):
        return None
    scan, data, column = ctypes.POINTER(_Scan), ctypes.c_char_p, ctypes.c_void_p
    for name, result, *arguments in (
        ("scan_new", scan, ctypes.c_uint64),
        ("scan_free", None, scan),
        ("scan_taken", None, scan),
        ("scan_name", _INT64, scan, data, _INT64),
        ("scan_follow", _INT64, scan, data, _INT64),
        ("scan_lines", _INT64, scan, data, _INT64, _INT64),
        ("fields", _INT64, data, _INT64, _INT64, data, column, _INT64),
        ("samples", _INT64, data, *[_INT64] * 6, *[column] * 9),
        ("merge", _INT64, _INT64, _INT64, ctypes.c_uint64, *[column] * 7),
    ):
        function = getattr(found, f"profgate_{name}")
        function.restype, function.argtypes = result, arguments
    return found


def _is_current(library: ctypes.CDLL, place: str) -> bool:
    """Return whether a library was compiled from the source of this checkout, if it is in one."""
    checkout = os.path.dirname(os.path.dirname(os.path.dirname(place)))  # noqa: PTH120
    try:
        with open(os.path.join(checkout, "native", "kernels.c"), "rb") as file:  # noqa: PTH118, PTH123
            source = file.read()
    except OSError:
        return True
    import zlib

    try:
        return ctypes.c_uint32.in_dll(library, "profgate_source").value == zlib.crc32(source)
    except ValueError:  # older code that does not state its source
        return False


def is_compiled(place: "str | os.PathLike[str]" = LIBRARY) -> bool:
    """Return whether the compiled functions were built and work on this machine."""
    return _library(os.fspath(place)) is not None


class NativeKernels:
    """The functions of a compiled library. The library is loaded on first use."""

    def __init__(self, place: "str | os.PathLike[str]" = LIBRARY) -> None:
        self._place = os.fspath(place)

    def line_scan(self) -> "NativeLineScan | None":
        """Return a new scan, or None if compiled code is not available."""
        library = _library(self._place)
        return None if library is None else NativeLineScan(library)

    def samples(
        self, data: bytes, given: "Sequence[memoryview]", types: int, most: int, columns: "Sequence[memoryview]"
    ) -> int | None:
        """Read the samples of a pprof profile, as described in `Kernels`."""
        library = _library(self._place)
        if library is None or not all(map(len, (*given, *columns))):
            return None
        sizes = len(given[0]), types, len(given[2]), most, len(columns[-1])
        found: int = library.profgate_samples(data, len(data), *sizes, *map(_address, (*given, *columns)))
        return found if found >= 0 else None

    def merged_paths(
        self, depth: memoryview, symbol: memoryview, symbols: int, columns: "Sequence[memoryview]"
    ) -> int | None:
        """Merge the paths of a stream, as described in `Kernels`."""
        library = _library(self._place)
        if library is None or not len(depth):
            return None
        seed = int.from_bytes(os.urandom(8), "little")  # random for the same reason as that of a scan
        found: int = library.profgate_merge(len(depth), symbols, seed, *map(_address, (depth, symbol, *columns)))
        return found if found >= 0 else None

    def fields(self, data: bytes, at: int, known: bytes) -> "array[int] | None":
        """Return the tags, starts and ends of fields, as described in `Kernels`."""
        library = _library(self._place)
        if library is None:
            return None
        found = array("q", bytes(3 * _FIELDS * _ITEM["q"]))
        count = library.profgate_fields(data, len(data), at, known, _address(memoryview(found)), _FIELDS)
        return found[: 3 * count]


class NativeLineScan:
    """A scan in compiled code. Its memory is freed when this object is deleted."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library
        # the seed is random so that a malicious file cannot force collisions in the hash table
        self._scan = library.profgate_scan_new(int.from_bytes(os.urandom(8), "little"))
        if not self._scan:
            raise MemoryError
        self._state: _Scan = self._scan.contents
        weakref.finalize(self, library.profgate_scan_free, self._scan)

    def lines(self, data: bytes, at: int, end: int) -> int:
        """Read whole lines from offset ``at`` to ``end``.

        Returns the offset of the first line that Python has to read, or ``end``.
        """
        place: int = self._library.profgate_scan_lines(self._scan, data, at, end)
        if self._state.status == _NO_MEMORY:
            raise MemoryError
        return place

    def too_deep(self) -> bool:
        """Return whether the scan stopped at a stack with too many frames."""
        return bool(self._state.status == _TOO_DEEP)

    def take(self) -> "TakenStacks":
        """Return the stacks read so far and reset the scan."""
        from profgate.model.kernels import TakenStacks

        state = self._state
        taken = TakenStacks(
            _column("i", state.frame, state.frames),
            _column("i", state.shared, state.stacks),
            _column("i", state.fresh, state.stacks),
            _column("q", state.value, state.stacks),
            state.lines,
            state.two_numbers,
        )
        self._library.profgate_scan_taken(self._scan)
        return taken

    def names(self) -> bytes:
        """Return the names of all frames, each followed by a line break."""
        state = self._state
        return ctypes.string_at(state.text, state.start[state.names])

    def number_of(self, name: bytes) -> int:
        """Return the number of a frame. A new name gets the next number."""
        number: int = self._library.profgate_scan_name(self._scan, name, len(name))
        if number < 0:
            raise MemoryError
        return number

    def path(self) -> tuple[bytes, int]:
        """Return the path of the last stack without its last frame, and the number of frames in the path."""
        return ctypes.string_at(self._state.path, self._state.path_size), self._state.depth

    def follow(self, path: bytes) -> None:
        """Set the path with which the next stack is compared."""
        if not self._library.profgate_scan_follow(self._scan, path, len(path)):
            raise MemoryError


def _address(column: memoryview) -> object:
    return ctypes.byref(ctypes.c_char.from_buffer(column))


def _column(code: str, address: int | None, count: int) -> "array[int]":
    column = array(code)
    if count and address:
        column.frombytes(ctypes.string_at(address, count * _ITEM[code]))
    return column
