"""An entry point for each reader: the bytes of one file, already unpacked."""

import json

from fuzz.entry_point import DATA, EntryPoint
from fuzz.mutation import JSON, JSON_LINES, MARSHAL, PROTOBUF, Codec
from profgate.errors import ProfileError
from profgate.model.source import source_of
from profgate.readers.containers import unwrap
from profgate.readers.reader import ProfileReader
from profgate.readers.registry import READERS
from smallest_files import RICHER, SMALLEST

LONGEST_SEED = 24_000  # bytes; small inputs are tried more often in the same time
_TEXTS = [name for name, data in SMALLEST.items() if data[:1] not in b"{["]
CODECS: dict[str, tuple[Codec, ...]] = {
    **dict.fromkeys(_TEXTS, ()),
    "pprof": (PROTOBUF,),
    "pstats": (MARSHAL,),
    **dict.fromkeys(("pytest-report-log", "go-test"), (JSON_LINES,)),
}


def _entry_point(reader: ProfileReader) -> EntryPoint:
    def take(data: bytes) -> str:
        source = source_of("p", data)
        if reader.recognizes(source) is None:
            return "unclaimed"
        reader.read(source)
        return "read"

    def seeds() -> list[bytes]:
        folder = DATA / reader.name
        files = sorted(folder.iterdir()) if folder.is_dir() else []
        recorded = [unwrap(source_of(path.name, path.read_bytes())).read(1 << 22) for path in files]
        return [SMALLEST[reader.name], *RICHER.get(reader.name, ()), *map(smaller, recorded)]

    return EntryPoint(reader.name, take, seeds, (ProfileError,), CODECS.get(reader.name, (JSON,)))


def smaller(data: bytes) -> bytes:
    """The beginning of a long file: of its lists where it is JSON, else of its lines."""
    kept = 200
    while len(data) > LONGEST_SEED and kept > 1:
        kept //= 2
        try:
            data = json.dumps(_shortened(json.loads(data), kept)).encode()
        except ValueError:
            data = data[: data.rfind(b"\n", 0, LONGEST_SEED) + 1 or LONGEST_SEED]
    return data


def _shortened(value: object, kept: int) -> object:
    if isinstance(value, dict):
        return {key: _shortened(item, kept) for key, item in value.items()}
    return [_shortened(item, kept) for item in value[:kept]] if isinstance(value, list) else value


READER_ENTRY_POINTS = tuple(map(_entry_point, READERS))
