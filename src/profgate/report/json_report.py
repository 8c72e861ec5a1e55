"""Write and read report.json (`profgate.report/4`) and links.json, for other programs and for merging shards."""

import json
import math
from collections.abc import Callable, Sequence
from functools import cache, partial
from hashlib import sha256
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from profgate.errors import ProfgateError
from profgate.model.calibration import Calibration
from profgate.model.change import Details
from profgate.model.excerpt import Excerpt, Frame, Hunk
from profgate.model.links import Links
from profgate.model.policy import StatedPolicy
from profgate.model.reason import Reason
from profgate.model.record import Record, replace
from profgate.model.report import SCHEMA, Attribution, FunctionCosts, Report
from profgate.report.wording import reason_text

if TYPE_CHECKING:
    from pydantic import TypeAdapter, ValidationError

Plain: TypeAlias = Any  # a JSON value
REPORT_NAME = "report.json"
LINKS_NAME = "links.json"
LINKS_SCHEMA = "profgate.links/1"
OPTIONAL = frozenset(
    {"context", "lines", "acceptances", "lacks", "parameters", "parts", "measurement", "unjudged", "confirms"}
    | {"drift", "steps", "places", "path", "blind_spots", "missed", "unknown", "unseen"}
    | {"result", "details", "windows", "new_callees", "excerpts", "claims", "proof"}
)  # these keys are omitted if empty
SPARSE = (
    Calibration,
    Attribution,
    FunctionCosts,
    Details,
    StatedPolicy,
    Excerpt,
    Frame,
    Hunk,
)  # unknown values of these are omitted
NESTED = "is nested too deeply; it is no report of profgate"
LARGEST_NUMBER = 1e100
LARGEST_REPORT = 512 << 20  # bytes; longer reports are neither written nor read


def to_json(report: Report) -> str:
    """Return the report as text. See `json_bytes`."""
    return json_bytes(report).decode()


def json_bytes(report: Report, run: Callable[[Sequence[Callable[[], bytes]]], list[bytes]] | None = None) -> bytes:
    """Return the report as deterministic JSON with one line for each field of the report and one for each workload.

    Values are in base units; non-finite numbers become null. ``run`` calls functions and returns their results in the
    same order. Raises ProfgateError if the text would be longer than the limit for reading a report.
    """
    document = _document(replace(report, workloads=()))
    # the verdict of a large report takes as long as many workloads
    tasks = [partial(_line, value) for value in (*document.values(), *report.workloads)]
    lines = run(tasks) if run else [task() for task in tasks]
    loads, parts = [b",\n"] * (2 * len(report.workloads) - 1), list[bytes]()
    loads[::2] = lines[len(document) :]
    for name, line in zip(document, lines, strict=False):
        text = [b"[\n", *loads, b"\n]"] if loads and name == "workloads" else [line]
        parts += [b",\n" if parts else b"{\n", f'"{name}": '.encode(), *text]
    data = b"".join([*parts, b"\n}\n"])
    if len(data) > LARGEST_REPORT:
        _refuse(REPORT_NAME, f"is longer than {LARGEST_REPORT:,} bytes; compare fewer workloads in one job")
    return data


def digest_of(report: Report, links: Links) -> str:
    """Return a hexadecimal SHA-256 digest of a report and its links, which distinguish equal results of shards."""
    return sha256(json_bytes(report) + links_to_json(links).encode()).hexdigest()


def from_json(text: str, where: str = REPORT_NAME) -> Report:
    """Parse a report. Unknown keys are ignored. A lone surrogate, which UTF-8 cannot encode, becomes a question mark.

    Raises:
        ProfgateError: if the document is invalid; the message contains the path of the first missing or wrong value.
    """
    from pydantic import ValidationError

    try:
        document: Plain = json.loads(text, parse_int=_integer, parse_float=_decimal)
        if not isinstance(document, dict):
            _refuse(where, f"is {_shown(document)}; expected an object")
        if document.get("schema") != SCHEMA:
            schemas = f"its schema is {_shown(document.get('schema'))}, expected {SCHEMA!r}"
            _refuse(where, f"is no report that this profgate reads: {schemas}; compare the profiles again with it")
        return _adapter().validate_json(json.dumps([document], ensure_ascii=False).encode("utf-8", "replace"))[0]
    except ValidationError as error:
        raise ProfgateError(where, _first_error(error)) from None
    except RecursionError:
        _refuse(where, NESTED)
    except ValueError as error:
        _refuse(where, f"is not JSON ({error}); write it with `profgate compare --format json`")


