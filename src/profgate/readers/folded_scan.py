"""Scanner for folded stacks that stores only those frames of a line that differ from the previous line."""

import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator
from decimal import Decimal, InvalidOperation
from io import SEEK_CUR
from itertools import count
from typing import BinaryIO

import numpy as np

from profgate.errors import ProfileError
from profgate.model.arrays import BoolArray, IntArray, exact_sum
from profgate.model.call_tree import MAX_DEPTH, added_at, merged_paths
from profgate.model.kernels import Kernels, LineScan
from profgate.model.record import Record, Struct, field
from profgate.model.source import SourceFile
from profgate.readers.containers import MAX_LINE

SMALL = 4 << 20  # file size in bytes above which unsorted blocks are sorted
BLOCK = 1 << 20
BLOCK_UNSORTED = 64 << 20
SAMPLE = 1 << 16  # number of bytes at the start of a block that are examined to see if the lines are sorted
# streams with more events are merged into a tree, so that memory use depends on the number of unique paths
FOLD_EVENTS = 8_000_000
WORST_SHARE = 0.10
QUOTED = 3
MAX_VALUE = (1 << 62) - 1
MAX_DIGITS = 18
NEAR = 4  # number of frames that are compared one by one, because most stacks differ only near the leaf

_VALUE = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_SECOND_NUMBER = re.compile(rb"[ \t]\d+(?:\.\d+)?$")
_DIGITS = frozenset(b"0123456789")
_BLANKS = frozenset(b" \t\r\n\v\f")
# first characters that need the slow path, because a blank may be inside brackets and "#" starts a comment
_ODD_FIRST = frozenset(b" #")
_OPEN, _CLOSE = b"([{<", b")]}>"
_NumberOf = Callable[[bytes], int]  # returns the number of a frame; a new name gets the next number
_Path = tuple[bytes, int]  # a stack without its last frame, and the number of frames in it


class Scan(Struct):
    """Result of scanning a file. The number of a frame is the position of its name in ``names``.

    In ``names``, a line break follows each name. Stacks are front-coded: each stack consists of the first ``shared``
    frames of the previous stack and ``fresh`` new frames. The numbers of the new frames are stored consecutively in
    ``new``. These three arrays are int32. ``values`` contains int64 weights, and ``decimals`` maps stack indices to
    weights that are not integers or are too large. ``seen`` is the total number of lines, and ``lines`` is the number
    of lines that should contain a stack. ``bad`` contains the line numbers and messages of the first invalid lines.
    """

    name: str
    names: bytes = b""
    new: "array[int]" = field(default_factory=lambda: array("i"))
    shared: "array[int]" = field(default_factory=lambda: array("i"))
    fresh: "array[int]" = field(default_factory=lambda: array("i"))
    values: "array[int]" = field(default_factory=lambda: array("q"))
    decimals: dict[int, Decimal] = field(default_factory=dict)
    root_values: list[Decimal] = field(default_factory=list)
    metadata: dict[str, str] = field(default_factory=dict)
    seen: int = 0
    lines: int = 0
    bad: list[tuple[int, str]] = field(default_factory=list)
    bad_count: int = 0
    two_numbers: int = 0

    def events(self) -> tuple[IntArray, IntArray, BoolArray]:
        """Return the int64 depth and number of each new frame, and whether the frame ends a stack."""
        fresh, shared = np.array(self.fresh, np.int64), np.array(self.shared, np.int64)
        # front coding: the frames of a stack that are not new have the same depths as in the stack before
        ends = np.cumsum(fresh)
        depth = np.arange(len(self.new), dtype=np.int64) - np.repeat(ends - fresh - shared, fresh)
        leaf = np.zeros(len(self.new), np.bool_)
        leaf[ends - 1] = True
        return depth, np.array(self.new, np.int64), leaf


class _Block(Record):
    """The complete lines before ``end``, with line breaks. If these were sorted, ``lines`` has them in file order."""

    data: bytes
    end: int
    lines: list[bytes] | None = None

    def number_of(self, begin: int, end: int) -> int:
        """Return the number of the line ``data[begin:end]`` within the block, counted from 1."""
        if self.lines is None:
            return self.data.count(b"\n", 0, begin) + 1
        return self.lines.index(self.data[begin:end]) + 1


