import json
import math
import zlib
from typing import Any

import numpy as np
import pytest

from profgate.errors import ProfileError
from profgate.model.profile import Model, Profile
from profgate.model.source import source_of
from profgate.model.units import MetricKind
from profgate.readers.perun import PerunReader
from stack_rows import rows


def document(collector: str, kind: str, unit: str, **body: Any) -> dict[str, Any]:
    return {
        "origin": "0" * 40,
        "header": {"type": kind, "cmd": "./shop", "args": "-n 3", "workload": "big.txt", "units": {kind: unit}},
        "collector_info": {"name": collector, "params": {}},
        "postprocessors": [{"name": "regression_analysis", "params": {}}],
        **body,
    }


def encoded(content: dict[str, Any]) -> bytes:
    return json.dumps(content).encode()


def packed(content: dict[str, Any]) -> bytes:
    body = encoded(content)
    return zlib.compress(b"profile %s %d\0%s" % (content["header"]["type"].encode(), len(body), body))


def read(content: dict[str, Any] | bytes) -> Profile:
    return PerunReader().read(source_of("a.perf", content if isinstance(content, bytes) else encoded(content)))


def records_of(profile: Profile) -> list[tuple[str, float, float, float, str, int]]:
    body = profile.measurements
    assert body is not None
    names = [profile.frames.names[frame] for frame in body.frame.tolist()]
    columns = (body.amount.tolist(), body.size.tolist(), body.exclusive.tolist(), body.subtypes, body.order.tolist())
    return list(zip(names, *columns, strict=True))


RAW = document(
    "complexity",
    "mixed",
    "ms",
    **{
        "global": {
            "time": "1s",
            "resources": [
                {"uid": "insert", "amount": 0.1, "structure-unit-size": 8, "type": "mixed", "subtype": "delta"},
                {"uid": "insert", "amount": 3, "structure-unit-size": 16, "type": "mixed", "subtype": "delta"},
                {"uid": "search", "amount": 2.5, "type": "mixed", "subtype": "delta"},
            ],
            "models": [
                {
                    "uid": "insert",
                    "model": "linear",
                    "r_square": 0.98,
                    "coeffs": [{"name": "b0", "value": 1}, {"name": "b1", "value": 0.25}],
                    "x_start": 0,
                    "x_end": 16,
                },
                {"uid": "insert", "model": "moving_average", "r_square": 0.5},
            ],
        }
    },
)
COMPACT = document(
    "complexity",
    "mixed",
    "ms",
    resources={"insert#0": {"amount": [0.1, 3], "structure-unit-size": [8, 16]}, "search#0": {"amount": [2.5]}},
    resource_type_map={
        "insert#0": {"uid": "insert", "type": "mixed", "subtype": "delta"},
        "search#0": {"uid": "search", "type": "mixed", "subtype": "delta"},
    },
    models=RAW["global"]["models"],
)
FORMS = {"raw": encoded(RAW), "compact": encoded(COMPACT), "packed-raw": packed(RAW), "packed-compact": packed(COMPACT)}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_measurements_models_and_configuration(form: str) -> None:
    found = read(FORMS[form])
    first, second, third = records_of(found)
    assert first[:3] == ("insert", 0.1, 8.0)
    assert math.isnan(first[3])
    assert first[4:] == ("delta", 0)
    assert second[:3] == ("insert", 3.0, 16.0)
    assert third[:2] == ("search", 2.5)
    assert math.isnan(third[2])
    [model] = stored(found)
    assert found.frames.names[model.frame] == "insert"
    assert (model.name, model.r_square, model.coefficients) == ("linear", 0.98, {"b0": 1.0, "b1": 0.25})
    assert (model.x_start, model.x_end) == (0.0, 16.0)
    assert list(found.warning_counts.values()) == [1]
    configuration = found.configuration
    assert (configuration.type, configuration.command, configuration.arguments, configuration.workload) == (
        "mixed",
        "./shop",
        "-n 3",
        "big.txt",
    )
    assert (configuration.collector, configuration.postprocessors) == ("complexity", ("regression_analysis",))
    assert [(metric.name, metric.unit, metric.kind) for metric in found.metrics] == [("time", "ms", MetricKind.TIMED)]
    assert found.stacks is None
    assert PerunReader().recognizes(source_of("x", FORMS[form]))


def test_traced_values_are_nanoseconds_whatever_the_header_says() -> None:
    content = document(
        "trace",
        "mixed",
        "us",
        resources={
            "work#0": {"amount": [500, 700], "exclusive": [100, 200], "call-order": [0, 1], "timestamp": [1, 2]}
        },
        resource_type_map={
            "work#0": {"uid": "work", "type": "mixed", "subtype": "time delta", "location": "run_sorts"}
        },
        models=[],
    )
    found = read(content)
    assert found.metrics[0].unit == "nanoseconds"
    assert [row[1] for row in records_of(found)] == [500.0, 700.0]
    assert [row[3] for row in records_of(found)] == [100.0, 200.0]
    assert [row[5] for row in records_of(found)] == [0, 1]
    assert found.frames.modules == ["run_sorts"]


