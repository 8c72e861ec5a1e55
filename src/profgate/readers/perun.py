"""Perun's profiles: repeated measurements and models, and the call stacks of its kperf and memory collectors."""

import math
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

import numpy as np

from profgate.errors import ProfileError
from profgate.model.arrays import FloatArray, read_only
from profgate.model.cost_models import MODEL_NAMES
from profgate.model.profile import Configuration, Facts, FrameList, Measurements, Model, Profile, Stacks
from profgate.model.source import SourceFile
from profgate.model.units import Metric, MetricKind, base_unit
from profgate.readers.containers import MAX_BYTES, MAX_RATIO, RATIO_FLOOR, read_all, unwrap
from profgate.readers.json_text import begins_object, decode, ends_hold
from profgate.readers.perun_curves import located
from profgate.readers.quantities import MAX_TOTAL, sum_of
from profgate.readers.stack_events import stacks_from_paths

_PACKED = b"profile "
_ZLIB = b"\x78"
_HEADER_LIMIT = 100
# parts of a structured uid, in the order they are joined; whatever else it has follows
_UID_ORDER = ("binary", "file", "source", "package", "module", "class", "struct", "function", "line", "instruction")
_ORDERS = ("call-order", "order")
_CURVES = ("bucket_stats", "kernel_stats")
_SIZE = "structure-unit-size"
_MAX_LINE = 1 << 31

Json = dict[str, object]


class PerunReader:
    """Reads Perun's profiles in their raw, compact and packed forms: records, stacks and models of cost over size."""

    name = "perun"

    def recognizes(self, source: SourceFile) -> str | None:
        """Why this file looks like the format, or None."""
        if source.head.startswith(_ZLIB) and _starts_packed(source.head):
            return "it unpacks to an object named 'profile'"
        if begins_object(source) and ends_hold(source, b'"header"', b'"collector_info"'):
            return "it is JSON with a header and the name of a collector"
        return None

    def read(self, source: SourceFile) -> Profile:
        """Measurements in the file's own unit with the models it brings; stacks where records have traces."""
        where = source.name
        data = read_all(unwrap(source))
        if data.startswith(_ZLIB):
            data = _unpacked(data, where)
        return _Document(_mapping(decode(data, where, missing=math.nan), where, "the document"), where).profile()


@dataclass
class _Frames:
    """Frames by what identifies them; the same frame gets the same number."""

    numbers: dict[tuple[str, str | None, int | None, str | None], int] = field(default_factory=dict)

    def number_of(self, name: str, file: str | None = None, line: int | None = None, module: str | None = None) -> int:
        return self.numbers.setdefault((name, file, line, module), len(self.numbers))

    def listed(self) -> FrameList:
        names, files, lines, modules = ([key[part] for key in self.numbers] for part in range(4))
        return FrameList(names, files, lines, modules)  # type: ignore[arg-type]


@dataclass
class _Columns:
    """Measurements while they are read, a place for each record."""

    frame: list[int] = field(default_factory=list)
    amount: list[float] = field(default_factory=list)
    size: list[float] = field(default_factory=list)
    exclusive: list[float] = field(default_factory=list)
    subtypes: list[str] = field(default_factory=list)
    order: list[int] = field(default_factory=list)

    def body(self) -> Measurements:
        return Measurements(
            frame=read_only(np.array(self.frame, dtype=np.int64)),
            amount=_floats(self.amount),
            size=_floats(self.size),
            exclusive=_floats(self.exclusive),
            subtypes=self.subtypes,
            order=read_only(np.array(self.order, dtype=np.int64)),
        )


@dataclass
class _Paths:
    """Call paths while they are read, root first."""

    flat: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=lambda: [0])
    values: list[int] = field(default_factory=list)

    def add(self, path: list[int], value: int) -> None:
        self.flat.extend(path)
        self.ends.append(len(self.flat))
        self.values.append(value)

    def body(self, where: str) -> Stacks:
        values = np.array(self.values, dtype=np.int64).reshape(1, -1)
        sum_of(values, where)
        flat, ends = np.array(self.flat, dtype=np.int64), np.array(self.ends, dtype=np.int64)
        return stacks_from_paths(flat, ends, values, where=where)


