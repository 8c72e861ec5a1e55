"""Reader for JSON Lines of Python's sampling profiler (``python -m profiling.sampling run --jsonl``, Python 3.15).

Source: the module profiling.sampling.jsonl_collector in CPython, record version 0. Samples are counted by source
position, without stacks.
"""

import re

from profgate.model.profile import Profile
from profgate.model.source import SourceFile
from profgate.readers.json_text import Json, is_integer, listing, mapping, objects_by_line, wrong
from profgate.readers.python_sampling import MODES, SampledFunctions
from profgate.readers.reader import BuiltInReader

_VERSION = 0


class PythonSamplingJsonlReader(BuiltInReader):
    """Reader for Python's sampling profiler: self and total samples of functions, without stacks or callers."""

    name = "python-sampling-jsonl"
    looks = "lines of JSON, of which the first has the keys sample_interval_usec and run_id"
    record = "python -m profiling.sampling run --jsonl -o a.jsonl bench.py"
    pattern = re.compile(rb'\s*\{(?=[^\n]*"sample_interval_usec")[^\n]*"run_id"')

    def read(self, source: SourceFile) -> Profile:
        """Return a profile of sample counts, with interval and mode. Raises ProfileError if the file is invalid."""
        where, meta, ended = source.name, Json(), False
        texts, frames, functions = dict[int, str](), dict[int, tuple[int, int, int]](), SampledFunctions()
        for place, record in objects_by_line(source):
            if record.get("v") != _VERSION:
                raise wrong(place, f"expected version {_VERSION} of the records, found {str(record.get('v'))[:40]}")
            if meta and record.get("run_id") != meta.get("run_id"):
                raise wrong(place, "contains a second run; use a separate file for each run")
            match record.get("type"):  # the format requires readers to ignore unknown types
                case "meta":
                    meta = record
                case "string_table":
                    texts.update(_text(entry, place) for entry in _entries(record, "strings", place))
                case "frame_table":
                    frames.update(_frame(entry, place) for entry in _entries(record, "frames", place))
                case "agg":
                    _add_samples(record, place, texts, frames, functions)
                case "end":
                    ended = True
        if not ended:
            raise wrong(where, "has no record 'end': the file is cut off")
        interval, mode = _number(meta, "sample_interval_usec", where), meta.get("mode")
        return functions.profile(where, self.name, interval, str(mode) if mode in MODES else None)


def _add_samples(
    record: Json,
    where: str,
    texts: dict[int, str],
    frames: dict[int, tuple[int, int, int]],
    functions: SampledFunctions,
) -> None:
    for entry in _entries(record, "entries", where):
        file, name, line = frames.get(_number(entry, "frame_id", where), (-1, -1, -1))
        if file not in texts or name not in texts:
            raise wrong(where, "counts samples of a frame that is not described before")
        row = functions.number(texts[file], line, texts[name])
        functions.add(row, _number(entry, "self", where), _number(entry, "cumulative", where))


def _text(entry: Json, where: str) -> tuple[int, str]:
    """Return the number and the value of an entry in the string table."""
    value = entry.get("value")
    if not isinstance(value, str):
        raise wrong(where, f"expected a text for 'value', found {str(value)[:40]!r}")
    return _number(entry, "str_id", where), value


def _frame(entry: Json, where: str) -> tuple[int, tuple[int, int, int]]:
    """Return the number of a frame, and the string numbers of its file and name with its line or -1."""
    file, name = _number(entry, "path_str_id", where), _number(entry, "func_str_id", where)
    return _number(entry, "frame_id", where), (file, name, _number(entry, "line", where, least=-1))


def _entries(record: Json, key: str, where: str) -> list[Json]:
    return [mapping(entry, where, f"an entry of {key!r}") for entry in listing(record.get(key), where, repr(key))]


def _number(entry: Json, key: str, where: str, least: int = 0) -> int:
    value = entry.get(key)
    if not is_integer(value, least, (1 << 53) - 1):
        raise wrong(where, f"expected a number for {key!r}, found {str(value)[:40]!r}")
    return value
