"""Reader for Perun's profiles: measurements, models, and call stacks from the kperf and memory collectors."""

import math
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal

import numpy as np

from profgate.errors import ProfileError
from profgate.model.arrays import FloatArray, read_only
from profgate.model.cost_models import MODEL_NAMES, REGRESSOGRAM
from profgate.model.profile import Configuration, Facts, Measurements, Model, Profile
from profgate.model.source import SourceFile, source_of
from profgate.model.units import Metric, MetricKind, base_unit
from profgate.readers.builders import Frames, Paths
from profgate.readers.containers import inflate, read_all, unwrap
from profgate.readers.json_text import Json, decode, listing, mapping, numbered_objects, wrong
from profgate.readers.quantities import MAX_TOTAL, refuse_expansion
from profgate.readers.reader import BuiltInReader

_PACKED = b"profile "
_ZLIB = b"\x78"
_HEADER_LIMIT = 100
# parts of a structured uid, in the order in which they are joined; any other parts follow
_UID_ORDER = ("binary", "file", "source", "package", "module", "class", "struct", "function", "line", "instruction")
_SIZE = "structure-unit-size"
# keys of a record that are read; a type could have very many other keys
_USED = ("type", "subtype", "uid", "location", "command", "trace", "amount", _SIZE, "exclusive", "call-order", "order")


class PerunReader(BuiltInReader):
    """Reader for Perun's profiles (raw, compact, packed): records, stacks, and models of cost as a function of size."""

    name = "perun"
    looks = "JSON with the keys header and collector_info, or a packed profile"
    record = "perun collect"
    counted = ("memory",)
    keys = ("header", "collector_info")

    def fits(self, source: SourceFile) -> bool:
        """Return whether the file looks like this format."""
        return (source.head.startswith(_ZLIB) and _starts_packed(source.head)) or super().fits(source)

    def read(self, source: SourceFile) -> Profile:
        """Return the measurements and models in the file, or stacks if the records have traces."""
        where, data = source.name, read_all(unwrap(source))
        if data.startswith(_ZLIB):
            data = _unpacked(data, where)
        document = mapping(decode(data, where), where, "the document")
        return _Document(document, where, len(data)).profile()