class _Document:
    """One profile while its parts are put together."""

    def __init__(self, document: Json, where: str) -> None:
        self.document = document
        self.where = where
        self.header = _mapping(document.get("header"), where, "'header'")
        self.collector = _text(_mapping(document.get("collector_info") or {}, where, "'collector_info'").get("name"))
        self.frames = _Frames()
        self.columns = _Columns()
        self.paths = _Paths()
        self.warnings: Counter[str] = Counter()

    def profile(self) -> Profile:
        kperf = self.collector == "kperf"
        types: list[tuple[str, str]] = []
        for number, order, record in self.records():
            where = f"{self.where}: record {number}"
            if not types:
                types.append((_text(record.get("type")), _text(record.get("subtype"))))
            if kperf:
                self.add_stack(record, where)
            else:
                self.add_measurement(record, order, where)
        models = tuple(self.models())
        post = self.document.get("postprocessors") or []
        return Profile(
            name=self.where,
            configuration=Configuration(
                type=_text(self.header.get("type")),
                command=_text(self.header.get("cmd")),
                arguments=_text(self.header.get("args")),
                workload=_text(self.header.get("workload")),
                collector=self.collector,
                postprocessors=tuple(
                    _text(_mapping(one, self.where, "a postprocessor").get("name"))
                    for one in _listing(post, self.where, "'postprocessors'")
                ),
            ),
            metrics=(self.metric(*(types or [("", "")])[0]),),
            stacks=self.paths.body(self.where) if self.paths.values or kperf else None,
            measurements=None if kperf else self.columns.body(),
            frames=self.frames.listed(),
            models=models,
            periods=(1 if kperf else None,),
            facts=Facts(format=PerunReader.name, profiler=self.collector or None),
            warnings=tuple(f"{count} {what}" for what, count in sorted(self.warnings.items())),
        )

    def metric(self, kind: str, subtype: str) -> Metric:
        """The one metric of the profile, in the unit the header states for the type of its records."""
        if self.collector == "kperf":
            return Metric("samples", "samples", kind=MetricKind.SAMPLED)
        units = _mapping(self.header.get("units") or {}, self.where, "'units'")
        stated = units.get(f"{kind}({subtype})") or units.get(kind) or next(iter(units.values()), "")
        # the trace collector labels its nanoseconds as microseconds
        unit = "nanoseconds" if self.collector == "trace" else _text(stated)
        base, factor, power = base_unit(unit)
        if base == "nanoseconds":
            return Metric("time", base if (factor, power) == (1, 0) else unit, kind=MetricKind.TIMED)
        counted = MetricKind.COUNTED if base == "bytes" else MetricKind.TIMED
        return Metric(_text(self.header.get("type")) or kind, base if factor == 1 else unit, kind=counted)

    def records(self) -> Iterator[tuple[int, int, Json]]:
        """Number, repetition and fields of each record, whichever of the three bodies holds them."""
        compact = self.document.get("resources")
        if compact is not None:
            numbered = enumerate(self.compact_records(_mapping(compact, self.where, "'resources'")))
            yield from ((number, 0, record) for number, record in numbered)
            return
        snapshots = self.document.get("snapshots")
        if snapshots is None:
            snapshots = [self.document.get("global")]
        number = 0
        for order, entry in enumerate(_listing(snapshots, self.where, "'snapshots'")):
            snapshot = _mapping(entry, self.where, "'global' or a snapshot")
            for record in _listing(snapshot.get("resources", []), self.where, "'resources'"):
                yield number, order, _mapping(record, f"{self.where}: record {number}", "it")
                number += 1

    def compact_records(self, resources: Json) -> Iterator[Json]:
        """Records of the compact form: what their type says, and one value of each of its columns."""
        types = _mapping(self.document.get("resource_type_map"), self.where, "'resource_type_map'")
        for name, entry in resources.items():
            where = f"{self.where}: resources {name[:120]!r}"
            common = _mapping(types.get(name), where, "its type")
            columns = _mapping(entry, where, "it")
            values = [_listing(column, where, repr(key)) for key, column in columns.items()]
            if len({len(column) for column in values}) > 1:
                raise _wrong(where, "columns differ in length")
            for row in zip(*values, strict=True):
                yield {**common, **dict(zip(columns, row, strict=True))}

    def add_measurement(self, record: Json, order: int, where: str) -> None:
        amount = _number(record.get("amount"), where, "amount")
        if math.isnan(amount):
            # kept, so that nobody takes its location for a new or a gone one
            self.warnings["records have no amount"] += 1
        columns = self.columns
        columns.frame.append(self.uid(record.get("uid"), where, _text(record.get("location")) or None))
        columns.amount.append(amount)
        columns.size.append(_number(record.get(_SIZE), where, _SIZE))
        columns.exclusive.append(_number(record.get("exclusive"), where, "exclusive"))
        columns.subtypes.append(_text(record.get("subtype")))
        stated = next((record[key] for key in _ORDERS if record.get(key) is not None), order)
        columns.order.append(_whole(stated, where, "order"))
        if record.get("trace") and not math.isnan(amount):
            # the allocating frame comes first
            self.add_trace(list(reversed(self.trace(record, where))), record, where)

    def add_stack(self, record: Json, where: str) -> None:
        """A kperf record: command, callers and leaf apart, or all of them in one folded uid."""
        leaf = _text(record.get("uid")) if not isinstance(record.get("uid"), dict) else ""
        if not leaf:
            path = [*self.trace(record, where), self.uid(record.get("uid"), where, None)]
        elif "trace" in record:
            path = [*self.trace(record, where), self.frames.number_of(leaf)]
        else:
            path = [self.frames.number_of(part or "[unknown]") for part in leaf.split(";")]
        command = _text(record.get("command"))
        self.add_trace([self.frames.number_of(command), *path] if command else path, record, where)

    def add_trace(self, path: list[int], record: Json, where: str) -> None:
        value = _whole(record.get("amount"), where, "amount")
        if value < 0:
            raise _wrong(where, "the amount is negative, as in a difference of two profiles")
        if value:
            self.paths.add(path, value)

    def trace(self, record: Json, where: str) -> list[int]:
        return [self.trace_frame(frame, where) for frame in _listing(record.get("trace") or [], where, "'trace'")]

    def trace_frame(self, frame: object, where: str) -> int:
        if isinstance(frame, str):
            return self.frames.number_of(frame or "[unknown]")
        parts = _mapping(frame, where, "a frame")
        name = _text(parts.get("function")) or _text(parts.get("func"))
        return self.frames.number_of(name or _joined(parts), _file_of(parts), _line_of(parts))

    def uid(self, uid: object, where: str, module: str | None) -> int:
        """The frame a record is about; its name is the whole uid, as Perun prints it."""
        if isinstance(uid, dict):
            return self.frames.number_of(_joined(uid), _file_of(uid), _line_of(uid), module)
        if not isinstance(uid, str) or not uid:
            raise _wrong(where, "there is no uid")
        return self.frames.number_of(uid, module=module)

    def models(self) -> Iterator[Model]:
        inner = self.document.get("global")
        found = self.document.get("models") or (inner.get("models") if isinstance(inner, dict) else None) or []
        # a model names no binary: its uid is that of the records it was fitted to
        modules = {key[0]: key[3] for key in self.frames.numbers}
        sizes = self.sizes() if found else {}
        for number, entry in enumerate(_listing(found, self.where, "'models'")):
            where = f"{self.where}: model {number}"
            model = _mapping(entry, where, "it")
            curve = self.curve(model, where, sizes)
            if model.get("r_square") is None or not (model.get("coeffs") or curve):
                self.warnings["models without coefficients or values were left out"] += 1
                continue
            name = _model_name(model)
            if name not in MODEL_NAMES:
                self.warnings["models of an unknown kind were left out"] += 1
                continue
            uid = model.get("uid")
            module = modules.get(_uid_name(uid))
            yield Model(
                frame=self.uid(uid, where, module),
                name=name,
                r_square=_number(model["r_square"], where, "r_square"),
                coefficients=self.coefficients(model, where),
                x_start=_number(model.get("x_start"), where, "x_start"),
                x_end=_number(model.get("x_end"), where, "x_end"),
                curve=curve,
            )

    def coefficients(self, model: Json, where: str) -> dict[str, float]:
        """Values by name; one without a name is called by its place.

        A quadratic of two coefficients is one of Perun's earlier releases, which fitted b0 + b1*x^2.
        """
        entries = _listing(model.get("coeffs") or [], where, "'coeffs'")
        listed = [_mapping(one, where, "a coefficient") for one in entries]
        found = {
            _text(one.get("name")) or f"b{place}": _number(one.get("value"), where, "value")
            for place, one in enumerate(listed)
        }
        if _model_name(model) == "quadratic" and found.keys() == {"b0", "b1"}:
            return {"b0": found["b0"], "b1": 0.0, "b2": found["b1"]}
        return found

    def sizes(self) -> dict[str, FloatArray]:
        """The known sizes of the records of each uid."""
        names = [key[0] for key in self.frames.numbers]
        found: dict[str, list[float]] = {}
        for frame, size in zip(self.columns.frame, self.columns.size, strict=True):
            if not math.isnan(size):
                found.setdefault(names[frame], []).append(size)
        return {name: np.array(column) for name, column in found.items()}

    def curve(
        self, model: Json, where: str, sizes: Mapping[str, FloatArray]
    ) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
        """X and y of a moving average, a regressogram or a kernel regression; None of a model with a formula."""
        found = next((model[key] for key in _CURVES if model.get(key)), None)
        if found is None:
            return None
        stored = np.array([_number(one, where, "a value") for one in _listing(found, where, "the curve")])
        start, end = (_number(model.get(key), where, key) for key in ("x_start", "x_end"))
        of_size = model.get("per_key", _SIZE) == _SIZE
        known = sizes.get(_uid_name(model.get("uid"))) if of_size else None
        x, y = located(_model_name(model), stored, start, end, np.zeros(0) if known is None else known)
        return tuple(x.tolist()), tuple(y.tolist())


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
    """The JSON of ``profile <type> <length> NUL <json>``, deflated."""
    unpacker = zlib.decompressobj()
    limit = min(MAX_BYTES, max(RATIO_FLOOR, len(data) * MAX_RATIO))
    try:
        content = unpacker.decompress(data, limit)
    except zlib.error as error:
        raise ProfileError(f"{where}: byte 0", f"damaged packed data ({error}); store the profile again") from None
    if not unpacker.eof:
        what = "grows beyond what may be unpacked" if unpacker.unconsumed_tail else "ends too early"
        raise ProfileError(f"{where}: byte {len(data)}", f"the packed profile {what}; store the profile again")
    header, found, body = content.partition(b"\0")
    parts = header[:_HEADER_LIMIT].decode(errors="replace").split(" ")
    if not found or len(parts) != 3 or parts[0] != "profile" or parts[2] != str(len(body)):
        raise ProfileError(where, f"the packed header {header[:_HEADER_LIMIT]!r} does not fit; store the profile again")
    return body


