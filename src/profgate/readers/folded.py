"""Folded stacks (``a;b;c 12``): front-coded while reading, so that a line costs only what is new in it."""

import gc
import re
from array import array
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import count

import numpy as np

from profgate.errors import ProfileError
from profgate.model.arrays import IntArray, read_only
from profgate.model.call_tree import MAX_DEPTH, added_at, build_shape, stream_of
from profgate.model.profile import Configuration, Facts, FrameList, Profile, Stacks
from profgate.model.source import SourceFile, source_of
from profgate.model.units import Metric, MetricKind, base_unit

SMALL = 4 << 20  # bytes; up to here the order of the lines is kept, above lines are sorted in blocks
BLOCK = 1 << 20
BLOCK_UNSORTED = 64 << 20
MAX_LINE = 16 << 20
FOLD_EVENTS = 8_000_000  # a stream longer than this is folded into its tree, so memory follows unique paths
WORST_SHARE = 0.10
QUOTED = 3
ONE_LEVEL = 1 << 32
LEAF = 1 << 31
FRAME_MASK = LEAF - 1
MAX_VALUE = (1 << 62) - 1
MAX_DIGITS = 18
LONGEST_FIRST_LINE = 1 << 24
SNIFFED = 200
COLUMNS = 3
HASH = 0x23
NEAR = 4  # levels looked at one by one: most stacks leave the one before near its end

_LINE = re.compile(
    rb"^(?P<stack>.*?)[ \t]+(?P<value>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)[ \t]*$|^[ \t]*(?P<bare>\d+)$", re.DOTALL
)
_SECOND_NUMBER = re.compile(rb"[ \t]\d+(?:\.\d+)?$")
_METADATA = re.compile(rb"^#\s*([\w-]+):\s*(.*)$")
_NUMBER = re.compile(rb"^\d+(?:\.\d+)?$")
_DIGITS = frozenset(b"0123456789")
_BLANKS = frozenset(b" \t\r\n\v\f")
_OPEN, _CLOSE = b"([{<", b")]}>"


@dataclass(slots=True)
class Scan:
    """State of one file's scan; a frame's number is its place in ``frames``."""

    name: str
    frames: defaultdict[bytes, int] = field(default_factory=lambda: defaultdict(count().__next__))
    events: "array[int]" = field(default_factory=lambda: array("q"))
    values: "array[int]" = field(default_factory=lambda: array("q"))
    decimals: dict[int, Decimal] = field(default_factory=dict)
    root_values: list[Decimal] = field(default_factory=list)
    metadata: dict[str, str] = field(default_factory=dict)
    lines: int = 0
    bad: list[str] = field(default_factory=list)
    bad_count: int = 0
    two_numbers: int = 0
    bracketed: int = 0


def _blocks(source: SourceFile, start: int, stop: int | None) -> Iterator[tuple[list[bytes], list[bytes], int]]:
    """Blocks of lines: in reading order, as in the file, and the number of the first.

    Large input is sorted within a block, because sorted neighbours share most of their bytes; the answer is the same.
    """
    size, number, rest = BLOCK, 1, b""
    large = source.size > SMALL
    with source.open(start, stop) as stream:
        while data := stream.read(size):
            lines = (rest + data).split(b"\n")
            rest = lines.pop()
            if len(rest) > MAX_LINE:
                raise ProfileError(f"{source.name}:{number + len(lines)}", f"a line longer than {MAX_LINE} bytes")
            ordered = sorted(lines) if large else lines
            size = BLOCK if ordered == lines else BLOCK_UNSORTED
            yield ordered, lines, number
            number += len(lines)
    if rest:
        yield [rest], [rest], number


def _split_brackets(stack: bytes) -> list[bytes]:
    """Frames of a stack in which ``; `` inside open brackets belongs to a name (Rust's ``[u8; 8]``)."""
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


def _note_bad(scan: Scan, raw: bytes, line_number: int) -> None:
    scan.bad_count += 1
    if len(scan.bad) < QUOTED:
        scan.bad.append(f"line {line_number}: expected 'frame;frame 42', got {raw[:80].decode('utf-8', 'replace')!r}")