def test_timed_commands_keep_their_kind_and_repetition() -> None:
    records = [
        {"uid": "./shop", "amount": amount, "subtype": kind, "order": order, "type": "time"}
        for order, kind, amount in [(1, "real", 0.5), (1, "user", 0.4), (2, "real", "0.6")]
    ]
    found = read(document("time", "time", "s", **{"global": {"resources": records}}))
    assert [(row[1], row[4], row[5]) for row in records_of(found)] == [
        (0.5, "real", 1),
        (0.4, "user", 1),
        (0.6, "real", 2),
    ]


def test_units_are_found_by_type_and_subtype() -> None:
    content = document("complexity", "mixed", "ms", **{"global": RAW["global"]})
    content["header"]["units"] = {"other": "s", "mixed(delta)": "us"}
    assert read(content).metrics[0].unit == "us"


def test_older_kperf_records_are_stacks() -> None:
    records = [
        {"uid": "leaf", "command": "shop", "trace": [{"func": "main"}, {"func": "work"}], "amount": "7"},
        {"uid": "main", "command": "shop", "trace": [], "amount": 2},
    ]
    found = read(document("kperf", "time", "samples", **{"global": {"resources": records}}))
    assert rows(found) == [("shop;main;work;leaf", [7]), ("shop;main", [2])]
    assert found.metrics[0].kind is MetricKind.SAMPLED
    assert found.periods == (1,)
    assert found.measurements is None


def test_newer_kperf_records_are_folded_stacks() -> None:
    content = document(
        "kperf",
        "time",
        "samples",
        resources={"shop;main;leaf#0": {"amount": [7]}, "shop;;x#0": {"amount": [1]}},
        resource_type_map={"shop;main;leaf#0": {"uid": "shop;main;leaf"}, "shop;;x#0": {"uid": "shop;;x"}},
    )
    assert rows(read(content)) == [("shop;main;leaf", [7]), ("shop;[unknown];x", [1])]


def test_memory_snapshots_give_measurements_and_stacks() -> None:
    def allocation(amount: int, kind: str) -> dict[str, Any]:
        uid = {"source": "a.c", "function": "work", "line": 4}
        trace = [{"source": "lib.c", "function": "malloc", "line": 0}, uid, {"source": "a.c", "function": "main"}]
        return {"uid": uid, "amount": amount, "subtype": kind, "type": "memory", "trace": trace}

    snapshots = [{"resources": [allocation(64, "malloc")]}, {"resources": [allocation(0, "free")]}]
    found = read(document("memory", "memory", "B", snapshots=snapshots))
    assert [(row[0], row[1], row[4], row[5]) for row in records_of(found)] == [
        ("a.c:work:4", 64.0, "malloc", 0),
        ("a.c:work:4", 0.0, "free", 1),
    ]
    assert rows(found) == [("main;work;malloc", [64])]
    assert (found.metrics[0].name, found.metrics[0].unit) == ("memory", "bytes")
    assert found.metrics[0].kind is MetricKind.COUNTED
    place = found.frames.names.index("work")
    assert (found.frames.files[place], found.frames.lines[place]) == ("a.c", 4)


def test_a_structured_uid_is_joined_in_its_order() -> None:
    uid = {"column": 3, "line": 9, "function": "f", "source": "a.c", "module": "m", "binary": "b"}
    found = read(document("bounds", "time", "iterations", **{"global": {"resources": [{"uid": uid, "amount": 1}]}}))
    assert found.frames.names == ["b:a.c:m:f:9:3"]
    assert found.frames.lines == [9]


def stored(profile: Profile) -> list[Model]:
    return [model for model in profile.attachments if isinstance(model, Model)]


def models_of(*models: dict[str, Any]) -> Profile:
    records = [{"uid": "f", "amount": 1, "type": "mixed"}]
    return read(document("bounds", "mixed", "ms", **{"global": {"resources": records, "models": list(models)}}))


def curves_of(sizes: list[float], *models: dict[str, Any]) -> list[tuple[str, list[float], list[float]]]:
    records = [{"uid": "f", "amount": 1, "type": "mixed", "structure-unit-size": size} for size in sizes]
    ends = {"uid": "f", "r_square": 0.9, "x_start": min(sizes), "x_end": max(sizes), "per_key": "structure-unit-size"}
    stated = [{**ends, **model} for model in models]
    found = read(document("complexity", "mixed", "ms", **{"global": {"resources": records, "models": stated}}))
    curves = [(model.name, model.curve) for model in stored(found)]
    return [(name, list(curve[0]), list(curve[1])) for name, curve in curves if curve is not None]


