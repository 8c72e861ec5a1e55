"""speedscope files: sampled and evented profiles, all threads of a file together."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import chain

import numpy as np

from profgate.model.arrays import IntArray
from profgate.model.profile import Configuration, Facts, FrameList, Profile, Stacks
from profgate.model.source import SourceFile
from profgate.model.units import Metric, MetricKind, base_unit
from profgate.readers.containers import read_all, unwrap
from profgate.readers.json_text import Json, begins_object, decode, ends_hold, listing, mapping, wrong
from profgate.readers.quantities import MAX_TOTAL, in_base_unit, period_of, whole_numbers
from profgate.readers.stack_events import stacks_from_parents, stacks_from_paths

_SCHEMA = b"speedscope.app/file-format-schema.json"
_METRIC_NAMES = {"nanoseconds": "time", "bytes": "bytes", "samples": "samples"}
_UNITS = ("none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes")
_MAX_LINE = 1 << 31
# decimals of the base unit: finer digits are noise of binary fractions, and would leave no room for large sums
_DECIMALS = 3
_NONE = np.zeros(0, dtype=np.int64)


class SpeedscopeReader:
    """Reads files of speedscope's own format: stacks, a metric for each unit."""

    name = "speedscope"

    def recognizes(self, source: SourceFile) -> str | None:
        """Why this file looks like the format, or None."""
        if begins_object(source) and ends_hold(source, _SCHEMA):
            return "it is JSON that names speedscope's schema"
        return None

    def read(self, source: SourceFile) -> Profile:
        """All profiles of the file as one: a metric for each unit, stacks of all threads together."""
        where = source.name
        document = mapping(decode(read_all(unwrap(source)), where), where, "the document")
        frames = _frames(mapping(document.get("shared"), where, "'shared'"), where)
        threads = listing(document.get("profiles"), where, "'profiles'")
        parts = [
            _part(mapping(thread, f"{where}: profile {number}", "it"), len(frames.names), f"{where}: profile {number}")
            for number, thread in enumerate(threads)
        ]
        columns = [_column(base, chosen, where) for base, chosen in _by_base_unit(parts).items()]
        counted: Counter[str] = sum((part.warnings for part in parts), Counter())
        warnings = [f"{count} {what}" for what, count in sorted(counted.items())]
        if any(column.rounded for column in columns):
            warnings.append(f"values were rounded to {_DECIMALS} decimals or what 63 bits can hold")
        rate = next((1e9 / one.period for one in columns if one.metric.unit == "nanoseconds" and one.period), None)
        profiler, _, version = str(document.get("exporter") or "").partition("@")
        return Profile(
            name=where,
            configuration=Configuration(),
            metrics=tuple(column.metric for column in columns),
            frames=frames,
            stacks=_merged(parts, columns, where),
            periods=tuple(column.period for column in columns),
            facts=Facts(
                format=SpeedscopeReader.name, profiler=profiler or None, profiler_version=version or None, rate=rate
            ),
            warnings=tuple(warnings),
        )


@dataclass(frozen=True, slots=True)
class _Part:
    """One profile of the file: either paths or a tree, with values as written."""

    unit: str
    kind: MetricKind
    values: Sequence[int | Decimal]
    paths: tuple[IntArray, IntArray] | None
    tree: "_Tree | None"
    warnings: Counter[str]


@dataclass
class _Tree:
    """The call tree of an evented profile while it is read; node 0 is the first frame ever opened."""

    parent: list[int] = field(default_factory=list)
    frame: list[int] = field(default_factory=list)
    weight: list[int | Decimal] = field(default_factory=list)
    calls: list[int] = field(default_factory=list)
    children: dict[tuple[int, int], int] = field(default_factory=dict)
    open: list[int] = field(default_factory=list)
    running: Counter[int] = field(default_factory=Counter)

    def enter(self, frame: int) -> None:
        above = self.open[-1] if self.open else -1
        node = self.children.setdefault((above, frame), len(self.parent))
        if node == len(self.parent):
            self.parent.append(above)
            self.frame.append(frame)
            self.weight.append(0)
            self.calls.append(0)
        self.calls[node] += 1
        self.open.append(node)
        self.running[frame] += 1

    def leave(self, frame: int) -> int:
        """Close the innermost call of a frame; how many calls did not stand where they should."""
        if not self.running[frame]:
            return 1
        skipped = 0
        while (left := self.frame[self.open.pop()]) != frame:
            self.running[left] -= 1
            skipped += 1
        self.running[frame] -= 1
        return skipped

    def spend(self, time: int | Decimal) -> None:
        """Time between two events belongs to the innermost open call; without one nothing ran."""
        if self.open:
            self.weight[self.open[-1]] += time