def _exact_value(scan: Scan, raw: bytes, line_number: int) -> tuple[bytes, Decimal] | None:
    """Stack and value of a line the fast path does not read; None when it was counted as unparsable."""
    match = _LINE.match(raw.rstrip())
    if match is None or match["bare"] is not None:
        _note_bad(scan, raw, line_number)
        return None
    value = Decimal(match["value"].decode())
    where = f"{scan.name}:{line_number}"
    if value < 0:
        raise ProfileError(where, "a negative value; a difference of two profiles is given with --difference")
    if value and (value.adjusted() > MAX_DIGITS or int(value.as_tuple().exponent) < -MAX_DIGITS):
        raise ProfileError(where, f"the value {value} is out of range; at most {MAX_DIGITS} digits on either side")
    return match["stack"].strip(), value


def _fold(scan: Scan) -> None:
    """Replaces the stream so far by that of its tree: the same sums, one event for each unique path."""
    if scan.decimals:
        return
    raw = np.frombuffer(scan.events, np.int64)
    leaf = (raw & LEAF) != 0
    shape, rows = build_shape(raw >> 32, raw & FRAME_MASK)
    own = added_at(len(shape), rows[leaf], np.frombuffer(scan.values, np.int64))
    depth, frame, is_leaf, leaf_rows = stream_of(shape, own > 0)
    scan.events = array("q", ((depth << 32) | np.where(is_leaf, LEAF, 0) | frame).tobytes())
    scan.values = array("q", own[leaf_rows].tobytes())


def _append_bracketed(scan: Scan, stack: bytes) -> bool:
    """Events of a stack whose names hold ``; `` inside brackets; False if it has none of those."""
    parts = _split_brackets(stack)
    if len(parts) == stack.count(b";") + 1:
        return False
    for depth, part in enumerate(parts):
        end = LEAF if depth == len(parts) - 1 else 0
        scan.events.append(depth << 32 | end | scan.frames[part])
    return True


def _common_depth(stack: bytes, previous: bytes, ends: list[int]) -> int:
    """How many open frames of the previous stack this one shares, fewer than all of them."""
    for depth in range(len(ends) - 1, max(0, len(ends) - 1 - NEAR), -1):
        if stack.startswith(previous[: ends[depth - 1]]):
            return depth
    low, high = 0, max(0, len(ends) - 1 - NEAR)
    while low < high:
        middle = (low + high + 1) >> 1
        if stack.startswith(previous[: ends[middle - 1]]):
            low = middle
        else:
            high = middle - 1
    return low


def _scan_lines(  # noqa: C901, PLR0912, PLR0915 - the loop every byte passes; calls inside it would double its time
    scan: Scan, ordered: list[bytes], original: list[bytes], first: int, previous: bytes, ends: list[int]
) -> tuple[bytes, list[int]]:
    """Appends the events of a block; ``previous`` and ``ends`` carry the open frames from block to block."""
    frames, append_event, append_value = scan.frames, scan.events.append, scan.values.append
    top = previous[: ends[-1]] if ends else b""
    for raw in ordered:
        line = raw.rstrip()
        if not line or line[0] == HASH:
            if line and (match := _METADATA.match(line)):
                scan.metadata.setdefault(match[1].decode("utf-8", "replace"), match[2].decode("utf-8", "replace"))
            continue
        scan.lines += 1
        # The stack is line[:cut]; it is copied as seldom as possible, being long and mostly known.
        cut = line.rfind(b" ")
        digits = line[cut + 1 :]
        exact = None
        if cut > 0 and digits.isdigit() and len(digits) < MAX_DIGITS:
            value = int(digits)
            if line[cut - 1] in _BLANKS:
                line = line[:cut].rstrip()
                cut = len(line)
        else:
            found = _exact_value(scan, raw, first + original.index(raw))
            if found is None:
                continue
            line, exact = found
            cut, value = len(line), int(exact)
            if exact == value and value <= MAX_VALUE:
                exact = None
        if value == 0 and exact is None:
            # differences end in 0 where a stack is gone: not counted here, they would pass for one column
            scan.two_numbers += bool(cut and _SECOND_NUMBER.search(line[max(0, cut - 24) : cut]))
            continue
        if not cut:
            scan.root_values.append(Decimal(value) if exact is None else exact)
            continue
        if line[cut - 1] in _DIGITS and _SECOND_NUMBER.search(line[max(0, cut - 24) : cut]):
            scan.two_numbers += 1
        place = len(top)
        if not line.startswith(top):
            del ends[_common_depth(line, previous, ends) :]
            place = ends[-1] if ends else 0
        new = line[place:cut]
        if (b"; " in new or (place and new[:1] == b" ")) and _append_bracketed(scan, line[:cut]):
            previous, ends, top = b"", [], b""
        else:
            level = len(ends) << 32
            *inner, last = new.split(b";")
            for part in inner:
                append_event(level | frames[part])
                level += ONE_LEVEL
                place += len(part) + 1
                ends.append(place)
            append_event(level | LEAF | frames[last])
            if place != len(top) or inner:
                previous, top = line, line[:place]
            if len(ends) >= MAX_DEPTH:
                raise ProfileError(f"{scan.name}:{first + original.index(raw)}", f"deeper than {MAX_DEPTH} frames")
        if exact is not None:
            scan.decimals[len(scan.values)] = exact
            value = 0
        append_value(value)
    return previous, ends


