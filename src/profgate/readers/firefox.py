"""The Firefox profiler's processed format, which samply writes too: tables of stacks, frames and functions.

Source: "Processed profile format" and "CHANGELOG-formats" of the Firefox profiler's documentation, versions up to 58.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

import numpy as np

from profgate.model.arrays import IntArray, read_only
from profgate.model.profile import Configuration, Facts, FrameList, Profile, Stacks
from profgate.model.source import SourceFile
from profgate.model.units import Metric, MetricKind
from profgate.readers.containers import read_all, unwrap
from profgate.readers.json_text import Json, begins_object, decode, ends_hold, listing, mapping, wrong
from profgate.readers.quantities import MAX_TOTAL, in_base_unit, whole_numbers
from profgate.readers.stack_events import stacks_from_parents

# what a sample's weight may be, with its unit
_WEIGHTS = {
    "samples": ("samples", "samples", MetricKind.SAMPLED),
    "tracing-ms": ("time", "ms", MetricKind.TIMED),
    "bytes": ("bytes", "bytes", MetricKind.COUNTED),
}
_ADDRESS = re.compile(r"0x[0-9a-f]+")
_MAX_LINE = 1 << 31
_DECIMALS = 9
_NONE = -1


class FirefoxReader:
    """Reads processed profiles of the Firefox profiler (Firefox, samply): stacks of all threads together."""

    name = "firefox"

    def recognizes(self, source: SourceFile) -> str | None:
        """Why this file looks like the format, or None."""
        if begins_object(source) and ends_hold(source, b'"preprocessedProfileVersion"'):
            return "it is JSON with 'preprocessedProfileVersion'"
        return None

    def read(self, source: SourceFile) -> Profile:
        """A metric for each kind of weight: samples, time in nanoseconds, bytes. Raises ProfileError."""
        where = source.name
        document = mapping(decode(read_all(unwrap(source)), where), where, "the document")
        forest = _Forest(where, mapping(document.get("shared", {}), where, "'shared'"), _libraries(document, where))
        for number, thread in enumerate(listing(document.get("threads"), where, "'threads'")):
            forest.add(mapping(thread, f"{where}: thread {number}", "it"), f"{where}: thread {number}")
        meta = mapping(document.get("meta"), where, "'meta'")
        values, metrics = forest.columns()
        product = meta.get("product")
        return Profile(
            name=where,
            configuration=Configuration(),
            metrics=metrics,
            frames=forest.frame_list(),
            stacks=forest.stacks(values),
            periods=tuple(1 if metric.unit == "samples" else None for metric in metrics),
            facts=Facts(format=FirefoxReader.name, profiler=product if isinstance(product, str) else None),
            warnings=tuple(forest.warnings()),
        )


@dataclass
class _Forest:
    """The stacks of all threads one after the other; node 0 is the root, for samples without a stack."""

    where: str
    shared: Json
    libraries: list[str | None]
    parent: list[IntArray] = field(default_factory=lambda: [np.full(1, _NONE, dtype=np.int64)])
    frame: list[IntArray] = field(default_factory=lambda: [np.zeros(1, dtype=np.int64)])
    frames: dict[tuple[str, str | None, int | None, str | None], int] = field(default_factory=dict)
    samples: dict[str, list[tuple[IntArray, Sequence[int | Decimal]]]] = field(default_factory=dict)
    size: int = 1

    def add(self, thread: Json, where: str) -> None:
        """The stacks and samples of a thread."""
        table = self.table(thread, "stackTable", where)
        prefix, frame = (_numbers(table.get(key), f"{where}: 'stackTable.{key}'") for key in ("prefix", "frame"))
        known = self.frames_of(thread, where)
        if len(prefix) != len(frame) or np.any(prefix >= len(prefix)) or np.any((frame < 0) | (frame >= len(known))):
            raise wrong(where, "has stacks whose columns do not fit together")
        self.parent.append(np.where(prefix >= 0, prefix + self.size, _NONE))
        self.frame.append(known[frame])
        samples = mapping(thread.get("samples"), where, "'samples'")
        stacks = _numbers(samples.get("stack"), f"{where}: 'samples.stack'")
        if np.any(stacks >= len(prefix)):
            raise wrong(where, f"has a sample of stack {int(stacks.max())}, there are {len(prefix)} stacks")
        kind = str(samples.get("weightType", "samples"))
        if kind not in _WEIGHTS:
            raise wrong(where, f"has weights of the type {kind[:40]!r}, known are {', '.join(_WEIGHTS)}")
        weights = _weights(samples.get("weight"), len(stacks), where)
        self.samples.setdefault(kind, []).append((np.where(stacks >= 0, stacks + self.size, 0), weights))
        self.size += len(prefix)

    def table(self, thread: Json, name: str, where: str) -> Json:
        """A table, which newer versions share between threads."""
        return mapping(thread.get(name, self.shared.get(name)), where, repr(name))

    def frames_of(self, thread: Json, where: str) -> IntArray:
        """int64[frame of the thread]: the frame of the profile."""
        texts = listing(thread.get("stringArray", self.shared.get("stringArray")), where, "'stringArray'")
        functions, frames = self.table(thread, "funcTable", where), self.table(thread, "frameTable", where)
        calls = _numbers(frames.get("func"), f"{where}: 'frameTable.func'")
        lines = _column(frames, "line", len(calls), f"{where}: 'frameTable.line'")
        names = _numbers(functions.get("name"), f"{where}: 'funcTable.name'")
        if np.any((calls < 0) | (calls >= len(names))):
            raise wrong(where, "has a frame of a function that it does not hold")
        first = _column(functions, "lineNumber", len(names), f"{where}: 'funcTable.lineNumber'")
        files, modules = (
            self.files_of(functions, len(names), where),
            self.modules_of(thread, functions, len(names), where),
        )
        keys = [
            (_text(texts, names[call], where) or "[unknown]", _text(texts, files[call], where), modules[call])
            for call in range(len(names))
        ]
        numbers = []
        for call, line in zip(calls.tolist(), lines.tolist(), strict=True):
            name, file, module = keys[call]
            known = int(first[call]) if first[call] > 0 else line
            key = (name, file, known if 0 < known < _MAX_LINE else None, module)
            numbers.append(self.frames.setdefault(key, len(self.frames)))
        return np.array(numbers, dtype=np.int64)

    def files_of(self, functions: Json, count: int, where: str) -> IntArray:
        """int64[function]: the text of its file; since version 58 by a table of sources."""
        if "source" not in functions:
            return _column(functions, "fileName", count, f"{where}: 'funcTable.fileName'")
        sources = mapping(self.shared.get("sources"), where, "'sources'")
        names = _numbers(sources.get("filename"), f"{where}: 'sources.filename'")
        return _picked(names, _column(functions, "source", count, f"{where}: 'funcTable.source'"), where)

    def modules_of(self, thread: Json, functions: Json, count: int, where: str) -> list[str | None]:
        """The library of each function, by its resource."""
        resources = self.table(thread, "resourceTable", where)
        library = _numbers(resources.get("lib", []), f"{where}: 'resourceTable.lib'")
        picked = _picked(library, _column(functions, "resource", count, f"{where}: 'funcTable.resource'"), where)
        if np.any(picked >= len(self.libraries)):
            raise wrong(where, "has a resource in a library that the profile does not hold")
        return [self.libraries[number] if number >= 0 else None for number in picked.tolist()]

    def columns(self) -> tuple[IntArray, tuple[Metric, ...]]:
        """int64[metric, node] own values, and the metrics."""
        values = np.zeros((len(self.samples), self.size), dtype=np.int64)
        metrics = []
        for row, (kind, parts) in enumerate(self.samples.items()):
            name, unit, metric_kind = _WEIGHTS[kind]
            written = [weight for _, weights in parts for weight in weights]
            numbers, exponent, _ = whole_numbers(written, _DECIMALS, self.where)
            own, base, exponent = in_base_unit(np.array(numbers, dtype=np.int64), unit, exponent, self.where)
            np.add.at(values[row], np.concatenate([stacks for stacks, _ in parts]), own)
            metrics.append(Metric(name, base, kind=metric_kind, exponent=exponent))
        return values, tuple(metrics)

    def stacks(self, values: IntArray) -> Stacks:
        """All nodes but the first, which stands for no stack at all."""
        parent, frame = np.concatenate(self.parent)[1:], np.concatenate(self.frame)[1:]
        found = stacks_from_parents(np.where(parent > 0, parent - 1, _NONE), frame, values[:, 1:], where=self.where)
        return replace(found, root_values=read_only(values[:, 0].copy()))

    def frame_list(self) -> FrameList:
        """The frames met, in the order of their numbers."""
        keys = list(self.frames)
        return FrameList(
            [key[0] for key in keys], [key[1] for key in keys], [key[2] for key in keys], [key[3] for key in keys]
        )

    def warnings(self) -> list[str]:
        """Addresses without names, which samply leaves to the viewer."""
        names = {key[0] for key in self.frames}
        bare = sum(_ADDRESS.fullmatch(name) is not None for name in names)
        advice = "open it with `samply load`, wait for the names and save it there"
        return [f"{bare} of {len(names)} functions are bare addresses: {advice}"] if bare else []


def _libraries(document: Json, where: str) -> list[str | None]:
    found = []
    for number, entry in enumerate(listing(document.get("libs", []), where, "'libs'")):
        name = mapping(entry, f"{where}: library {number}", "it").get("name")
        found.append(name if isinstance(name, str) and name else None)
    return found


def _numbers(values: object, where: str) -> IntArray:
    """A column of row numbers, -1 where it holds null."""
    column = listing(values, where, "the column")
    if set(map(type, column)) - {int, type(None)}:
        raise wrong(where, "holds something else than row numbers")
    found = [_NONE if value is None else value for value in column]
    if any(not _NONE <= value <= MAX_TOTAL for value in found):  # type: ignore[operator]
        raise wrong(where, "holds a number that is no row")
    return np.array(found, dtype=np.int64)


def _column(table: Json, name: str, count: int, where: str) -> IntArray:
    """A column that older and newer versions may leave out."""
    column = _numbers(table[name], where) if name in table else np.full(count, _NONE, dtype=np.int64)
    if len(column) != count:
        raise wrong(where, f"has {len(column)} rows instead of {count}")
    return column


def _picked(values: IntArray, rows: IntArray, where: str) -> IntArray:
    """The values of rows, -1 for no row."""
    if np.any(rows >= len(values)):
        raise wrong(where, "has a function whose source or resource it does not hold")
    return np.append(values, _NONE)[rows]


def _text(texts: list[object], number: int, where: str) -> str | None:
    if number < 0:
        return None
    text = texts[number] if number < len(texts) else None
    if not isinstance(text, str):
        raise wrong(where, f"names text {number}, there are {len(texts)} texts")
    return text or None


def _weights(values: object, count: int, where: str) -> Sequence[int | Decimal]:
    """What each sample weighs, 1 where the profile does not say."""
    if values is None:
        return [1] * count
    weights = listing(values, where, "'samples.weight'")
    if len(weights) != count:
        raise wrong(where, f"has {len(weights)} weights for {count} samples")
    if set(map(type, weights)) - {int, Decimal}:
        raise wrong(where, "has a weight that is no number")
    if any(not 0 <= weight <= MAX_TOTAL for weight in weights):  # type: ignore[operator]
        raise wrong(where, "has a weight that is negative, as in a difference, or beyond 2^63")
    return weights  # type: ignore[return-value]
