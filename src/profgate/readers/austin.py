"""Austin's text: samples as `P1;T2;file:function:line;... value`, below a header of `# key: value` lines."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from profgate.errors import ProfileError
from profgate.model.profile import Configuration, Facts, FrameList, Profile
from profgate.model.source import SourceFile
from profgate.model.units import Metric, MetricKind
from profgate.readers.containers import read_all, unwrap
from profgate.readers.quantities import sum_of
from profgate.readers.stack_events import stacks_from_paths

_HEADER = re.compile(r"# ([\w-]+): (.*)")
_SAMPLE = re.compile(r"P\d+;T[^;]*?(?:;(.*))? (\d{1,15})(?:,(\d),(-?\d{1,15}))?")
_MEMORY = re.compile(r"P\d+;T[^;]*?(?:;(.*))? (-?\d{1,15})")
_FRAME = re.compile(r"(.*):([^:]*):(\d+)(?::\d+)*")
_MOST_UNREADABLE = 0.1
_LONGEST_LINE = 1 << 20
_MAX_LINE = 1 << 31


class AustinReader:
    """Reads Austin's text, of version 4 through `mojo2austin`: stacks with wall time, CPU time and memory."""

    name = "austin"

    def recognizes(self, source: SourceFile) -> str | None:
        """Why this file looks like the format, or None."""
        return "it begins with '# austin:'" if source.head.lstrip().startswith(b"# austin:") else None

    def read(self, source: SourceFile) -> Profile:
        """Times in nanoseconds, memory that was added in bytes; processes and threads together. Raises ProfileError."""
        where = source.name
        samples = _Samples(where)
        samples.add_all(read_all(unwrap(source)).decode(errors="replace").split("\n"))
        return samples.profile()


@dataclass
class _Samples:
    """The samples while they are read, a path for each."""

    where: str
    header: dict[str, str] = field(default_factory=dict)
    frames: dict[tuple[str, str | None, int | None], int] = field(default_factory=dict)
    of_text: dict[str, int] = field(default_factory=dict)
    flat: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=lambda: [0])
    values: list[tuple[int, ...]] = field(default_factory=list)
    unreadable: Counter[str] = field(default_factory=Counter)

    @property
    def mode(self) -> str:
        return self.header.get("mode", "wall")

    def add_all(self, lines: Iterable[str]) -> None:
        """Every line. Raises ProfileError where too many of them are no samples, or the mode changes below one."""
        first = ""
        for number, line in enumerate(lines, start=1):
            text = line.rstrip("\r")
            if text.startswith("#"):
                if fact := _HEADER.fullmatch(text):
                    if self.values and fact[1] == "mode" and fact[2] != self.mode:
                        what = f"{self.mode} samples stand before this mode {fact[2][:60]!r}; give each recording apart"
                        raise ProfileError(f"{self.where}:{number}", what)
                    self.header.setdefault(fact[1], fact[2])
            elif text and not self.add(text):
                first = first or f"{self.where}:{number}"
                self.unreadable["lines that are no samples"] += 1
        if self.unreadable.total() > _MOST_UNREADABLE * (len(self.values) + self.unreadable.total()):
            raise ProfileError(first, "expected 'P1;T2;file:function:line 42'; record the profile again")

    def add(self, text: str) -> bool:
        """Whether the line is a sample, which it then adds."""
        sample = (_MEMORY if self.mode == "memory" else _SAMPLE).fullmatch(text) if len(text) < _LONGEST_LINE else None
        if sample is None or (self.mode == "full") != (self.mode != "memory" and sample[3] is not None):
            return False
        value = int(sample[2])
        if self.mode == "memory":
            self.values.append((max(value, 0),))
        elif self.mode == "full":
            # time while a thread was idle is no CPU time; memory that was given back has no callers
            self.values.append((value, 0 if int(sample[3]) else value, max(int(sample[4]), 0)))
        else:
            self.values.append((value,))
        self.flat.extend(self.frame_of(part) for part in (sample[1] or "").split(";") if part)
        self.ends.append(len(self.flat))
        return True

    def frame_of(self, text: str) -> int:
        known = self.of_text.get(text)
        if known is None:
            found = _FRAME.fullmatch(text)
            key = (found[2], found[1] or None, _line(found[3])) if found and found[2] else (text, None, None)
            known = self.of_text[text] = self.frames.setdefault(key, len(self.frames))
        return known

    def metrics(self) -> tuple[Metric, ...]:
        time = Metric("time" if self.mode in {"wall", "full"} else "CPU time", "nanoseconds")
        memory = Metric("memory added", "bytes", kind=MetricKind.COUNTED)
        return {"memory": (memory,), "full": (time, Metric("CPU time", "nanoseconds"), memory)}.get(self.mode, (time,))

    def profile(self) -> Profile:
        """All of it. Raises ProfileError where the sums do not fit."""
        metrics = self.metrics()
        scale = np.array([1000 if metric.unit == "nanoseconds" else 1 for metric in metrics], np.int64)
        values = np.array(self.values, np.int64).reshape(-1, len(metrics)).T * scale[:, None]
        for row in values:
            sum_of(row, self.where)
        interval = self.header.get("interval", "")
        stated = interval.isascii() and interval.isdigit() and len(interval) < 10
        period = int(interval) * 1000 if stated and int(interval) else None
        keys = list(self.frames)
        return Profile(
            name=self.where,
            configuration=Configuration(),
            metrics=metrics,
            frames=FrameList(
                [key[0] for key in keys], [key[1] for key in keys], [key[2] for key in keys], [None] * len(keys)
            ),
            stacks=stacks_from_paths(
                np.array(self.flat, np.int64), np.array(self.ends, np.int64), values, where=self.where
            ),
            periods=tuple(period if metric.unit == "nanoseconds" else None for metric in metrics),
            facts=Facts(
                format=AustinReader.name,
                profiler="austin",
                profiler_version=self.header.get("austin"),
                runtime=self.header.get("python"),
                rate=1e9 / period if period else None,
            ),
            warnings=tuple(f"{what}: {count}" for what, count in self.unreadable.items()),
        )


def _line(written: str) -> int | None:
    return int(written) if len(written) < 12 and 0 < int(written) < _MAX_LINE else None
