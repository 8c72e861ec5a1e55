"""Reader for the output of ``perf script``, which contains an event and a leaf-first stack for each sample.

Source: the manual page perf-script(1). The fields in the output depend on the options of the command.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice, pairwise, starmap

import numpy as np

from profgate.errors import ProfileError
from profgate.model.arrays import IntArray
from profgate.model.profile import Facts, Profile
from profgate.model.record import Struct, field
from profgate.model.source import SourceFile
from profgate.model.units import Metric
from profgate.readers.builders import Frames, Paths, line_of
from profgate.readers.containers import numbered_lines, unwrap
from profgate.readers.quantities import MAX_TOTAL, NOT_READ, refuse_expansion
from profgate.readers.reader import BuiltInReader

# header line of a sample: command, process ID, optional thread ID, CPU, time and period, event, and an optional frame
_HEADER = re.compile(
    rb"(?P<command>\S[^;]*?) -?\d+(?:/-?\d+)?(?: \[\d+\])?(?: \d+\.\d+:)?(?: (?P<period>\d+))?"
    rb" (?P<event>[A-Za-z_][^\s;]*?):(?: (?P<rest>.*))?",
    re.DOTALL,
)
_FRAME = re.compile(rb"(?P<address>[0-9a-f]+)[ \t]+(?P<call>\S.*)")
_SOURCE_LINE = re.compile(rb"[^\s()]+(?::(?P<line>\d+)|\+0x[0-9a-f]+|\[[0-9a-f]+\])")
# the name of an event with the processor that counts it, of which a hybrid CPU has several kinds
_CORES = re.compile(r"(?P<cores>cpu(?:_core|_atom|_lowpower)?|armv\d\w*|apple_\w+_pmu)/(?P<event>[^/]+)/(?P<more>\w*)")
_MODIFIERS = re.compile(r":[ukhpPGHSDIWe]+$")
# patterns for the symbols that V8 (with --perf-basic-prof) and CPython (with -X perf) write for perf
_V8 = re.compile(
    r"(?:JS|LazyCompile|Function|Eval|Script):[~*^+]?(?>(?P<name>[^/:]*) )(?P<file>.*?):(?P<line>\d+)(?::\d+)?"
)
_PYTHON = re.compile(r"py::(?P<name>.+?):(?P<file>.*)", re.DOTALL)
_DELETED = " (deleted)"
_MESSAGES = (b"#", b"[ perf ", b"Warning:")  # comments, and what perf writes to standard error


class PerfReader(BuiltInReader):
    """Reader for the output of `perf script`: stacks with the command name as root, and one metric per event."""

    name = "perf"
    looks = "header lines of samples, each with frames below it"
    record = "perf record -g -o perf.data CMD; perf script -i perf.data > a.perf.txt"

    def fits(self, source: SourceFile) -> bool:
        """Return whether the file looks like this format, perhaps after messages."""
        lines = (line.rstrip() for line in source.head.splitlines() if not line.startswith(_MESSAGES))
        first_lines = islice(filter(None, lines), 20)
        return any(starmap(_is_sample, pairwise(chain(first_lines, [b""]))))

    def read(self, source: SourceFile) -> Profile:
        """Return a profile with the sampling periods of each event, or with sample counts if periods are missing."""
        source = unwrap(source)
        text = _Text(source.name, source.size)
        text.read(source)
        return text.profile()


class _Event(Struct):
    """Samples of an event: the number of samples and the sum of their periods, for each path."""

    samples: dict[int, int] = field(default_factory=dict)
    periods: dict[int, int] = field(default_factory=dict)
    distinct: set[int | None] = field(default_factory=set)

    def add(self, path: int, period: int | None) -> None:
        self.samples[path] = self.samples.get(path, 0) + 1
        self.periods[path] = self.periods.get(path, 0) + (period or 0)
        if len(self.distinct) < 2 or period is None:
            self.distinct.add(period)


class _Text(Struct):
    """State of the parser. Equal paths have the same number."""

    where: str
    size: int
    frames: Frames = field(default_factory=Frames)
    calls: dict[tuple[bytes, int | None], int] = field(default_factory=dict)
    paths: dict[tuple[int, ...], int] = field(default_factory=dict)
    events: dict[str, _Event] = field(default_factory=dict)
    cores: Counter[str] = field(default_factory=Counter)
    open: tuple[str, int | None] | None = None
    stack: list[int] = field(default_factory=list)
    last: bytes | None = None
    taken: int = 0
    skipped: int = 0
    messages: int = 0  # skipped lines before the first sample
    first_skipped: str = ""
    unfinished: bool = False

    def read(self, source: SourceFile) -> None:
        for number, line in numbered_lines(source):
            text = line.strip()
            if not text and line.endswith(b"\n"):
                self.close()
            elif not text or line.startswith(_MESSAGES):
                continue
            elif self.open is not None and line[:1].isspace():
                self.add_frame(text, number)
            else:
                self.begin(text, number)
        self.unfinished = self.open is not None
        self.close()
        # a file with more than one unreadable line per ten samples is assumed to be in another format
        if (self.skipped - self.messages) * 10 > self.taken:
            raise ProfileError(
                f"{self.where}: {self.first_skipped}",
                "is not a sample of perf script; write it with: perf script -i FILE",
            )

    def begin(self, text: bytes, number: int) -> None:
        self.close()
        header = _header_of(text)
        if header is None:
            self.skip(text, number)
            return
        period = None if header["period"] is None else int(header["period"][:20])
        if period is not None and period > 1 << 62:
            raise ProfileError(f"{self.where}: line {number}", f"has a period of {period}; {NOT_READ}")
        if not self.taken:
            self.messages = self.skipped
        name, cores = _event_name(header["event"])
        self.open = name, period
        self.cores.update([cores] if cores else [])
        self.stack.append(self.frames.number_of(header["command"].decode(errors="replace")))
        call = _call_of(header["rest"] or b"")
        if call is not None:
            self.stack.append(self.frame_of(call))

    def add_frame(self, text: bytes, number: int) -> None:
        call = _call_of(text)
        if call is not None:
            self.stack.append(self.frame_of(call))
            self.last = call
        elif (place := _SOURCE_LINE.fullmatch(text)) is None:
            if _header_of(text) is None:
                self.skip(text, number)
            else:  # without stacks, the commands of samples are indented
                self.begin(text, number)
        elif place["line"] is not None and self.last is not None:  # perf script -F +srcline writes source lines
            self.stack[-1] = self.frame_of(self.last, line_of(int(place["line"][:10])))
            self.last = None

    def skip(self, text: bytes, number: int) -> None:
        self.skipped += 1
        self.first_skipped = self.first_skipped or f"line {number}: {text[:60].decode(errors='replace')!r}"

    def close(self) -> None:
        if self.open is None:
            return
        event, period = self.open
        # perf script prints the leaf first, after the header with the command
        root, *calls = self.stack
        path = self.paths.setdefault((root, *reversed(calls)), len(self.paths))
        self.events.setdefault(event, _Event()).add(path, period)
        self.taken += 1
        self.open = None
        self.stack.clear()

    def frame_of(self, call: bytes, line: int | None = None) -> int:
        """Return the number, which is cached, of a frame such as ``symbol+0x1 (module)`` with its executed line."""
        number = self.calls.get((call, line))
        if number is None:
            found = self.frames.number_of(*_frame_of(call.decode(errors="replace")), executed=line)
            number = self.calls[call, line] = found
        return number

    def profile(self) -> Profile:
        values, metrics, periods = self.columns()
        paths, cores = Paths(), max(self.cores, key=self.cores.__getitem__, default=None)
        for path in self.paths:
            paths.add(path)
        return Profile(
            name=self.where,
            metrics=metrics,
            frames=self.frames.listed(),
            stacks=paths.stacks(values, self.where),
            periods=periods,
            facts=Facts(format=PerfReader.name, profiler="perf", cores=cores),
            warnings=tuple(self.warnings()),
        )

    def columns(self) -> tuple[IntArray, tuple[Metric, ...], tuple[int | None, ...]]:
        """Return the int64 values by event and path, and for each event the metric and the value of one sample."""
        refuse_expansion(len(self.events) * len(self.paths), self.size, self.where)
        values = np.zeros((len(self.events), len(self.paths)), dtype=np.int64)
        metrics: list[Metric] = []
        periods: list[int | None] = []
        for row, (name, event) in enumerate(self.events.items()):
            counted = None in event.distinct  # some samples have no period
            sums = event.samples if counted else event.periods
            if sum(sums.values()) > MAX_TOTAL:
                raise ProfileError(f"{self.where}: event {name}", "the periods add up to more than 2^63; record less")
            values[row, list(sums)] = list(sums.values())
            unit = "nanoseconds" if _MODIFIERS.sub("", name) in ("cpu-clock", "task-clock") else "count"
            metrics.append(Metric(name, "samples" if counted else unit))
            periods.append(1 if counted else next(iter(event.distinct)) if len(event.distinct) == 1 else None)
        return values, tuple(metrics), tuple(periods)

    def warnings(self) -> Iterator[str]:
        if self.skipped:
            yield f"{self.skipped} lines were skipped, the first is {self.first_skipped}"
        if self.unfinished:
            yield "the last sample does not end with a blank line; the text may be cut off"


@lru_cache
def _event_name(written: bytes) -> tuple[str, str]:
    """Return the name of an event and the kind of cores that counted it, or "" if that is not stated.

    The name has no precision modifiers, such as ``cycles:u`` for ``cycles:ppu`` and for ``cpu_core/cycles/ppu``.
    """
    text, cores = written.decode(errors="replace"), ""
    if found := _CORES.fullmatch(text):
        cores = found["cores"]
        text = f"{found['event']}:{found['more']}" if found["more"] else found["event"]
    if modifiers := _MODIFIERS.search(text):
        levels = "".join(letter for letter in modifiers[0][1:] if letter in "ukh")
        text = text[: modifiers.start()] + (f":{levels}" if levels else "")
    return text, cores


def _header_of(line: bytes) -> re.Match[bytes] | None:
    """Match the first line of a sample. Runs of blanks are collapsed; otherwise, matching could be slow."""
    return _HEADER.fullmatch(b" ".join(line.split()))


def _is_sample(first: bytes, second: bytes) -> bool:
    """Return whether these lines are the header of a sample and a frame, which may follow in the same line."""
    header = _header_of(first)
    if header is None:
        return False
    return _call_of(header["rest"] or b"") is not None or (second[:1].isspace() and _call_of(second) is not None)


def _call_of(text: bytes) -> bytes | None:
    """Return the text after the address of a frame, or None if the line is not a frame."""
    frame = _FRAME.fullmatch(text.strip())
    return None if frame is None else frame["call"]


def _frame_of(call: str) -> tuple[str, str | None, int | None, str | None]:
    """Return the name, file, line and module of a frame such as ``f+0x1 (module)``, ``f (inlined)`` or ``f``."""
    symbol, module = call, None
    if call.endswith(")"):
        end = call.removesuffix(_DELETED + ")") if call.endswith(_DELETED + ")") else call[:-1]
        opening = end.find(" (/") if " (/" in end else end.rfind(" (")  # a folder may be called "App (x86)"
        if opening > 0:
            symbol, module = call[:opening], end[opening + 2 :]
    symbol = re.sub(r"\+0x[0-9a-f]+$", "", symbol)
    # the map or library of generated code has the number of the process in its name
    of_one_process = re.fullmatch(r".*/(?:perf|jitted)-\d+(?:-\d+)?\.(?:map|so)", module or "")
    if module in {"inlined", "[unknown]"} or of_one_process:
        module = None
    if found := _PYTHON.fullmatch(symbol):
        return found["name"], found["file"] or None, None, module
    if found := _V8.fullmatch(symbol):
        file = found["file"].removeprefix("file://")
        return found["name"] or "(anonymous)", file or None, int(found["line"][:9]), module
    return symbol, None, None, module