def _joined(uid: Json) -> str:
    known = [key for key in _UID_ORDER if key in uid]
    return ":".join(str(uid[key]) for key in [*known, *(key for key in uid if key not in _UID_ORDER)])


def _file_of(parts: Json) -> str | None:
    return _text(parts.get("file")) or _text(parts.get("source")) or None


def _line_of(parts: Json) -> int | None:
    try:
        line = int(_text(parts.get("line")) or 0)
    except ValueError:
        return None
    return line if 0 < line < _MAX_LINE else None


def _floats(values: list[float]) -> FloatArray:
    return read_only(np.array(values, dtype=np.float64))


def _text(value: object) -> str:
    return "" if value is None or isinstance(value, dict | list) else str(value)


def _number(value: object, where: str, what: str) -> float:
    """A measured value as float64; NaN where there is none."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return math.nan
    try:
        number = float(value) if isinstance(value, int | Decimal | str) and not isinstance(value, bool) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise _wrong(where, f"{what} is {str(value)[:40]!r}, which is no number")
    return number


def _whole(value: object, where: str, what: str) -> int:
    number = _number(value, where, what)
    if math.isnan(number) or number != int(number) or abs(number) > MAX_TOTAL:
        raise _wrong(where, f"{what} is {str(value)[:40]!r}, which is no whole number")
    return int(value) if isinstance(value, int) else int(number)


def _mapping(value: object, where: str, what: str) -> Json:
    if not isinstance(value, dict):
        raise _wrong(where, f"{what} is no JSON object")
    return value


def _listing(value: object, where: str, what: str) -> list[object]:
    if not isinstance(value, list):
        raise _wrong(where, f"{what} is no JSON array")
    return value


def _wrong(where: str, what: str) -> ProfileError:
    return ProfileError(where, f"{what}; collect the profile again")
