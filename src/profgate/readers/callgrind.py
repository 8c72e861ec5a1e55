"""Reader for the text format of callgrind, cachegrind and Xdebug: exact costs, calls and call edges.

Source: Valgrind's manual, "Callgrind Format Specification".
"""

import re
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from profgate.errors import ProfileError
from profgate.model.arrays import IntArray
from profgate.model.profile import Facts, LineValues, Profile
from profgate.model.record import Struct, field
from profgate.model.source import SourceFile
from profgate.model.units import Metric, MetricKind, base_unit
from profgate.readers.builders import Frames, call_graph, line_of
from profgate.readers.containers import numbered_lines, unwrap
from profgate.readers.json_text import refuse_newer
from profgate.readers.quantities import MAX_TOTAL, NOT_READ
from profgate.readers.reader import BuiltInReader

_HEADER = re.compile(
    rb"(?:# callgrind format|(?:version|creator|desc|cmd|pid|thread|part|positions|events): ?[^\r\n]*)\r?\n"
)
_NUMBERED = re.compile(r"\((\d{1,18})\)(?:[ \t]+(.*))?", re.DOTALL)
# callgrind appends the recursion level to names; with this suffix, each level would be a separate function
_RECURSION = re.compile(r"'\d+$")
_SPACES = {
    "ob": "object", "cob": "object", "fn": "function", "cfn": "function",
    "fl": "file", "fi": "file", "fe": "file", "cfi": "file", "cfl": "file",
}  # fmt: skip
_MAX_EVENTS = 64


class CallgrindReader(BuiltInReader):
    """Reader for callgrind, cachegrind and Xdebug output: exact costs.

    Callgrind and Xdebug also record calls and callers.
    """

    name = "callgrind"
    looks = "a line '# callgrind format', or lines with 'events:' and 'fn='"
    record = "valgrind --tool=callgrind --callgrind-out-file=callgrind.out CMD"
    counted = ("*",)

    def fits(self, source: SourceFile) -> bool:
        """Return whether the file looks like this format."""
        if _HEADER.match(source.head.lstrip()) is None or re.search(rb"(?:^|\n)events: ?", source.head) is None:
            return False
        return source.size <= len(source.head) or re.search(rb"\n(?:fl|fn|ob)=", source.head) is not None

    def read(self, source: SourceFile) -> Profile:
        """Return a profile with one metric per event."""
        source = unwrap(source)
        text = _Text(source.name)
        for number, line in numbered_lines(source):
            text.number = number
            text.add(line.decode(errors="replace").strip())
        return text.profile()