def _whole_lines(stream: BinaryIO, size: int, name: str) -> tuple[bytes, int]:
    """Read at most ``size`` bytes, or a longer line. Return the bytes and the end of the last line.

    The bytes after this line are read again by the next call.
    """
    data = stream.read(size)
    end = data.rfind(b"\n") + 1
    if 0 < end < len(data):
        stream.seek(end - len(data), SEEK_CUR)  # much faster than a copy of the block with the rest of the line
    elif data and not end:
        rest = stream.readline(MAX_LINE + 1)
        if len(rest) > MAX_LINE:
            raise ProfileError(name, f"a line longer than {MAX_LINE} bytes")
        data += rest if rest.endswith(b"\n") else rest + b"\n"
        end = len(data)
    return data, end


def _in_order(data: bytes) -> bool:
    lines = data[:SAMPLE].split(b"\n")[:-1]
    return sorted(lines) == lines


def _blocks(source: SourceFile) -> Iterator[_Block]:
    """Yield the lines in blocks.

    In a large file, the lines of an unsorted block are sorted, because adjacent lines then share most of their bytes.
    The order of the lines does not affect the profile.
    """
    with source.open(0, None) as stream:
        while True:
            data, end = _whole_lines(stream, BLOCK, source.name)
            if not end:
                return
            ordered = source.size <= SMALL or _in_order(data)
            if not ordered:
                more, more_end = _whole_lines(stream, BLOCK_UNSORTED, source.name)
                data, end = data[:end] + more[:more_end], end + more_end
            if b"\r" in data:
                data = data[:end].replace(b"\r\n", b"\n")
                end = len(data)
            if ordered:
                yield _Block(data, end)
            else:
                lines = data.split(b"\n")[:-1]
                yield _Block(b"\n".join([*sorted(lines), b""]), end, lines)


def _split_brackets(stack: bytes) -> list[bytes]:
    """Return the frames of a stack. A ``; `` inside brackets is part of a name, as in ``[u8; 8]`` in Rust."""
    parts, begin, level = [], 0, 0
    for place, byte in enumerate(stack):
        if byte in _OPEN:
            level += 1
        elif byte in _CLOSE:
            level = max(0, level - 1)
        elif byte == 0x3B and not (level and stack[place + 1 : place + 2] == b" "):
            parts.append(stack[begin:place])
            begin, level = place + 1, 0
    parts.append(stack[begin:])
    return parts


def stack_and_value(line: bytes) -> tuple[bytes, bytes] | None:
    """Return the text before a line's final number and the number itself, or None if there is no such number."""
    text = line.rstrip()
    end = max(text.rfind(b" "), text.rfind(b"\t"))
    return (text[:end].rstrip(), text[end + 1 :]) if end >= 0 and _VALUE.fullmatch(text, end + 1) else None


def _exact_value(scan: Scan, raw: bytes, number: Callable[[], int]) -> tuple[bytes, Decimal] | None:
    """Return the stack and value of a line that the fast path rejects, or count an invalid line and return None."""
    found = stack_and_value(raw)
    if found is None:
        scan.bad_count += 1
        if len(scan.bad) < QUOTED:
            scan.bad.append((number(), f"expected 'frame;frame 42', got {raw[:80].decode('utf-8', 'replace')!r}"))
        return None
    stack, written = found[0], found[1].decode()
    try:
        value = Decimal(written)
        fits = not value or (value.adjusted() <= MAX_DIGITS and int(value.as_tuple().exponent) >= -MAX_DIGITS)
    except InvalidOperation:  # the exponent is too large for Decimal
        value, fits = Decimal(), False
    if value < 0:
        what = "a negative value, as in a difference; use the two profiles instead"
        raise ProfileError(f"{scan.name}:{number()}", what)
    if not fits:
        what = f"the value {written[:40]} is out of range; at most {MAX_DIGITS} digits on either side"
        raise ProfileError(f"{scan.name}:{number()}", what)
    return stack, value