class _Document:
    def __init__(self, document: Json, where: str, size: int) -> None:
        self.document = document
        self.where = where
        self.size = size
        self.header = mapping(document.get("header"), where, "'header'")
        self.collector = _text(mapping(document.get("collector_info") or {}, where, "'collector_info'").get("name"))
        self.frames = Frames()
        # by the identity of a uid, which all records of a type share
        self.known: dict[tuple[int, str | None], int] = {}
        # each row contains the frame, amount, size, exclusive amount, subtype and order of a record
        self.rows: list[tuple[int, float, float, float, str, int]] = []
        self.paths = Paths()
        self.path_values: list[int] = []
        self.warnings: Counter[str] = Counter()

    def profile(self) -> Profile:
        kperf = self.collector == "kperf"
        types: tuple[str, str] | None = None
        for number, (order, entry) in enumerate(self.records()):
            where = f"{self.where}: record {number}"
            record = mapping(entry, where, "it")
            types = types or (_text(record.get("type")), _text(record.get("subtype")))
            if kperf:
                self.add_stack(record, where)
            else:
                self.add_measurement(record, order, where)
        models = tuple(self.models())
        path_values = np.array(self.path_values, dtype=np.int64).reshape(1, -1)
        return Profile(
            name=self.where,
            configuration=self.configuration(),
            metrics=(self.metric(*(types or ("", ""))),),
            stacks=self.paths.stacks(path_values, self.where) if self.path_values or kperf else None,
            measurements=None if kperf else self.measurements(),
            frames=self.frames.listed(),
            attachments=models,
            periods=(1 if kperf else None,),
            facts=Facts(format=PerunReader.name, profiler=self.collector or None),
            warning_counts=self.warnings,
        )

    def measurements(self) -> Measurements:
        frame, amount, size, exclusive, subtypes, order = zip(*self.rows, strict=True) if self.rows else [()] * 6
        return Measurements(
            frame=read_only(np.array(frame, np.int64)),
            amount=read_only(np.array(amount, np.float64)),
            size=read_only(np.array(size, np.float64)),
            exclusive=read_only(np.array(exclusive, np.float64)),
            subtypes=list(subtypes),
            order=read_only(np.array(order, np.int64)),
        )

    def configuration(self) -> Configuration:
        entries = listing(self.document.get("postprocessors") or [], self.where, "'postprocessors'")
        postprocessors = [mapping(entry, self.where, "a postprocessor") for entry in entries]
        return Configuration(
            type=_text(self.header.get("type")),
            command=_text(self.header.get("cmd")),
            arguments=_text(self.header.get("args")),
            workload=_text(self.header.get("workload")),
            collector=self.collector,
            postprocessors=tuple(_text(postprocessor.get("name")) for postprocessor in postprocessors),
        )

    def metric(self, kind: str, subtype: str) -> Metric:
        """Return the metric of the profile. The unit of each type of record is in the header."""
        if self.collector == "kperf":
            return Metric("samples", "samples", kind=MetricKind.SAMPLED)
        units = mapping(self.header.get("units") or {}, self.where, "'units'")
        stated = units.get(f"{kind}({subtype})") or units.get(kind) or next(iter(units.values()), "")
        # the trace collector labels its nanoseconds as microseconds
        unit = "nanoseconds" if self.collector == "trace" else _text(stated)
        base, factor, power = base_unit(unit)
        if base == "nanoseconds":
            return Metric("time", base if (factor, power) == (1, 0) else unit, kind=MetricKind.TIMED)
        counted = MetricKind.COUNTED if base == "bytes" else MetricKind.TIMED
        return Metric(_text(self.header.get("type")) or kind, base if factor == 1 else unit, kind=counted)

    def records(self) -> Iterator[tuple[int, object]]:
        """Yield the repetition number and the content of each record in any of the three layouts of the format."""
        compact = self.document.get("resources")
        if compact is not None:
            yield from ((0, record) for record in self.compact_records(mapping(compact, self.where, "'resources'")))
            return
        snapshots = self.document.get("snapshots")
        if snapshots is None:
            snapshots = [self.document.get("global")]
        for order, entry in enumerate(listing(snapshots, self.where, "'snapshots'")):
            snapshot = mapping(entry, self.where, "'global' or a snapshot")
            for record in listing(snapshot.get("resources", []), self.where, "'resources'"):
                yield order, record

    def compact_records(self, resources: Json) -> Iterator[Json]:
        """Yield the records of the compact layout: common fields once for each type, other values in columns."""
        types = mapping(self.document.get("resource_type_map"), self.where, "'resource_type_map'")
        for name, entry in resources.items():
            where = f"{self.where}: resources {name[:120]!r}"
            stated = mapping(types.get(name), where, "its type")
            common = {key: stated[key] for key in _USED if key in stated}
            columns = mapping(entry, where, "it")
            values = [listing(column, where, repr(key)) for key, column in columns.items()]
            if len({len(column) for column in values}) > 1:
                raise wrong(where, "columns differ in length")
            for row in zip(*values, strict=True):
                yield {**common, **dict(zip(columns, row, strict=True))}

    def add_measurement(self, record: Json, order: int, where: str) -> None:
        amount = _number(record.get("amount"), where, "amount")
        if math.isnan(amount):
            # a missing amount is NaN, so that the location does not count as added or removed
            self.warnings["records without an amount"] += 1
        frame = self.frame_of_uid(record.get("uid"), where, _text(record.get("location")) or None)
        size, exclusive = (_number(record.get(key), where, key) for key in (_SIZE, "exclusive"))
        stated = next((record[key] for key in ("call-order", "order") if record.get(key) is not None), order)
        number = _whole(stated, where, "order")
        self.rows.append((frame, amount, size, exclusive, _text(record.get("subtype")), number))
        if record.get("trace") and not math.isnan(amount):
            # the first frame of a trace is the function that allocates, so the trace is reversed
            self.add_path(self.trace(record, where)[::-1], record, where)

    def add_stack(self, record: Json, where: str) -> None:
        """Add a kperf record, with a stack of callers and a leaf, or with a folded stack as its uid."""
        uid = record.get("uid")
        leaf = _text(uid)
        if not leaf or "trace" in record:
            path = [*self.trace(record, where), self.frame_of_uid(uid, where)]
        else:
            path = [self.frames.number_of(part) for part in leaf.split(";")]
        command = _text(record.get("command"))
        self.add_path([self.frames.number_of(command), *path] if command else path, record, where)

    def add_path(self, path: list[int], record: Json, where: str) -> None:
        value = _whole(record.get("amount"), where, "amount")
        if value < 0:
            raise wrong(where, "the amount is negative, as in a difference of two profiles")
        if value:
            self.paths.add(path)
            refuse_expansion(len(self.paths.frames), self.size, where)
            self.path_values.append(value)

    def trace(self, record: Json, where: str) -> list[int]:
        return [self.frame_of_trace(frame, where) for frame in listing(record.get("trace") or [], where, "'trace'")]

    def frame_of_trace(self, frame: object, where: str) -> int:
        if isinstance(frame, str):
            return self.frames.number_of(frame)
        parts = mapping(frame, where, "a frame")
        number = self.known.get((id(frame), None))
        if number is None:
            name = _text(parts.get("function") or parts.get("func")) or _joined(parts)
            number = self.known[id(frame), None] = self.frames.number_of(name, *_place_of(parts))
        return number

    def frame_of_uid(self, uid: object, where: str, module: str | None = None) -> int:
        """Return the frame of a record. The name of the frame is the complete uid, in the form that Perun prints."""
        if isinstance(uid, dict):
            key = id(uid), module
            if key not in self.known:
                self.known[key] = self.frames.number_of(_joined(uid), *_place_of(uid), module)
            return self.known[key]
        if not isinstance(uid, str) or not uid:
            raise wrong(where, "there is no uid")
        return self.frames.number_of(uid, module=module)

    def models(self) -> Iterator[Model]:
        inner = self.document.get("global")
        found = self.document.get("models") or (inner.get("models") if isinstance(inner, dict) else None) or []
        # the uid of a model does not contain the binary, so the binary is taken from records with the same name
        modules = {key[0]: key[3] for key in self.frames.numbers}
        sizes = self.sizes() if found else {}
        for where, model in numbered_objects(found, self.where, "'models'", "model"):
            name, uid = _model_name(model), model.get("uid")
            start, end = (_number(model.get(key), where, key) for key in ("x_start", "x_end"))
            curve = _curve(model, where, (start, end), sizes)
            if model.get("r_square") is None or not (model.get("coeffs") or curve):
                self.warnings["models without coefficients or values that were left out"] += 1
            elif name not in MODEL_NAMES:
                self.warnings["models of an unknown kind that were left out"] += 1
            else:
                yield Model(
                    frame=self.frame_of_uid(uid, where, modules.get(_uid_name(uid))),
                    name=name,
                    r_square=_number(model["r_square"], where, "r_square"),
                    coefficients=_coefficients(model, where),
                    x_start=start,
                    x_end=end,
                    curve=curve,
                )

    def sizes(self) -> dict[str, FloatArray]:
        """Return the known sizes of the records for each uid, in increasing order."""
        names = [key[0] for key in self.frames.numbers]
        found: dict[str, list[float]] = {}
        for frame, _, size, *_ in self.rows:
            if not math.isnan(size):
                found.setdefault(names[frame], []).append(size)
        return {name: np.sort(column) for name, column in found.items()}