class _Text(Struct):
    where: str
    number: int = 0
    events: list[str] = field(default_factory=list)
    positions: int = 1
    header: dict[str, str] = field(default_factory=dict)
    names: dict[tuple[str, str], str] = field(default_factory=dict)
    frames: Frames = field(default_factory=Frames)
    lines: dict[int, int] = field(default_factory=dict)
    own: list[list[int]] = field(default_factory=list)
    line_costs: dict[tuple[int, int], list[int]] = field(default_factory=dict)  # the own costs, then those of calls
    edges: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    object: str | None = None
    file: str | None = None
    inside: str | None = None  # the file of the current lines, which differs from ``file`` in inlined code
    current: int | None = None
    callee: dict[str, str] = field(default_factory=dict)
    called: tuple[int, int] | None = None
    jumped: bool = False
    last: list[int] = field(default_factory=lambda: [0])
    stated: list[int] | None = None

    def add(self, text: str) -> None:
        first = text[:1]
        if not text or first == "#":
            return
        if first.isdigit() or first in "+-*":
            self.add_cost(text)
            return
        key, found, value = text.partition("=")
        if found and key in _SPACES:
            self.place(key, self.name_of(_SPACES[key], value.strip()))
        elif found and key == "calls":
            self.begin_call(value.split())
        elif text.startswith(("jump=", "jcnd=", "jfi=", "jfn=")):
            self.jumped = key in {"jump", "jcnd"}
        else:
            self.describe(text)

    def describe(self, text: str) -> None:
        key, found, value = text.partition(":")
        if not found or not key.isalpha():
            raise self.error(f"is {text[:60]!r}, which is not a line of a callgrind file")
        value = value.strip()
        if key == "events":
            events = value.split()
            if self.events and events != self.events:
                raise self.error("names other events than the part before")
            if not 0 < len(events) <= _MAX_EVENTS:
                raise self.error(f"names {len(events)} events, but only 1 to {_MAX_EVENTS} can be read")
            self.events = events
        elif key == "positions":
            self.positions = len(value.split())
            self.last = [0] * self.positions
        elif key == "totals" or (key == "summary" and self.current is not None):
            sums = self.numbers(value.split())
            self.stated = [a + b for a, b in zip(self.stated or [0] * len(sums), sums, strict=False)]
        elif key == "version":
            refuse_newer(value, 1, f"{self.where}: line {self.number}")
        else:
            self.header.setdefault(key, value)

    def name_of(self, space: str, value: str) -> str:
        """Return the name in ``value``, or the name that was defined earlier for the number in ``value``."""
        match = _NUMBERED.fullmatch(value)
        if match is None:
            return value
        # name compression: "(1) main" defines a name, and "(1)" stands for it afterwards
        number, name = match.groups()
        if name:
            self.names[space, number] = name
        found = self.names.get((space, number))
        if found is None:
            raise self.error(f"names {space} ({number}), which was not defined before")
        return found

    def place(self, key: str, name: str) -> None:
        match key:
            case "ob":
                self.object = name
            case "fl":
                self.file = self.inside = name
            case "fi" | "fe":
                self.inside = name
            case "fn":
                if not self.events:
                    raise self.error("defines a function before any event")
                self.current = self.function(name, self.file, self.object)
            case _:
                self.callee["cfl" if key == "cfi" else key] = name

    def function(self, name: str, file: str | None, module: str | None) -> int:
        known_file, known_module = (None if part in ("???", "", "php:internal") else part for part in (file, module))
        number = self.frames.number_of(_RECURSION.sub("", name), known_file, module=known_module)
        if number == len(self.own):
            self.own.append([0] * len(self.events))
        return number

    def begin_call(self, parts: list[str]) -> None:
        """Store the callee and the number of calls. The next line contains the cost of the calls."""
        if "cfn" not in self.callee or self.current is None or len(parts) < 2:
            raise self.error("is not a call of a function that was named before")
        file, module = self.callee.get("cfl", self.inside), self.callee.get("cob", self.object)
        self.called = self.function(self.callee["cfn"], file, module), self.numbers(parts[:1])[0]
        self.callee = {}

    def add_cost(self, text: str) -> None:
        parts = text.split()
        if len(parts) < self.positions:
            raise self.error(f"has {len(parts)} numbers, {self.positions} positions come before the costs")
        self.move(parts[: self.positions])
        if self.jumped:
            self.jumped = False
            return
        costs = self.numbers(parts[self.positions :])
        if self.current is None:
            raise self.error("has costs before any function was named")
        if len(costs) > len(self.events):
            raise self.error(f"has {len(costs)} costs of {len(self.events)} events")
        line = line_of(self.last[-1]) if self.inside == self.file else None
        if self.called is None:
            into, at = self.own[self.current], 0
            if line is not None:
                self.lines[self.current] = min(line, self.lines.get(self.current, line))
        else:
            callee, calls = self.called
            into, at = self.edges.setdefault((self.current, callee), [0] * (1 + len(self.events))), 1
            into[0] += calls
            self.called = None
        for place, cost in enumerate(costs, at):
            into[place] += cost
        if line is not None:
            of_line = self.line_costs.setdefault((self.current, line), [0, 0] * len(self.events))
            for place, cost in enumerate(costs, len(self.events) if at else 0):
                of_line[place] += cost

    def move(self, texts: list[str]) -> None:
        """Update the position with the columns of a cost line. The last of these columns is the source line."""
        # "+3" and "-3" are relative to the line before, and "*" repeats it (subposition compression)
        for place, text in enumerate(texts):
            if text != "*":
                number = self.numbers([text.lstrip("+-")])[0]
                sign = {"+": 1, "-": -1}.get(text[0])
                self.last[place] = number if sign is None else self.last[place] + sign * number

    def numbers(self, texts: list[str]) -> list[int]:
        """Return the integers in ``texts``, some of which may be hexadecimal."""
        if max(map(len, texts), default=0) > 19:
            raise self.error("has a number beyond 2^63")
        try:
            return [int(text, 16) if text[:2] == "0x" else int(text) for text in texts]
        except ValueError:
            raise self.error(f"has {' '.join(texts)[:60]!r} instead of numbers") from None

    def error(self, what: str) -> ProfileError:
        return ProfileError(f"{self.where}: line {self.number}", f"{what}; {NOT_READ}")

    def profile(self) -> Profile:
        """Return a profile of functions and call edges, with one metric for each event without negative costs."""
        own = self.columns(self.own, self.events).T
        self.check_totals(own)
        rows = [row for row in range(len(self.events)) if np.all(own[row] >= 0)]
        measured = [_metric_of(self.events[row], exact=self.exact) for row in rows]
        left_out = [event for row, event in enumerate(self.events) if row not in rows]
        edges = self.columns(list(self.edges.values()), ["calls", *self.events]).T
        caller, callee = np.array(list(self.edges), dtype=np.int64).reshape(-1, 2).T
        total, bounds = _totals(own, caller, callee, edges[1:])
        factors = np.array([factor for _, factor in measured], dtype=np.int64).reshape(-1, 1)
        tables = [self.scaled(table[rows], factors) for table in (own, total, np.minimum(edges[1:], total[:, callee]))]
        calls = np.zeros(len(self.own), dtype=np.int64)
        np.add.at(calls, callee, edges[0])
        graph = call_graph(
            own=tables[0], total=tables[1], calls=calls, edges=self.edges, edge_total=tables[2], edge_calls=edges[0]
        )
        graph = graph._replace(lines=self.line_values(rows, factors, tables[1]))
        lines = [self.lines.get(number) for number in range(len(self.own))]
        creator = re.match(r"([A-Za-z]+)[- ]([\d.]+)", self.header.get("creator", ""))
        # Cachegrind names itself in no line, but begins with a description of the caches
        unnamed = "cachegrind" if "desc" in self.header and "creator" not in self.header else None
        name, version = creator.groups() if creator else (unnamed, None)
        upper_bounds = "functions that call each other in circles, whose inclusive costs are upper bounds"
        return Profile(
            name=self.where,
            metrics=tuple(metric for metric, _ in measured),
            frames=self.frames.listed()._replace(lines=lines),
            graph=graph,
            periods=(None,) * len(rows),
            facts=Facts(
                format=CallgrindReader.name,
                profiler=name,
                profiler_version=version,
                runtime="php" if name == "xdebug" else None,
            ),
            warnings=tuple(self.warnings(left_out)),
            warning_counts={upper_bounds: bounds} if bounds else {},
            program=self.header.get("cmd", ""),
        )

    def line_values(self, rows: list[int], factors: IntArray, totals: IntArray) -> LineValues | None:
        """Return the line costs of each function. The cost of a line is limited to the cost of its function."""
        if not self.line_costs:
            return None
        places = sorted(self.line_costs)
        costs = self.columns([self.line_costs[place] for place in places], 2 * self.events).T
        own, calls = (self.scaled(part[rows], factors) for part in np.split(costs, 2))
        frame, line = np.array(places, dtype=np.int64).T
        total = np.minimum(own + calls, totals[:, frame])
        return LineValues(frame, line, own, total)

    def columns(self, rows: list[list[int]], names: list[str]) -> IntArray:
        """Return an int64 array with one column per name. Raises ProfileError if a number or sum exceeds 63 bits."""
        for name, column in zip(names, zip(*rows, strict=True), strict=False):
            if sum(map(abs, column)) > MAX_TOTAL:
                raise ProfileError(f"{self.where}: {name}", "the costs add up to more than 2^63; record less")
        return np.array(rows, dtype=np.int64).reshape(-1, len(names))

    def scaled(self, table: IntArray, factors: IntArray) -> IntArray:
        if len(table) and table.shape[1] and np.any(table.sum(axis=1, dtype=object) * factors.T > MAX_TOTAL):
            raise ProfileError(self.where, "the costs add up to more than 2^63 of their base unit; record less")
        return np.asarray(table * factors)

    def check_totals(self, own: IntArray) -> None:
        """Raise ProfileError if the costs do not add up to the totals in the file. Xdebug rounds its totals."""
        if self.stated is None or self.header.get("creator", "").startswith("xdebug"):
            return
        for event, total, stated in zip(self.events, own.sum(axis=1).tolist(), self.stated, strict=False):
            if total != stated:
                raise ProfileError(self.where, f"the costs of {event} add up to {total}, but the file states {stated}")

    @property
    def exact(self) -> bool:
        """Whether a tool wrote the file that counts every event, and not a sampler or timer in callgrind's format."""
        creator = self.header.get("creator", "")
        return creator.startswith(("callgrind", "xdebug")) or "desc" in self.header or self.events[:1] == ["Ir"]

    def warnings(self, left_out: list[str]) -> Iterator[str]:
        if self.stated is None and self.exact:
            yield "the file ends without totals; it may be cut off"
        for event in left_out:
            yield f"{event} is left out: it has negative costs"


