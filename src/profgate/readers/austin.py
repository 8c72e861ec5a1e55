"""Reader for Austin's text format: `P1;T2;file:function:line;... value` after a header of `# key: value` lines."""

import re

import numpy as np

from profgate.errors import ProfileError
from profgate.model.profile import Facts, Profile
from profgate.model.record import Struct, field
from profgate.model.source import SourceFile
from profgate.model.units import Metric
from profgate.readers.builders import Frames, Paths
from profgate.readers.containers import read_all, unwrap
from profgate.readers.quantities import NOT_READ
from profgate.readers.reader import BuiltInReader

_HEADER = re.compile(r"# ([\w-]+): (.*)")
_SAMPLE = re.compile(r"P\d+;T[^;]*?(?:;(.*))? (\d{1,15})(?:,(\d),(-?\d{1,15}))?")
_MEMORY = re.compile(r"P\d+;T[^;]*?(?:;(.*))? (-?\d{1,15})")
_FRAME = re.compile(r"(.*?):([^:]+):(\d++)(?::\d++){0,3}")

_TIME, _CPU = Metric("time", "nanoseconds"), Metric("CPU time", "nanoseconds")
_ADDED = Metric("memory added", "bytes")
_METRICS = {"wall": (_TIME,), "full": (_TIME, _CPU, _ADDED), "memory": (_ADDED,)}


class AustinReader(BuiltInReader):
    """Reader for Austin's text format (version 4 with `mojo2austin`): stacks with wall time, CPU time and memory."""

    name = "austin"
    looks = "a first line that begins with '# austin:'"
    record = "austin -i 5000 -o a.austin python bench.py"
    pattern = re.compile(rb"\s*# austin:")

    def read(self, source: SourceFile) -> Profile:
        """Return a profile of time in nanoseconds and allocated bytes, summed over all processes and threads."""
        samples = _Samples(source.name)
        samples.add_all(read_all(unwrap(source)).decode(errors="replace").split("\n"))
        return samples.profile()


class _Samples(Struct):
    where: str
    header: dict[str, str] = field(default_factory=dict)
    frames: Frames = field(default_factory=Frames)
    frame_of_text: dict[str, int] = field(default_factory=dict)
    paths: Paths = field(default_factory=Paths)
    values: list[tuple[int, ...]] = field(default_factory=list)
    unreadable: int = 0

    @property
    def mode(self) -> str:
        return self.header.get("mode", "wall")

    def add_all(self, lines: list[str]) -> None:
        first = ""
        for number, line in enumerate(lines, start=1):
            text = line.rstrip("\r")
            if text.startswith("#"):
                if fact := _HEADER.fullmatch(text):
                    if self.values and fact[1] == "mode" and fact[2] != self.mode:
                        what = f"{self.mode} samples come before this mode {fact[2][:60]!r}; give each recording apart"
                        raise ProfileError(f"{self.where}:{number}", what)
                    self.header.setdefault(fact[1], fact[2])
            elif text and not self.add(text):
                first = first or f"{self.where}:{number}"
                self.unreadable += 1
        if self.unreadable > 0.1 * (len(self.values) + self.unreadable):
            raise ProfileError(first, f"expected 'P1;T2;file:function:line 42'; {NOT_READ}")

    def add(self, text: str) -> bool:
        """Add the line if it contains a sample, and return whether it does."""
        memory = self.mode == "memory"
        sample = (_MEMORY if memory else _SAMPLE).fullmatch(text) if len(text) < 1 << 20 else None
        if sample is None or (self.mode == "full") != (not memory and sample[3] is not None):
            return False
        value = int(sample[2])
        if self.mode == "full":
            # idle time is not CPU time, and freed memory is not a cost
            self.values.append((value, 0 if int(sample[3]) else value, max(int(sample[4]), 0)))
        else:
            self.values.append((max(value, 0),))
        self.paths.add(self.frame_number(part) for part in (sample[1] or "").split(";") if part)
        return True

    def frame_number(self, text: str) -> int:
        number = self.frame_of_text.get(text)
        if number is None:
            found = _FRAME.fullmatch(text)
            place = (found[2], found[1], int(found[3][:12])) if found else (text,)
            number = self.frame_of_text[text] = self.frames.number_of(*place)
        return number

    def profile(self) -> Profile:
        metrics = _METRICS.get(self.mode, (_CPU,))
        scale = np.array([1000 if metric.unit == "nanoseconds" else 1 for metric in metrics], np.int64)
        values = np.array(self.values, np.int64).reshape(-1, len(metrics)).T * scale[:, None]
        interval = self.header.get("interval", "")
        period = int(interval) * 1000 if re.fullmatch(r"[0-9]{1,9}", interval) else 0
        return Profile(
            name=self.where,
            metrics=metrics,
            frames=self.frames.listed(),
            stacks=self.paths.stacks(values, self.where),
            periods=tuple(period or None if metric.unit == "nanoseconds" else None for metric in metrics),
            facts=Facts(
                format=AustinReader.name,
                profiler="austin",
                profiler_version=self.header.get("austin"),
                runtime=self.header.get("python"),
                rate=1e9 / period if period else None,
            ),
            warning_counts={"lines that are no samples": self.unreadable} if self.unreadable else {},
        )