def _fold(scan: Scan, kernels: Kernels | None) -> None:
    """Merge equal stacks, so that each unique path is stored only once, with the sum of its values."""
    if scan.decimals:
        return
    values = np.array(scan.values, np.int64)
    check_sum(scan.name, exact_sum(values))
    depth, frame, leaf = scan.events()
    tree, rows = merged_paths(depth, frame, kernels)
    own = added_at(len(tree), rows[leaf], values)
    leaves = np.flatnonzero(own > 0)
    fresh = np.diff(leaves, prepend=0)  # the root is no frame
    scan.new = array("i", tree.symbol[1:].astype(np.intc).tobytes())
    scan.shared = array("i", (tree.depth[leaves - fresh + 1] - 1).astype(np.intc).tobytes())
    scan.fresh = array("i", fresh.astype(np.intc).tobytes())
    scan.values = array("q", own[leaves].tobytes())


def check_sum(name: str, total: int) -> None:
    """Raise ProfileError with location ``name`` if the total exceeds 62 bits."""
    if total > MAX_VALUE:
        raise ProfileError(name, f"values add up to {total}, which exceeds 62 bits")


def _shared_path(data: bytes, begin: int, path: bytes, depth: int) -> _Path:
    """Return the longest prefix of complete frames that ``path`` and ``data[begin:]`` share, and its frame count."""
    for _ in range(min(NEAR, depth)):
        path = path[: path.rfind(b";", 0, -1) + 1]
        depth -= 1
        if data.startswith(path, begin):
            return path, depth
    low, high = 0, len(path)
    while low < high:
        middle = (low + high + 1) >> 1
        if data.startswith(path[:middle], begin):
            low = middle
        else:
            high = middle - 1
    path = path[: path.rfind(b";", 0, low) + 1]
    return path, path.count(b";")


def _too_deep(scan: Scan, block: _Block, begin: int, end: int) -> ProfileError:
    return ProfileError(f"{scan.name}:{scan.seen + block.number_of(begin, end)}", f"deeper than {MAX_DEPTH} frames")


def numbered(names: bytes) -> defaultdict[bytes, int]:
    """Return the number of each name. A name that is looked up later gets the next number."""
    known = names.split(b"\n")[:-1]
    return defaultdict(count(len(known)).__next__, zip(known, count()))


def _scan_block(scan: Scan, block: _Block, path: bytes, depth: int, number_of: _NumberOf) -> _Path:
    """Append the stacks of a block and return the new ``path`` and ``depth``.

    ``path`` is the previous stack without its last frame, and ``depth`` is the number of frames in ``path``. The shared
    prefix of a line is compared without copying, and only the rest of the line is split.
    """
    data, size = block.data, block.end
    append_new, append_shared, append_fresh = scan.new.extend, scan.shared.append, scan.fresh.append
    append_value = scan.values.append
    begin = seen = odd = 0
    while begin < size:
        seen += 1
        if not data.startswith(path, begin):
            path, depth = _shared_path(data, begin, path, depth)
        place = begin + len(path)
        end = data.find(b"\n", place)
        head, _, digits = data[place:end].rpartition(b" ")
        if (
            head
            and digits.isdigit()
            and len(digits) < MAX_DIGITS
            and head[0] not in _ODD_FIRST
            and head[-1] not in _BLANKS
            and b"; " not in head
            and (value := int(digits))
        ):
            if head[-1] in _DIGITS and _SECOND_NUMBER.search(head[-24:]):
                scan.two_numbers += 1
            parts = head.split(b";")
            append_new(map(number_of, parts))
            append_shared(depth)
            append_fresh(len(parts))
            append_value(value)
            if len(parts) > 1:
                path = data[begin : place + len(head) - len(parts[-1])]
                depth += len(parts) - 1
        else:
            odd += 1
            path, depth = _scan_odd_line(scan, block, slice(begin, end), (path, depth), number_of)
        if depth >= MAX_DEPTH:
            raise _too_deep(scan, block, begin, end)
        begin = end + 1
    scan.seen += seen
    scan.lines += seen - odd
    return path, depth