def _totals(own: IntArray, caller: IntArray, callee: IntArray, costs: IntArray) -> tuple[IntArray, int]:
    """Return the int64 inclusive costs, one row per event, and the number of functions whose costs are upper bounds.

    The inclusive cost of a function is its self cost plus the cost of its calls to other functions. In mutually
    recursive functions, the cost of a call is counted repeatedly. The inclusive cost of such a function is therefore
    limited to the cost of the whole group of functions that call each other.
    """
    total = own.copy()
    others = caller != callee
    circle, sizes = components_of(caller, callee, own.shape[1])
    leaving = circle[caller] != circle[callee]
    bound = np.zeros((len(own), len(sizes)), dtype=np.int64)
    for event in range(len(own)):
        np.add.at(total[event], caller[others], costs[event, others])
        np.add.at(bound[event], circle, own[event])
        np.add.at(bound[event], circle[caller[leaving]], costs[event, leaving])
    bounded = sizes[circle] > 1
    total[:, bounded] = np.minimum(total, bound[:, circle])[:, bounded]
    return total, int(bounded.sum())


def components_of(caller: IntArray, callee: IntArray, count: int) -> tuple[IntArray, IntArray]:
    """Return int64 arrays with the strongly connected component of each function and the size of each component."""
    order = np.argsort(caller, kind="stable")
    callees, edges = callee[order].tolist(), np.searchsorted(caller[order], np.arange(count + 1)).tolist()
    calls: list[Iterator[int]] = [iter(callees[start:end]) for start, end in pairwise(edges)]
    calls.append(iter(range(count)))  # one more function, which calls all others
    # Tarjan, "Depth-first search and linear graph algorithms", 1972
    entered, lowest, component = dict[int, int](), [0] * (count + 1), [-1] * (count + 1)
    path, waiting, found = [count], list[int](), 0
    while path:
        function = path[-1]
        if function not in entered:
            entered[function] = lowest[function] = len(entered)
            waiting.append(function)
        called = next(calls[function], None)
        if called is None:
            path.pop()
            above = path[-1] if path else function
            lowest[above] = min(lowest[above], lowest[function])
            if lowest[function] == entered[function]:
                while component[function] < 0:
                    component[waiting.pop()] = found
                found += 1
        elif called not in entered:
            path.append(called)
        elif component[called] < 0:
            lowest[function] = min(lowest[function], lowest[called])
    numbers = np.array(component[:count], np.int64)
    return numbers, np.bincount(numbers).astype(np.int64)


def _metric_of(event: str, *, exact: bool) -> tuple[Metric, int]:
    """Return the metric of an event and the factor to its base unit, which is in the event names of Xdebug."""
    if not exact and event.lower() in {"samples", "instructions"}:  # of rbspy and stackprof
        return Metric(event, "samples"), 1
    counted = MetricKind.COUNTED if exact else MetricKind.TIMED
    # for example, ``Time_(10ns)``, which Xdebug writes
    match = re.fullmatch(r"(?P<name>.+?)_\((?P<factor>\d{0,6})(?P<unit>[^\W\d_]+)\)", event)
    if match is None or base_unit(match["unit"])[0] not in {"nanoseconds", "bytes"}:
        return Metric(event, "count", kind=counted), 1
    unit, factor, power = base_unit(match["unit"])
    kind = MetricKind.TIMED if unit == "nanoseconds" else counted
    return Metric(match["name"].lower(), unit, kind=kind), int(match["factor"] or 1) * factor * int(10**power)
