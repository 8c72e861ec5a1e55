"""Tables of strings, frames and stacks in both formats of the Firefox profiler."""

import re
from collections.abc import Sequence
from decimal import Decimal

import numpy as np

from profgate.model.arrays import IntArray, read_only
from profgate.model.profile import Facts, Profile
from profgate.model.record import Struct, field
from profgate.model.units import Metric, MetricKind
from profgate.readers.builders import Frames
from profgate.readers.json_text import listing, wrong
from profgate.readers.quantities import MAX_TOTAL, in_base_unit, refuse_expansion, whole_numbers
from profgate.readers.stack_events import stacks_from_parents

# maps each type of sample weight to the metric, its unit and its kind
WEIGHTS = {
    "samples": ("samples", "samples", MetricKind.SAMPLED),
    "tracing-ms": ("time", "ms", MetricKind.TIMED),
    "bytes": ("bytes", "bytes", MetricKind.SAMPLED),
}
ADDRESS = re.compile(r"0x[0-9a-f]+")
NONE = -1


class Threads(Struct):
    """Stacks of all threads in one table. Samples without a stack have the stack -1, the root."""

    where: str
    bytes: int
    frames: Frames = field(default_factory=Frames)
    parent: list[IntArray] = field(default_factory=lambda: [np.zeros(0, np.int64)])
    frame: list[IntArray] = field(default_factory=lambda: [np.zeros(0, np.int64)])
    samples: dict[str, list[tuple[IntArray, Sequence[int | Decimal]]]] = field(default_factory=dict)
    size: int = 0
    # first stack of each table, by the identity of its arrays, which threads can share
    placed: dict[tuple[int, int], tuple[int, IntArray, IntArray]] = field(default_factory=dict)

    def add(
        self,
        prefix: IntArray,
        frame: IntArray,
        frames: IntArray,
        stacks: IntArray,
        weights: Sequence[int | Decimal],
        where: str,
        kind: str = "samples",
    ) -> None:
        """Add the stacks and samples of a thread.

        For each stack, ``prefix`` contains the number of the caller's stack, or -1 if there is no caller, and ``frame``
        contains an index into ``frames``. ``frames`` contains frame numbers of the profile. ``stacks`` contains the
        stack number of each sample, or -1 if a sample has no stack. These arrays are int64. ``kind`` is the type of
        ``weights``.
        """
        count = len(prefix)
        key = id(prefix), id(frames)
        if key not in self.placed:
            if len(frame) != count or np.any(prefix >= count) or np.any((frame < 0) | (frame >= len(frames))):
                raise wrong(where, "has stacks whose columns do not fit together")
            refuse_expansion(self.size + count + 1, self.bytes, self.where)
            self.placed[key] = self.size, prefix, frames
            self.parent.append(np.where(prefix >= 0, prefix + self.size, NONE))
            self.frame.append(frames[frame])
            self.size += count
        if np.any(stacks >= count):
            raise wrong(where, f"has a sample of stack {int(stacks.max())}, but there are {count} stacks")
        begin, *_ = self.placed[key]
        placed = np.where(stacks >= 0, stacks + begin, NONE)
        self.samples.setdefault(kind, []).append((placed, weights))

    def profile(self, product: object, name: str, advice: str) -> Profile:
        """Return the profile of all threads. The ``advice`` is shown if functions have no names."""
        values, metrics = self._columns()
        parent, frame = np.concatenate(self.parent), np.concatenate(self.frame)
        stacks = stacks_from_parents(parent, frame, values[:, :-1], where=self.where)
        names = {key[0] for key in self.frames.numbers}
        bare = sum(ADDRESS.fullmatch(name) is not None for name in names)
        return Profile(
            name=self.where,
            metrics=metrics,
            frames=self.frames.listed(),
            stacks=stacks._replace(root_values=read_only(values[:, -1].copy())),
            periods=tuple(1 if metric.unit == "samples" else None for metric in metrics),
            facts=Facts(format=name, profiler=product if isinstance(product, str) else None),
            warning_counts={f"functions that are bare addresses; {advice}": bare} if bare else {},
        )

    def _columns(self) -> tuple[IntArray, tuple[Metric, ...]]:
        """Return int64 self values by metric and stack, of which the last is the root, and the metrics."""
        values = np.zeros((len(self.samples), self.size + 1), dtype=np.int64)
        metrics = []
        for row, (kind, parts) in enumerate(self.samples.items()):
            name, unit, metric_kind = WEIGHTS[kind]
            written = [weight for _, weights in parts for weight in weights]
            exact, exponent, _ = whole_numbers(written, 9, self.where)
            own, base, exponent = in_base_unit(np.array(exact, dtype=np.int64), unit, exponent, self.where)
            np.add.at(values[row], np.concatenate([stacks for stacks, _ in parts]), own)
            metrics.append(Metric(name, base, kind=metric_kind, exponent=exponent))
        return values, tuple(metrics)


def numbers(values: object, where: str) -> IntArray:
    """Return a column of row numbers as an int64 array, in which -1 replaces null."""
    column = listing(values, where, "the column")
    if set(map(type, column)) - {int, type(None)}:
        raise wrong(where, "contains something other than row numbers")
    found = [NONE if value is None else value for value in column]
    if any(not NONE <= value <= MAX_TOTAL for value in found):  # type: ignore[operator]
        raise wrong(where, "contains a number that is not a row")
    return np.array(found, dtype=np.int64)


def text(texts: list[object], number: int, where: str) -> str | None:
    """Return the string with this number, or None if the string is empty or the number is -1."""
    if number < 0:
        return None
    found = texts[number] if number < len(texts) else None
    if not isinstance(found, str):
        raise wrong(where, f"names text {number}, but there are {len(texts)} texts")
    return found or None