def _frames(shared: Json, where: str) -> FrameList:
    found = FrameList([], [], [], [])
    for number, entry in enumerate(listing(shared.get("frames"), where, "'shared.frames'")):
        frame = mapping(entry, f"{where}: frame {number}", "it")
        name, file, line = frame.get("name"), frame.get("file"), frame.get("line")
        if not isinstance(name, str):
            raise wrong(f"{where}: frame {number}", "has no name")
        found.names.append(name)
        found.files.append(file if isinstance(file, str) and file else None)
        found.lines.append(line if isinstance(line, int) and 0 < line < _MAX_LINE else None)
        found.modules.append(None)
    return found


def _part(thread: Json, frames: int, where: str) -> _Part:
    unit = thread.get("unit")
    if not isinstance(unit, str) or unit not in _UNITS:
        raise wrong(where, f"has the unit {str(unit)[:40]!r}, known are {', '.join(_UNITS)}")
    match thread.get("type"):
        case "sampled":
            return _sampled(thread, unit, frames, where)
        case "evented":
            return _evented(thread, unit, frames, where)
    raise wrong(where, f"has the type {str(thread.get('type'))[:40]!r}, known are sampled and evented")


def _sampled(thread: Json, unit: str, frames: int, where: str) -> _Part:
    samples = listing(thread.get("samples"), where, "'samples'")
    weights = listing(thread.get("weights"), where, "'weights'")
    if len(samples) != len(weights):
        raise wrong(where, f"has {len(samples)} samples and {len(weights)} weights")
    if set(map(type, samples)) - {list}:
        raise wrong(where, "has a sample that is no list of frames")
    numbers = _weights(weights, where)
    lengths = np.fromiter(map(len, samples), dtype=np.int64, count=len(samples))  # type: ignore[arg-type]
    if set(map(type, chain.from_iterable(samples))) - {int}:  # type: ignore[arg-type]
        raise wrong(where, "has a frame in a sample that is no number")
    try:
        flat = np.fromiter(chain.from_iterable(samples), dtype=np.int64, count=int(lengths.sum()))  # type: ignore[arg-type]
    except OverflowError:
        raise wrong(where, "has a frame number beyond all frames") from None
    if len(flat) and not 0 <= flat.min() <= flat.max() < frames:
        raise wrong(where, f"has frame {flat.max() if flat.min() >= 0 else flat.min()}, there are {frames} frames")
    offsets = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)))
    return _Part(unit, _kind(unit, MetricKind.SAMPLED), numbers, (flat, offsets), None, Counter())


def _evented(thread: Json, unit: str, frames: int, where: str) -> _Part:
    tree, warnings = _Tree(), Counter[str]()
    now: int | Decimal | None = None
    for number, entry in enumerate(listing(thread.get("events"), where, "'events'")):
        event = mapping(entry, f"{where}: event {number}", "it")
        kind, frame, at = event.get("type"), event.get("frame"), event.get("at")
        if isinstance(frame, bool) or not isinstance(frame, int) or not 0 <= frame < frames:
            raise wrong(f"{where}: event {number}", f"has frame {str(frame)[:40]}, there are {frames} frames")
        if isinstance(at, bool) or not isinstance(at, int | Decimal) or not -MAX_TOTAL <= at <= MAX_TOTAL:
            raise wrong(f"{where}: event {number}", "has no time that can be read")
        if now is not None and at < now:
            warnings["events that go back in time"] += 1
            at = now
        tree.spend(at - (at if now is None else now))
        now = at
        if kind == "O":
            tree.enter(frame)
        elif kind == "C":
            warnings["calls that are not opened and closed in order"] += tree.leave(frame)
        else:
            raise wrong(f"{where}: event {number}", f"has the type {str(kind)[:40]!r}, known are O and C")
    _close(tree, thread.get("endValue"), now, warnings)
    return _Part(unit, _kind(unit, MetricKind.TIMED), tree.weight, None, tree, +warnings)