def test_an_empty_bucket_of_a_regressogram_is_missing() -> None:
    model = {"model": "regressogram", "bucket_stats": [2.0, 0.0, 0.0, 4.0], "statistic_function": "mean"}
    [(name, _, y)] = curves_of([0, 1, 6, 7, 8], model)
    assert (name, y) == (
        "regressogram",
        [2, pytest.approx(math.nan, nan_ok=True), pytest.approx(math.nan, nan_ok=True), 4],
    )
    [(_, _, y)] = curves_of([0, 5, 8], model)
    assert y == [2, pytest.approx(math.nan, nan_ok=True), 0, 4]


def test_moving_averages_have_a_value_for_each_record() -> None:
    moving = {"model": "moving_average", "moving_method": "sma", "bucket_stats": [1.0, 2.0, 4.0, 9.0]}
    kernel = {"model": "kernel_regression", "kernel_mode": "estimator", "bucket_stats": [1.0, 3.0, 3.0, 9.0]}
    earlier = {"kernel_mode": "ridge", "kernel_stats": [1.0, 3.0, 3.0, 9.0]}
    found = curves_of([5, 2, 20, 5], moving, kernel, earlier)
    assert found == [
        ("moving_average", [2, 5, 20], [1, 3, 9]),
        ("kernel_regression", [2, 5, 20], [1, 3, 9]),
        ("kernel_regression", [2, 5, 20], [1, 3, 9]),
    ]


@pytest.mark.parametrize("other", [{"per_key": "timestamp"}, {"x_end": 30}, {"bucket_stats": [1.0, 9.0, 5.0]}])
def test_values_at_unknown_sizes_are_equally_spaced(other: dict[str, Any]) -> None:
    [(_, x, y)] = curves_of([2, 5, 5, 20], {"model": "moving_average", "bucket_stats": [1.0, 3.0, 5.0, 9.0]} | other)
    assert x == np.linspace(2, other.get("x_end", 20), len(y)).tolist()


def test_nan_is_a_missing_value() -> None:
    model = {"model": "moving_average", "bucket_stats": [math.nan, 3.0, 9.0], "r_square": 1.0}
    assert curves_of([1, 2, 3], model) == [("moving_average", [1, 2, 3], [pytest.approx(math.nan, nan_ok=True), 3, 9])]
    records = [{"uid": "f", "amount": math.nan, "type": "mixed"}, {"uid": "f", "amount": 2, "type": "mixed"}]
    found = read(document("complexity", "mixed", "ms", **{"global": {"resources": records}}))
    assert found.measurements is not None
    assert np.isnan(found.measurements.amount).tolist() == [True, False]


def test_a_quadratic_of_two_coefficients_has_no_linear_term() -> None:
    """Least squares of y = b0 + b1*x^2 through (1, 3), (2, 9), (4, 33): 1 + 2*x^2."""
    old = {
        "uid": "f",
        "model": "quadratic",
        "r_square": 1,
        "coeffs": [{"name": "b0", "value": 1}, {"name": "b1", "value": 2}],
    }
    whole = old | {"coeffs": [{"name": f"b{place}", "value": place} for place in range(3)]}
    first, second = stored(models_of(old, whole))
    assert first.coefficients == {"b0": 1.0, "b1": 0.0, "b2": 2.0}
    assert second.coefficients == {"b0": 0.0, "b1": 1.0, "b2": 2.0}


def with_record(**record: Any) -> dict[str, Any]:
    return document("time", "time", "s", **{"global": {"resources": [record]}})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (with_record(amount=1), "record 0: there is no uid"),
        (with_record(uid="f", amount="x"), "record 0: amount is 'x', which is not a number"),
        (with_record(uid="f", amount=1, order=1.5), "not an integer"),
        (with_record(uid="f", amount=-1, trace=["g"]), "negative"),
        (document("time", "time", "s", resources={"f#0": {}}, resource_type_map={}), "its type is not a JSON object"),
        (
            document("time", "t", "s", resources={"f#0": {"a": [1], "b": []}}, resource_type_map={"f#0": {}}),
            "columns differ in length",
        ),
        ({"collector_info": {}}, "'header' is not a JSON object"),
        (zlib.compress(b"profile time 5\0{}"), "does not fit"),
        (packed(RAW)[:-4], "ends too early"),
        (b"\x78\x9c\xff\xff\xff", "damaged packed data"),
    ],
)
def test_inconsistent_files_are_refused(content: dict[str, Any] | bytes, message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        read(content)