def _coefficients(model: Json, where: str) -> dict[str, float]:
    """Return the coefficients by name. Unnamed coefficients are named by their index: ``b0``, ``b1`` and so on.

    A quadratic model with two coefficients was written by an earlier release of Perun, which fitted b0 + b1*x^2.
    """
    entries = listing(model.get("coeffs") or [], where, "'coeffs'")
    found = {}
    for place, coefficient in enumerate(mapping(entry, where, "a coefficient") for entry in entries):
        found[_text(coefficient.get("name")) or f"b{place}"] = _number(coefficient.get("value"), where, "value")
    if _model_name(model) == "quadratic" and found.keys() == {"b0", "b1"}:
        return {"b0": found["b0"], "b1": 0.0, "b2": found["b1"]}
    return found


def _curve(
    model: Json, where: str, ends: tuple[float, float], sizes: Mapping[str, FloatArray]
) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
    """Return the points of a moving average, regressogram or kernel regression, or None for any other model."""
    found = model.get("bucket_stats") or model.get("kernel_stats")
    if not found:
        return None
    stored = np.array([_number(value, where, "a value") for value in listing(found, where, "the curve")])
    known = sizes.get(_uid_name(model.get("uid"))) if model.get("per_key", _SIZE) == _SIZE else None
    x, y = _curve_points(_model_name(model), stored, *ends, np.zeros(0) if known is None else known)
    return tuple(x.tolist()), tuple(y.tolist())