def _close(tree: _Tree, end: object, now: int | Decimal | None, warnings: Counter[str]) -> None:
    """Calls that are still open last until the end the profile states."""
    warnings["calls that are never closed"] += len(tree.open)
    if now is not None and isinstance(end, int | Decimal) and end > now:
        tree.spend(min(end, MAX_TOTAL) - now)


def _kind(unit: str, kind: MetricKind) -> MetricKind:
    return MetricKind.COUNTED if unit == "bytes" else kind


def _by_base_unit(parts: list[_Part]) -> dict[str, dict[int, _Part]]:
    found: dict[str, dict[int, _Part]] = {}
    for number, part in enumerate(parts):
        found.setdefault(base_unit(part.unit)[0], {})[number] = part
    return found


@dataclass(frozen=True, slots=True)
class _Column:
    """One metric over all threads: integer values of each of its parts, by the number of the part."""

    metric: Metric
    period: int | None
    values: dict[int, IntArray]
    rounded: bool


def _column(base: str, parts: dict[int, _Part], where: str) -> _Column:
    """The parts measured in one base unit, as integers with one exponent."""
    units = {part.unit for part in parts.values()}
    unit = units.pop() if len(units) == 1 else base
    written = [value for part in parts.values() for value in _in_unit(part, unit)]
    decimals = _DECIMALS + base_unit(unit)[2]
    numbers, exponent, rounded = whole_numbers(written, decimals, where)
    values, _, exponent = in_base_unit(np.array(numbers, dtype=np.int64), unit, exponent, where)
    kinds = {part.kind for part in parts.values()}
    kind = MetricKind.SAMPLED if MetricKind.SAMPLED in kinds else min(kinds)
    metric = Metric(_METRIC_NAMES[base], base, kind=kind, exponent=exponent)
    ends = np.cumsum([len(part.values) for part in parts.values()])
    split = dict(zip(parts, np.split(values, ends[:-1]), strict=True))
    return _Column(metric, period_of(values) if kind is MetricKind.SAMPLED else None, split, rounded)


def _in_unit(part: _Part, unit: str) -> Sequence[int | Decimal]:
    if part.unit == unit:
        return part.values
    _, factor, power = base_unit(part.unit)
    return [Decimal(value).scaleb(power) * factor for value in part.values]


def _merged(parts: list[_Part], columns: list[_Column], where: str) -> Stacks:
    """The stacks of all parts one after the other; calls only where every part counts them for the one metric."""
    found = [_stacks_of(part, _values_of(number, part, columns), where) for number, part in enumerate(parts)]
    if len(found) == 1:
        return found[0]
    found.append(stacks_from_paths(_NONE, np.zeros(1, dtype=np.int64), np.zeros((len(columns), 0), dtype=np.int64)))
    calls = [stacks.calls for stacks in found[:-1] if stacks.calls is not None]
    return Stacks(
        np.concatenate([stacks.depth for stacks in found]),
        np.concatenate([stacks.frame for stacks in found]),
        np.concatenate([stacks.leaf for stacks in found]),
        np.concatenate([stacks.values for stacks in found], axis=1),
        np.sum([stacks.root_values for stacks in found], axis=0),
        np.concatenate(calls) if len(calls) == len(parts) and len(columns) == 1 else None,
    )


def _values_of(number: int, part: _Part, columns: list[_Column]) -> IntArray:
    """int64[metric, value] of one part: zero in the metrics of the other parts."""
    nothing = np.zeros(len(part.values), dtype=np.int64)
    return np.array([column.values.get(number, nothing) for column in columns], dtype=np.int64)


def _stacks_of(part: _Part, values: IntArray, where: str) -> Stacks:
    if part.paths is not None:
        return stacks_from_paths(*part.paths, values, where=where)
    tree = part.tree or _Tree()
    columns = (np.array(column, dtype=np.int64) for column in (tree.parent, tree.frame, tree.calls))
    parent, frame, calls = columns
    return stacks_from_parents(parent, frame, values, calls, where=where)


def _weights(values: list[object], where: str) -> list[int | Decimal]:
    if set(map(type, values)) - {int, Decimal}:
        raise wrong(where, "has a weight that is no number")
    weights: list[int | Decimal] = values  # type: ignore[assignment]
    if any(weight < 0 for weight in set(weights)):
        raise wrong(where, "has a negative weight, as in a difference of two profiles")
    if any(weight > MAX_TOTAL for weight in set(weights)):
        raise wrong(where, "has a weight beyond 2^63")
    return weights
