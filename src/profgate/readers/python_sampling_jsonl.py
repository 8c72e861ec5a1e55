"""The lines of JSON of Python's sampling profiler (``python -m profiling.sampling run --jsonl``, Python 3.15).

Source: the module profiling.sampling.jsonl_collector of CPython, record version 0. The samples are counted by place
in the source, without stacks.
"""

import re
from dataclasses import dataclass, field

from profgate.model.profile import Profile
from profgate.model.source import SourceFile
from profgate.readers.json_text import Json, listing, mapping, objects_by_line, wrong
from profgate.readers.python_sampling import MODES
from profgate.readers.reader import BuiltInReader
from profgate.readers.sampled_functions import SampledFunctions

_VERSION = 0
_MOST = 1 << 53


class PythonSamplingJsonlReader(BuiltInReader):
    """Reads functions with their own samples and those with them anywhere in the stack; no stacks and no callers."""

    name = "python-sampling-jsonl"
    looks = "lines of JSON, the first with sample_interval_usec and run_id"
    record = "python -m profiling.sampling run --jsonl -o a.jsonl bench.py"
    proven = "Python 3.15.2"
    pattern = re.compile(rb'\s*\{(?=[^\n]*"sample_interval_usec")[^\n]*"run_id"')

    def read(self, source: SourceFile) -> Profile:
        """Counts of samples, with interval and mode. Raises ProfileError."""
        records = _Records(source.name)
        for where, record in objects_by_line(source):
            records.add(record, where)
        return records.profile()


@dataclass
class _Records:
    """The records read so far: texts, then frames, then samples."""

    where: str
    meta: Json = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)
    frames: dict[int, tuple[int, int, int]] = field(default_factory=dict)  # texts of file and name, line
    functions: SampledFunctions = field(default_factory=SampledFunctions)
    ended: bool = False

    def add(self, record: Json, where: str) -> None:
        """Add a record. The format requires readers to ignore unknown types."""
        if record.get("v") != _VERSION:
            raise wrong(where, f"expected version {_VERSION} of the records, found {str(record.get('v'))[:40]}")
        if self.meta and record.get("run_id") != self.meta.get("run_id"):
            raise wrong(where, "holds a second run; put each into a file of its own")
        match record.get("type"):
            case "meta":
                self.meta = record
            case "string_table":
                self.add_texts(record, where)
            case "frame_table":
                self.add_frames(record, where)
            case "agg":
                self.add_samples(record, where)
            case "end":
                self.ended = True

    def add_texts(self, record: Json, where: str) -> None:
        for entry in _entries(record, "strings", where):
            value = entry.get("value")
            if not isinstance(value, str):
                raise wrong(where, f"expected a text for 'value', found {str(value)[:40]!r}")
            self.texts[_number(entry, "str_id", where)] = value

    def add_frames(self, record: Json, where: str) -> None:
        for entry in _entries(record, "frames", where):
            file, name = _number(entry, "path_str_id", where), _number(entry, "func_str_id", where)
            line = _number(entry, "line", where, least=-1)  # -1 where the interpreter knows none
            self.frames[_number(entry, "frame_id", where)] = file, name, line

    def add_samples(self, record: Json, where: str) -> None:
        for entry in _entries(record, "entries", where):
            file, name, line = self.frames.get(_number(entry, "frame_id", where), (-1, -1, -1))
            if file not in self.texts or name not in self.texts:
                raise wrong(where, "counts samples of a frame that is not described before")
            row = self.functions.number(self.texts[file], line, self.texts[name])
            self.functions.add(row, _number(entry, "self", where), _number(entry, "cumulative", where))

    def profile(self) -> Profile:
        """The functions of all records. Raises ProfileError for a file without its end."""
        if not self.ended:
            raise wrong(self.where, "has no record 'end': the file is cut off")
        interval = _number(self.meta, "sample_interval_usec", self.where)
        mode = self.meta.get("mode")
        known = str(mode) if mode in MODES else None
        return self.functions.profile(self.where, PythonSamplingJsonlReader.name, interval, known)


def _entries(record: Json, key: str, where: str) -> list[Json]:
    return [mapping(entry, where, f"an entry of {key!r}") for entry in listing(record.get(key), where, repr(key))]


def _number(entry: Json, key: str, where: str, least: int = 0) -> int:
    value = entry.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value < _MOST:
        raise wrong(where, f"expected a number for {key!r}, found {str(value)[:40]!r}")
    return value