def _scan_block_compiled(scan: Scan, block: _Block, lines: LineScan) -> bool:
    """Scan the usual lines of a block with compiled code, and the other lines with Python.

    Returns False if unusual lines are so frequent that the Python scanner is faster.
    """
    data, at, seen, odd = block.data, 0, 0, 0
    while True:
        at = lines.lines(data, at, block.end)
        taken = lines.take()
        scan.new.extend(taken.new)
        scan.shared.extend(taken.shared)
        scan.fresh.extend(taken.fresh)
        scan.values.extend(taken.values)
        scan.two_numbers += taken.two_numbers
        seen += taken.lines
        if at == block.end:
            break
        end = data.find(b"\n", at)
        path, depth = lines.path()
        if not lines.too_deep():
            path, depth = _scan_odd_line(scan, block, slice(at, end), (path, depth), lines.number_of)
        if depth >= MAX_DEPTH:
            raise _too_deep(scan, block, at, end)
        lines.follow(path)
        at, seen, odd = end + 1, seen + 1, odd + 1
    scan.seen += seen
    scan.lines += seen - odd
    return odd <= WORST_SHARE * seen


def _scan_odd_line(scan: Scan, block: _Block, place: slice, previous: _Path, number_of: _NumberOf) -> _Path:
    """Scan a line of any kind. ``previous`` is the path and depth before the line. Return the new path and depth.

    For example, the line may be a comment, or contain a fraction, brackets or a weight without frames.
    """
    line = block.data[place]
    if not line.strip() or line.startswith(b"#"):
        if match := re.match(rb"^#\s*([\w-]+):\s*(.*)$", line.rstrip()):
            scan.metadata.setdefault(match[1].decode("utf-8", "replace"), match[2].decode("utf-8", "replace"))
        return previous
    scan.lines += 1
    found = _exact_value(scan, line, lambda: scan.seen + block.number_of(place.start, place.stop))
    if found is None:
        return previous
    stack, exact = found
    # lines with value 0 also count, because a difference with removed stacks would otherwise look like a profile
    scan.two_numbers += bool(_SECOND_NUMBER.search(stack[-24:]))
    if not exact:
        return previous
    if not stack:
        scan.root_values.append(exact)
        return previous
    value = int(exact)
    if value != exact or value > MAX_VALUE:
        scan.decimals[len(scan.values)] = exact
        value = 0
    scan.values.append(value)
    return _append_stack(scan, stack, *previous, number_of)


def _append_stack(scan: Scan, stack: bytes, path: bytes, depth: int, number_of: _NumberOf) -> _Path:
    """Append the frames of a stack, and return the new path and depth."""
    if not stack.startswith(path):
        path, depth = _shared_path(stack, 0, path, depth)
    rest = stack[len(path) :]
    parts = rest.split(b";")
    bracketed = False
    if b"; " in rest or (path and rest.startswith(b" ")):
        whole = _split_brackets(stack)
        if bracketed := len(whole) <= stack.count(b";"):
            depth, parts = 0, whole
    scan.new.extend(map(number_of, parts))
    scan.shared.append(depth)
    scan.fresh.append(len(parts))
    depth += len(parts) - 1
    if bracketed:
        # the next stack shares no frames, because the number of frames in a prefix with brackets is unknown
        if depth >= MAX_DEPTH:
            raise ProfileError(scan.name, f"deeper than {MAX_DEPTH} frames")
        return b"", 0
    return stack[: len(stack) - len(parts[-1])], depth


def scan_file(source: SourceFile, kernels: Kernels | None = None) -> Scan:
    """Scan the lines of a file and return the result. Raises ProfileError if a line is invalid."""
    scan = Scan(source.name)
    path, depth, limit = b"", 0, FOLD_EVENTS
    compiled, frames = kernels.line_scan() if kernels is not None else None, numbered(b"")
    for block in _blocks(source):
        if compiled is None:
            path, depth = _scan_block(scan, block, path, depth, frames.__getitem__)
        elif not _scan_block_compiled(scan, block, compiled):
            path, depth = compiled.path()
            frames, compiled = numbered(compiled.names()), None
        if len(scan.new) > limit:
            _fold(scan, kernels)
            path, depth, limit = b"", 0, max(FOLD_EVENTS, 2 * len(scan.new))
            if compiled is not None:
                compiled.follow(b"")
    scan.names = b"\n".join([*frames, b""]) if compiled is None else compiled.names()
    return scan