def scan_file(source: SourceFile, start: int = 0, stop: int | None = None) -> Scan:
    """All lines of a byte range as one front-coded stream. Raises ProfileError."""
    scan = Scan(source.name)
    previous, ends, limit = b"", list[int](), FOLD_EVENTS
    collecting = gc.isenabled()
    gc.disable()  # millions of small objects, none of them in a cycle
    try:
        for ordered, original, first in _blocks(source, start, stop):
            previous, ends = _scan_lines(scan, ordered, original, first, previous, ends)
            if len(scan.events) > limit:
                _fold(scan)
                previous, ends, limit = b"", [], max(FOLD_EVENTS, 2 * len(scan.events))
    finally:
        if collecting:
            gc.enable()
    return scan


def _scaled(scan: Scan) -> tuple[IntArray, int, int]:
    """Exact integer values, the root's own value and their common decimal exponent."""
    fractions = [*scan.decimals.values(), *scan.root_values]
    exponent = min((int(value.normalize().as_tuple().exponent) for value in fractions), default=0)
    exponent = min(exponent, 0)
    factor = 10**-exponent
    values = np.frombuffer(scan.values, np.int64).copy() if len(scan.values) else np.zeros(0, np.int64)
    largest = max([int(values.max(initial=0)) * factor, *(int(value * factor) for value in fractions)])
    total = int(values.sum(dtype=object)) * factor + sum(int(value * factor) for value in fractions)
    if max(largest, total) > MAX_VALUE:
        raise ProfileError(scan.name, f"values add up to {total}, beyond the 62 bits a total may have")
    values *= factor
    for place, value in scan.decimals.items():
        values[place] = int(value * factor)
    return values, sum(int(value * factor) for value in scan.root_values), exponent


def _warnings_of(scan: Scan, names: list[str]) -> tuple[str, ...]:
    notes = []
    if scan.bad_count:
        notes.append(f"{scan.bad_count} of {scan.lines} lines skipped: {'; '.join(scan.bad)}")
    if scan.root_values:
        notes.append(f"{len(scan.root_values)} stacks without a frame counted on the root")
    if scan.bracketed:
        notes.append(f"{scan.bracketed} names hold '; ' inside brackets")
    if replaced := sum("\ufffd" in name for name in names):
        notes.append(f"{replaced} frame names hold bytes that are not UTF-8, replaced")
    if not scan.lines:
        notes.append("the file holds no samples")
    return tuple(notes)


def _check(scan: Scan) -> None:
    if scan.bad_count > WORST_SHARE * scan.lines:
        raise ProfileError(
            scan.name,
            f"looks like folded stacks, but {scan.bad_count} of {scan.lines} lines are not: {'; '.join(scan.bad)}",
        )
    if scan.two_numbers and scan.two_numbers == scan.lines - scan.bad_count:
        raise ProfileError(
            scan.name,
            "every line ends in two numbers, so it is a difference of two profiles; give it with --difference",
        )


