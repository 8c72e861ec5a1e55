"""Reader for folded stacks (``a;b;c 12``), a text format that many profilers can write."""

import re
from collections.abc import Callable

import numpy as np

from profgate.errors import ProfileError
from profgate.model.arrays import IntArray, exact_sum, read_only
from profgate.model.kernels import Kernels
from profgate.model.profile import PYTHON_SAMPLING, Facts, FrameList, Profile, Stacks
from profgate.model.source import SourceFile, source_of
from profgate.model.units import Metric, MetricKind, base_unit
from profgate.readers.builders import line_of
from profgate.readers.containers import MAX_LINE
from profgate.readers.folded_scan import WORST_SHARE, Scan, check_sum, scan_file, stack_and_value
from profgate.readers.reader import BuiltInReader

_EMPTY_LEAF = re.compile(rb"(?<!;);+(?=[ \t]+[\d.]+\s*?$)", re.MULTILINE)
# a tenth of a millisecond in nanoseconds; a divisor of counts is smaller, and of so many counts it is 1
SMALLEST_PERIOD = 10_000
FEWEST_MULTIPLES = 8
FIRST = 20  # lines by which a file is recognised
_LINE = re.compile(r"-?[0-9]{1,10}")
_STACKS = re.compile(rb"(?:[^\n]*[ \t]\d++\n)*+[^\n]*[ \t]\d++")  # usual lines, each of which `stack_and_value` accepts


def _scaled(scan: Scan) -> tuple[IntArray, int, int]:
    """Return the values and the self value of the root as exact integers, and their common decimal exponent."""
    fractions = [*scan.decimals.values(), *scan.root_values]
    exponent = min([0, *(int(value.normalize().as_tuple().exponent) for value in fractions)])
    factor = 10**-exponent
    values, root = np.array(scan.values, np.int64), int(sum(scan.root_values) * factor)
    exact = {place: int(value * factor) for place, value in scan.decimals.items()}
    check_sum(scan.name, exact_sum(values) * factor + sum(exact.values()) + root)
    values *= factor
    for place, value in exact.items():
        values[place] = value
    return values, root, exponent


def _warnings_of(scan: Scan, names: list[str]) -> tuple[str, ...]:
    """Return warnings about skipped lines and replaced bytes.

    Raises ProfileError if the file does not contain folded stacks with one value each.
    """
    quoted = "; ".join(f"line {number}: {what}" for number, what in scan.bad)
    if scan.bad_count > WORST_SHARE * scan.lines:
        what = f"looks like folded stacks, but {scan.bad_count} of {scan.lines} lines are not: {quoted}"
        raise ProfileError(scan.name, what)
    if scan.two_numbers and scan.two_numbers == scan.lines - scan.bad_count:
        what = "every line ends in two numbers, so it is a difference; use the two profiles instead"
        raise ProfileError(scan.name, what)
    notes = []
    if scan.bad_count:
        notes.append(f"{scan.bad_count} of {scan.lines} lines skipped: {quoted}")
    if replaced := len([name for name in names if "\ufffd" in name]):
        notes.append(f"{replaced} frame names hold bytes that are not UTF-8, replaced")
    if not scan.lines:
        notes.append("the file contains no samples")
    return tuple(notes)


def _first_lines(source: SourceFile) -> list[bytes]:
    """Return the complete lines in the head, or the complete first line if the head does not contain it."""
    if len(source.head) == source.size or b"\n" in source.head or b";" not in source.head:
        return source.head.split(b"\n", FIRST)[:FIRST]
    with source.open(0, None) as stream:
        return [stream.readline(MAX_LINE)]


class FoldedReader(BuiltInReader):
    """Reader for folded stacks (py-spy raw, async-profiler, Python 3.15, ...): one column, `frame;frame number`."""

    name = "folded"
    looks = (
        "nine of ten lines read 'frame;frame number', with lines as py-spy, rbspy, phpspy or Python 3.15 write them;"
        " tried last"
    )
    record = "py-spy record --format raw -o a.folded -- CMD"
    counted = ("heap",)

    def __init__(self, kernels: Kernels | None = None) -> None:
        self._kernels = kernels

    def recognizes(self, source: SourceFile) -> str | None:
        """Return the reason why the first 20 lines look like folded stacks, or None.

        The file is recognised if all these lines match, or if at least half of them match and a line contains ``;``.
        The method `read` reports lines that do not match.
        """
        if not source.size:
            return "the file is empty"
        # Austin's folded stacks have their own reader, because their frames contain the file and the line
        if b"\0" in source.head or source.head.lstrip().startswith(b"# austin:"):
            return None
        lines = [line for line in _first_lines(source) if line.strip() and not line.startswith(b"#")]
        if len(source.head) < source.size and len(lines) > 1:
            lines.pop()  # the last line in the head may be incomplete
        fitting = len(lines) if _STACKS.fullmatch(b"\n".join(lines)) else sum(map(bool, map(stack_and_value, lines)))
        if not lines:
            return "it holds only comments and blank lines"
        if fitting == len(lines) or (2 * fitting >= len(lines) and any(b";" in line for line in lines)):
            return f"{fitting} of its first {len(lines)} lines read 'frame;frame number'"
        return None

    def read(self, source: SourceFile) -> Profile:
        """Return a profile with exact values. Decimal fractions are stored as integers with an exponent."""
        source, traced = _without_empty_leaves(source)
        scan = scan_file(source, self._kernels)
        traced = 0 < scan.lines <= traced
        # all names are decoded at once, and a line break follows each name
        names = [name or "[unknown]" for name in scan.names.decode("utf-8", "replace").split("\n")[:-1]]
        warnings = _warnings_of(scan, names)
        values, root, exponent = _scaled(scan)
        depth, frame, leaf = scan.events()
        unit, factor, shift = base_unit(scan.metadata.get("unit", "samples"))
        metric = Metric(scan.metadata.get("metric", unit), unit, exponent=exponent + shift)
        if traced:
            metric = Metric("heap", "count", kind=MetricKind.COUNTED, exponent=exponent)
        stacks = Stacks(
            depth=read_only(depth),
            frame=read_only(frame),
            leaf=read_only(leaf),
            values=read_only((values * factor)[np.newaxis, :]),
            root_values=read_only(np.array([root * factor], np.int64)),
        )
        frames, stacks, profiler = read_dialect(names, stacks)
        return Profile(
            name=source.name,
            metrics=(metric,),
            frames=frames,
            stacks=stacks,
            periods=(None if traced else _period(unit, exponent, values),),
            facts=Facts(format="folded", profiler="heaptrack" if traced else scan.metadata.get("profiler", profiler)),
            warnings=warnings,
        )


