"""Reader for speedscope files, which contain sampled and evented profiles of one or more threads."""

from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal
from itertools import chain, pairwise

import numpy as np

from profgate.model.arrays import IntArray
from profgate.model.profile import Facts, FrameList, Profile, Stacks
from profgate.model.record import Record, Struct, field, replace
from profgate.model.source import SourceFile
from profgate.model.units import Metric, MetricKind, base_unit
from profgate.readers.builders import ROOT, Paths, Tree, line_of
from profgate.readers.json_text import (
    Json,
    begins_object,
    document_of,
    ends_hold,
    is_integer,
    is_number,
    listing,
    mapping,
    numbered_objects,
    weights_of,
    wrong,
)
from profgate.readers.quantities import MAX_TOTAL, in_base_unit, period_of, whole_numbers
from profgate.readers.reader import BuiltInReader
from profgate.readers.stack_events import stacks_from_parents, stacks_from_paths

_METRIC_NAMES = {"nanoseconds": "time", "bytes": "bytes", "samples": "samples"}
# what the tools record, whatever kind of profile they write: memray traces all allocations
_KINDS = {"memray": MetricKind.COUNTED, "pyinstrument": MetricKind.SAMPLED}
_UNITS = ("none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes")
# decimal places kept in the base unit; further digits are rounding errors and could make sums overflow
_DECIMALS = 3


class SpeedscopeReader(BuiltInReader):
    """Reader for speedscope's own file format: stacks, and one metric per unit."""

    name = "speedscope"
    looks = "JSON with the URL of speedscope's schema"
    record = "py-spy record --format speedscope -o a.json -- CMD"
    counted = ("bytes", "allocations")

    def fits(self, source: SourceFile) -> bool:
        """Return whether the file looks like this format."""
        return begins_object(source) and ends_hold(source, b"speedscope.app/file-format-schema.json")

    def read(self, source: SourceFile) -> Profile:
        """Combine all profiles in the file into one profile, which has one metric per unit."""
        where = source.name
        document = document_of(source)
        frames = _frames(mapping(document.get("shared"), where, "'shared'"), where)
        threads = numbered_objects(document.get("profiles"), where, "'profiles'", "profile")
        parts = [_part(thread, len(frames.names), place, where) for place, thread in threads]
        profiler, _, version = str(document.get("exporter") or "").partition("@")
        parts = [replace(part, kind=_KINDS.get(profiler, part.kind)) for part in parts]
        values, metrics, rounded = _measured(parts, where)
        counted: Counter[str] = sum((part.warnings for part in parts), Counter())
        notes = ["use pyinstrument -r json: this export leaves out short calls"] if profiler == "pyinstrument" else []
        rounding = f"values were rounded to {_DECIMALS} decimals or what 63 bits can hold"
        periods = [
            period_of(row) if metric.kind is MetricKind.SAMPLED and metric.unit != "bytes" else None
            for metric, row in zip(metrics, values, strict=True)
        ]
        times = (period for metric, period in zip(metrics, periods, strict=True) if metric.unit == "nanoseconds")
        rate = next((1e9 / period for period in times if period), None)
        return Profile(
            name=where,
            metrics=tuple(metrics),
            frames=frames,
            stacks=_merged(parts, values),
            periods=tuple(periods),
            facts=Facts(
                format=SpeedscopeReader.name, profiler=profiler or None, profiler_version=version or None, rate=rate
            ),
            warnings=(*notes, rounding) if rounded else tuple(notes),
            warning_counts=counted,
        )


class _Part(Record):
    """One of the profiles in the file, with its values, and a function that returns its stacks."""

    unit: str
    kind: MetricKind
    values: Sequence[int | Decimal]
    stacks: Callable[[IntArray], Stacks]
    warnings: Counter[str] = field(default_factory=Counter)


class _Calls(Struct):
    tree: Tree = field(default_factory=Tree)
    open: list[int] = field(default_factory=list)
    running: Counter[int] = field(default_factory=Counter)

    def enter(self, frame: int) -> None:
        node = self.tree.below(self.open[-1] if self.open else ROOT, frame)
        self.tree.calls[node] += 1
        self.open.append(node)
        self.running[frame] += 1

    def leave(self, frame: int) -> int:
        """Close the innermost open call of a frame, and return the number of incorrectly nested calls."""
        if not self.running[frame]:
            return 1
        skipped = 0
        while (left := self.tree.frame[self.open.pop()]) != frame:
            self.running[left] -= 1
            skipped += 1
        self.running[frame] -= 1
        return skipped

    def spend(self, time: int | Decimal) -> None:
        """Add time to the innermost open call."""
        if self.open:
            self.tree.own[self.open[-1]] += time


def _frames(shared: Json, where: str) -> FrameList:
    found = FrameList.of_names([])
    for place, frame in numbered_objects(shared.get("frames"), where, "'shared.frames'", "frame"):
        name, file = frame.get("name"), frame.get("file")
        if not isinstance(name, str):
            raise wrong(place, "has no name")
        found.append(name, file if isinstance(file, str) and file else None, line_of(frame.get("line")))
    return found


def _part(thread: Json, frames: int, where: str, file: str) -> _Part:
    unit = thread.get("unit")
    if not isinstance(unit, str) or unit not in _UNITS:
        raise wrong(where, f"has the unit {str(unit)[:40]!r}; supported are {', '.join(_UNITS)}")
    match thread.get("type"):
        case "sampled":
            return _sampled(thread, unit, frames, where, file)
        case "evented":
            return _evented(thread, unit, frames, where, file)
    raise wrong(where, f"has the type {str(thread.get('type'))[:40]!r}; supported are sampled and evented")