def _curve_points(
    name: str, y: FloatArray, start: float, end: float, sizes: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the x values, in increasing order, and the y values of the points of a model. A missing y is NaN.

    The file contains only y values, so x is computed from ``sizes``, which contains the x values of the records. A
    regressogram has one value per bucket, and all buckets are equally wide. The file contains 0 for an empty bucket, so
    ``sizes`` is used to detect empty buckets. Other models have one value per record, sorted by x, and values at the
    same x are averaged. If ``sizes`` does not match the model, the points are assumed to be equally spaced.
    """
    x = np.linspace(start, end, len(y))
    if MODEL_NAMES[REGRESSOGRAM] == name:
        if not end > start:
            return x, y
        ends = np.searchsorted(sizes, np.linspace(start, end, len(y) + 1))
        ends[-1] = np.searchsorted(sizes, end, "right")
        return x, np.where((y == 0) & (np.diff(ends) == 0), np.nan, y)
    if len(sizes) != len(y) or not np.allclose([sizes.min(initial=np.inf), sizes.max(initial=-np.inf)], [start, end]):
        return x, y
    places, at = np.unique(sizes, return_inverse=True)
    return places, np.bincount(at, weights=y) / np.bincount(at)


def _uid_name(uid: object) -> str:
    return _joined(uid) if isinstance(uid, dict) else _text(uid)


def _model_name(model: Json) -> str:
    return _text(model.get("model")).lower() or ("kernel_regression" if model.get("kernel_stats") else "")


def _starts_packed(head: bytes) -> bool:
    try:
        return zlib.decompressobj().decompress(head, len(_PACKED)) == _PACKED
    except zlib.error:
        return False


def _unpacked(data: bytes, where: str) -> bytes:
    """Return the JSON of a packed profile: ``profile <type> <length> NUL <json>``, compressed with zlib."""
    content = inflate(source_of(where, data))
    header, found, body = content.partition(b"\0")
    parts = header[:_HEADER_LIMIT].decode(errors="replace").split(" ")
    if not found or len(parts) != 3 or parts[0] != "profile" or parts[2] != str(len(body)):
        raise ProfileError(where, f"the packed header {header[:_HEADER_LIMIT]!r} does not fit; store the profile again")
    return body


def _joined(uid: Json) -> str:
    keys = dict.fromkeys((*_UID_ORDER, *uid))  # each key once, in this order
    return ":".join(str(uid[key]) for key in keys if key in uid)


def _place_of(parts: Json) -> tuple[str, int | None]:
    """Return the file and the line of a frame. An empty file or a line of 0 is unknown."""
    file = _text(parts.get("file") or parts.get("source"))
    try:
        return file, int(_text(parts.get("line")) or 0)
    except ValueError:
        return file, None


def _text(value: object) -> str:
    return "" if value is None or isinstance(value, dict | list) else str(value)


def _number(value: object, where: str, what: str) -> float:
    """Return a measured value as float64, or NaN if the value is missing."""
    if value is None or isinstance(value, float):  # NaN and infinity
        return math.nan
    try:
        number = float(value) if isinstance(value, int | Decimal | str) and not isinstance(value, bool) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise wrong(where, f"{what} is {str(value)[:40]!r}, which is not a number")
    return number


def _whole(value: object, where: str, what: str) -> int:
    if type(value) is int and abs(value) <= MAX_TOTAL:
        return value
    number = _number(value, where, what)
    if math.isnan(number) or number != int(number) or abs(number) > MAX_TOTAL:
        raise wrong(where, f"{what} is {str(value)[:40]!r}, which is not an integer")
    return int(number)