def _period(unit: str, exponent: int, values: IntArray) -> int | None:
    """Return the value of one sample, or None if it is unknown.

    The value is the greatest common divisor of the values if that divisor exceeds 1. Without a unit, the values are
    samples, unless so many values have so large a divisor that they are multiples of a period.
    """
    divisor = int(np.gcd.reduce(values)) if len(values) else 0
    if unit != "samples":
        return divisor if divisor > 1 else None
    if exponent == 0:
        return divisor if len(values) >= FEWEST_MULTIPLES and divisor >= SMALLEST_PERIOD else 1
    return None


def _without_empty_leaves(source: SourceFile) -> tuple[SourceFile, int]:
    """Return the file without the empty last frames that heaptrack writes, and the number of lines with one."""
    # a search for the few files with "; " is much slower than this test
    if not (b"; " in source.head or b";\t" in source.head) or not _EMPTY_LEAF.search(source.head):
        return source, 0
    data, count = _EMPTY_LEAF.subn(b"", source.read(source.size))
    return source_of(source.name, data), count


def unnumbered(file: str | None, name: str) -> str:
    """Remove the number from the name of an asyncio task, because the number depends on the start order of tasks."""
    return "Task-*" if file == "<task>" and name.removeprefix("Task-").isdecimal() else name


def _rbspy(text: str) -> tuple[str, str]:
    """Return the name and the file in a string such as `block in add - shop/cart.rb`."""
    name, _, file = text.partition(" - ")
    return name, file


def _phpspy(text: str) -> tuple[str, str]:
    """Return the name and the file in a string such as `Cart::add /shop/cart.php`.

    PHP's built-in functions have the file `<internal>`.
    """
    name, _, file = text.partition(" ")
    return name, file if "." in file or "/" in file or file.startswith("<") else ""


def _python_sampling(text: str) -> tuple[str, str]:
    """Return the name and the file in a string such as `cart.py:Cart.add`."""
    file, _, name = text.partition(":")
    return name, file


def read_dialect(names: list[str], stacks: Stacks) -> tuple[FrameList, Stacks, str | None]:
    """Return frames with files and lines, stacks without thread frames, and the profiler (None if it is unknown).

    A dialect is the notation of one profiler. If most names match a dialect, all names are parsed as this dialect.
    Otherwise, the names are not changed.
    """
    # Python's sampling profiler starts each stack with a frame for the thread, also the first one, which has number 0
    if (
        names
        and names[0].startswith("tid:")
        and all(re.fullmatch(r"tid:\d+", names[root]) for root in set(stacks.frame[stacks.depth == 0].tolist()))
    ):
        names, stacks = _without_threads(names, stacks)
        return _frames(names, _python_sampling), stacks, PYTHON_SAMPLING
    if 2 * sum(name[-1].isdigit() for name in names if ":" in name) > len(names):
        for dialect in (_rbspy, _phpspy):
            frames = _frames(names, dialect)
            if 2 * sum(file is not None for file in frames.files) > len(names):
                return frames, stacks, None
    return FrameList.of_names(names), stacks, None


def _without_threads(names: list[str], stacks: Stacks) -> tuple[list[str], Stacks]:
    """Return the names and stacks without the first frame of each stack, which represents the thread."""
    below, on_root = stacks.depth > 0, stacks.depth[stacks.leaf] == 0
    used, frame = np.unique(stacks.frame[below], return_inverse=True)
    left = stacks._replace(
        depth=read_only(stacks.depth[below] - 1),
        frame=read_only(frame.astype(np.int64)),
        leaf=read_only(stacks.leaf[below]),
        values=read_only(stacks.values[:, ~on_root]),
        root_values=read_only(stacks.root_values + stacks.values[:, on_root].sum(axis=1)),
    )
    return [names[number] for number in used.tolist()], left


def _frames(names: list[str], dialect: Callable[[str], tuple[str, str]]) -> FrameList:
    """Parse the names as a dialect and return the frames. A frame that does not match the dialect has only a name."""
    frames = FrameList.of_names(list(names))
    for number, text in enumerate(names):
        place, _, line = text.rpartition(":")
        name, file = dialect(place)
        if name and file and _LINE.fullmatch(line):
            frames.names[number] = unnumbered(file, name)
            frames.files[number] = file
            frames.lines[number] = line_of(int(line))
    return frames