def _first_lines(source: SourceFile) -> list[bytes]:
    """The lines of the head; where one deep stack fills it, that whole line."""
    if len(source.head) == source.size or b"\n" in source.head or b";" not in source.head:
        return source.head.splitlines()[:SNIFFED]
    with source.open(0, None) as stream:
        return [stream.readline(LONGEST_FIRST_LINE)]


class FoldedReader:
    """Folded stacks of one column, from any collapser; the last reader to be asked."""

    name = "folded"

    def recognizes(self, source: SourceFile) -> str | None:
        """By grammar: nine of ten of the first 200 lines fit, and one holds ``;`` or all fit."""
        if not source.size:
            return "the file is empty"
        if b"\0" in source.head:
            return None
        lines = [line for line in _first_lines(source) if line.strip() and not line.startswith(b"#")]
        if len(source.head) < source.size and len(lines) > 1:
            lines.pop()  # cut by the end of the head
        fitting = sum(bool((match := _LINE.match(line.rstrip())) and match["bare"] is None) for line in lines)
        if not lines:
            return "it holds only comments and blank lines"
        if fitting == len(lines) or (fitting >= (1 - WORST_SHARE) * len(lines) and any(b";" in line for line in lines)):
            return f"{fitting} of its first {len(lines)} lines read 'frame;frame number'"
        return None

    def read(self, source: SourceFile) -> Profile:
        """Stacks with exact values; a decimal fraction becomes the metric's exponent. Raises ProfileError."""
        scan = scan_file(source)
        _check(scan)
        values, root, exponent = _scaled(scan)
        names = [frame.decode("utf-8", "replace") or "[unknown]" for frame in scan.frames]
        raw = np.frombuffer(scan.events, np.int64) if len(scan.events) else np.zeros(0, np.int64)
        unit, factor, shift = base_unit(scan.metadata.get("unit", "samples"))
        kind = MetricKind.SAMPLED
        metric = Metric(
            scan.metadata.get("metric", "samples" if unit == "samples" else unit),
            unit,
            kind=kind,
            exponent=exponent + shift,
        )
        stacks = Stacks(
            depth=read_only(raw >> 32),
            frame=read_only(raw & FRAME_MASK),
            leaf=read_only((raw & LEAF) != 0),
            values=read_only((values * factor)[np.newaxis, :]),
            root_values=read_only(np.array([root * factor], np.int64)),
        )
        return Profile(
            name=source.name,
            configuration=Configuration(),
            metrics=(metric,),
            frames=FrameList.of_names(names),
            stacks=stacks,
            periods=(_period(unit, exponent, values),),
            facts=Facts(format="folded", profiler=scan.metadata.get("profiler")),
            warnings=_warnings_of(scan, names),
        )


def _period(unit: str, exponent: int, values: IntArray) -> int | None:
    """The value of one sample: 1 for samples, else the greatest common divisor where it is plausible, else unknown."""
    if unit == "samples":
        return 1 if exponent == 0 else None
    divisor = int(np.gcd.reduce(values)) if len(values) else 0
    return divisor if divisor > 1 else None


def split_difference(source: SourceFile, limit: int) -> tuple[SourceFile, SourceFile]:
    """The two one-column sides of a folded difference (``stack before after``). Raises ProfileError."""
    sides: tuple[list[bytes], list[bytes]] = ([], [])
    data = source.read(limit)
    if len(data) > limit:
        raise ProfileError(source.name, f"a difference larger than {limit} bytes")
    for number, line in enumerate(data.splitlines(), start=1):
        if not line.strip() or line.startswith(b"#"):
            continue
        parts = line.rstrip().rsplit(None, 2)
        if len(parts) < COLUMNS or not all(_NUMBER.match(part) for part in parts[1:]):
            raise ProfileError(f"{source.name}:{number}", f"expected 'frame;frame 42 43', got {line[:80]!r}")
        for side, value in zip(sides, parts[1:], strict=True):
            side.append(parts[0] + b" " + value)
    baseline, target = (b"\n".join(side) + b"\n" for side in sides)
    return source_of(f"{source.name} (before)", baseline), source_of(f"{source.name} (after)", target)