def _line(value: Plain) -> bytes:
    encode = partial(json.dumps, check_circular=False, separators=(",", ":"), default=_document)
    try:
        return encode(value, allow_nan=False).encode()
    except ValueError:  # a number that is not finite
        return encode(json.loads(encode(value), parse_constant=lambda _: None)).encode()


def _document(value: Any) -> dict[str, Plain]:  # noqa: ANN401
    """Return the fields of a record, whose values are encoded afterwards."""
    names, parts, sparse = _fields(value.__class__)
    document = {
        name: dict(sorted(part.items())) if part.__class__ is dict else part
        for name, part in zip(names, parts(value), strict=False)
        if part or (name not in OPTIONAL and not (sparse and (part is None or part == "")))
    }
    if sparse:
        return {name: fact for name, fact in document.items() if not isinstance(fact, float) or math.isfinite(fact)}
    if isinstance(value, Reason):
        if not value.reasons:
            del document["reasons"]
        document["text"] = reason_text(value, str)
    return document


@cache
def _fields(record: type[Record]) -> tuple[list[str], Callable[[Any], tuple[Any, ...]], bool]:
    """Return the names of the fields of a record, with the schema name first, and a function for their values.

    The third part states whether unknown values are omitted.
    """
    sparse = issubclass(record, SPARSE)
    names = sorted(record.__struct_fields__, key=lambda name: (name != "schema", name if sparse else ""))
    return names, attrgetter(*names, "__class__"), sparse


@cache
def _adapter() -> "TypeAdapter[list[Report]]":
    """Return a validator for a list of reports.

    With a list, one configuration applies to all nested records.
    """
    from pydantic import ConfigDict, TypeAdapter

    return TypeAdapter(list[Report], config=ConfigDict(strict=True, allow_inf_nan=False))


def _first_error(error: "ValidationError") -> str:
    first = error.errors(include_url=False)[0]
    if first["type"] == "json_invalid":
        return NESTED
    # without the index in the list, and without the classes that a value may have
    steps = [step for step in first["loc"][1:] if not str(step).startswith("function-after[")]
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step[:80]}" for step in steps).removeprefix(".")
    if first["type"] == "missing":
        return f"{path}: is missing"
    if first["type"] == "predicate_failed":
        return f"{path}: {_shown(first['input'])} is not a known value"
    return f"{path}: is {_shown(first['input'])}; expected {first['msg'].removeprefix('Input should be ')}"


def _integer(digits: str) -> int:
    # other languages round or reject longer integers, and they do not fit into a float
    if len(digits) > 19:
        raise ValueError(f"{digits[:40]} is out of range")
    return int(digits)


def _decimal(digits: str) -> float:
    # further arithmetic must not overflow, and dividing by a smaller number could
    value = float(digits)
    if abs(value) > LARGEST_NUMBER:
        raise ValueError(f"{digits[:40]} is out of range")
    return math.copysign(max(abs(value), 1 / LARGEST_NUMBER), value) if value else value


def _shown(value: object) -> str:
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    return json.dumps(value)[:60]


def _refuse(where: str, what: str) -> NoReturn:
    raise ProfgateError(where, what)


def links_to_json(links: Links) -> str:
    """Return the links as JSON, with the pages in the order in which they were uploaded."""
    pages = [{"workload": workload, "metric": metric, "url": url} for (workload, metric), url in links.pages.items()]
    document = {"schema": LINKS_SCHEMA, "pages": pages, **{key: getattr(links, key) for key in _SINGLE}}
    return json.dumps(document, indent=1) + "\n"


def links_from_json(text: str, where: str = LINKS_NAME) -> Links:
    """Parse links.json. Raises `ProfgateError` if the document is invalid."""
    try:
        document: Plain = json.loads(text)
        if document["schema"] != LINKS_SCHEMA:
            _refuse(where, f"does not have profgate's format: its schema is not {LINKS_SCHEMA}; compare again")
        pages = {(_text(page["workload"]), _text(page["metric"])): _text(page["url"]) for page in document["pages"]}
        return Links(pages, **{key: None if document[key] is None else _text(document[key]) for key in _SINGLE})
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        what = f"does not have profgate's format ({type(error).__name__}: {error}); compare again"
        raise ProfgateError(where, what) from None


_SINGLE = ("index", "report", "run")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("expected text")
    return value