def _sampled(thread: Json, unit: str, frames: int, where: str, file: str) -> _Part:
    samples = listing(thread.get("samples"), where, "'samples'")
    weights = weights_of(listing(thread.get("weights"), where, "'weights'"), len(samples), where)
    if set(map(type, samples)) - {list}:
        raise wrong(where, "has a sample that is not a list of frames")
    lengths = np.fromiter(map(len, samples), dtype=np.int64, count=len(samples))  # type: ignore[arg-type]
    if set(map(type, chain.from_iterable(samples))) - {int}:  # type: ignore[arg-type]
        raise wrong(where, "has a frame in a sample that is not a number")
    try:
        flat = np.fromiter(chain.from_iterable(samples), dtype=np.int64, count=int(lengths.sum()))  # type: ignore[arg-type]
    except OverflowError:
        raise wrong(where, "has a frame number beyond all frames") from None
    if len(flat) and not 0 <= flat.min() <= flat.max() < frames:
        raise wrong(where, f"has frame {flat.max() if flat.min() >= 0 else flat.min()}, but there are {frames} frames")
    offsets = np.append(0, np.cumsum(lengths))
    return _Part(unit, MetricKind.SAMPLED, weights, lambda values: stacks_from_paths(flat, offsets, values, file))


def _evented(thread: Json, unit: str, frames: int, where: str, file: str) -> _Part:
    calls, warnings = _Calls(), Counter[str]()
    now: int | Decimal | None = None
    for place, event in numbered_objects(thread.get("events"), where, "'events'", "event"):
        kind, frame, at = event.get("type"), event.get("frame"), event.get("at")
        if not is_integer(frame, 0, frames - 1):
            raise wrong(place, f"has frame {str(frame)[:40]}, but there are {frames} frames")
        if not is_number(at):
            raise wrong(place, "has no time that can be read")
        if now is not None:
            if at < now:
                raise wrong(place, "goes back in time")
            calls.spend(at - now)
        now = at
        if kind == "O":  # a call opens
            calls.enter(frame)
        elif kind == "C":  # a call closes
            warnings["calls that are not opened and closed in order"] += calls.leave(frame)
        else:
            raise wrong(place, f"has the type {str(kind)[:40]!r}; supported are O and C")
    warnings["calls that are never closed"] += len(calls.open)
    end = thread.get("endValue")
    if now is not None and isinstance(end, int | Decimal) and end > now:
        calls.spend(min(end, MAX_TOTAL) - now)  # the end of the profile ends all open calls
    tree = calls.tree
    parent, of_nodes, counts = (np.array(column, np.int64) for column in (tree.parent, tree.frame, tree.calls))
    return _Part(
        unit,
        MetricKind.TIMED,
        tree.own,
        lambda values: stacks_from_parents(parent, of_nodes, values, counts, file),
        +warnings,
    )


def _measured(parts: list[_Part], where: str) -> tuple[IntArray, list[Metric], bool]:
    """Return int64 values by metric, each in the row of its own metric, the metrics, and whether digits are lost."""
    bases = [base_unit(part.unit)[0] for part in parts]
    base_of_value = np.repeat(bases, [len(part.values) for part in parts])
    values = np.zeros((len(set(bases)), len(base_of_value)), dtype=np.int64)
    metrics, rounded = [], False
    for row, base in enumerate(dict.fromkeys(bases)):
        chosen = [part for part in parts if base_unit(part.unit)[0] == base]
        unit = chosen[0].unit
        if any(part.unit != unit for part in chosen):
            raise wrong(where, f"has {base} in different units")
        written = list(chain.from_iterable(part.values for part in chosen))
        numbers, exponent, cut = whole_numbers(written, _DECIMALS + base_unit(unit)[2], where)
        exact, _, exponent = in_base_unit(np.array(numbers, dtype=np.int64), unit, exponent, where)
        values[row, base_of_value == base] = exact
        kinds = {part.kind for part in chosen}
        kind = next(kind for kind in (MetricKind.SAMPLED, MetricKind.TIMED, MetricKind.COUNTED) if kind in kinds)
        if kind is MetricKind.COUNTED and base == "samples":
            metrics.append(Metric("allocations", "count", kind=kind, exponent=exponent))
        else:
            metrics.append(Metric(_METRIC_NAMES[base], base, kind=kind, exponent=exponent))
        rounded |= cut
    return values, metrics, rounded


def _merged(parts: list[_Part], values: IntArray) -> Stacks:
    """Return the stacks of all parts, with call counts if there is one metric and every part counts calls."""
    starts = np.cumsum([0, *(len(part.values) for part in parts)]).tolist()
    found = [part.stacks(values[:, start:end]) for part, (start, end) in zip(parts, pairwise(starts), strict=True)]
    calls = [stacks.calls for stacks in found if stacks.calls is not None]
    exact = all(part.kind is MetricKind.TIMED for part in parts)  # calls of a sampler are guesses
    found.append(Paths().stacks(values[:, :0], ""))  # a file may contain no parts
    depth, frame, leaf, own, root, _ = zip(*found, strict=True)
    return Stacks(
        np.concatenate(depth),
        np.concatenate(frame),
        np.concatenate(leaf),
        np.concatenate(own, axis=1),
        np.sum(root, axis=0),
        np.concatenate(calls) if len(calls) == len(parts) and len(values) == 1 and exact else None,
    )
