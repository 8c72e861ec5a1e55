"""Outliers against the golden table (values in microseconds, shown in milliseconds)."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import pytest

from comparisons import Stacks, from_exclusive, overlaid, timed
from profgate.decide.detect.amounts import ExclusiveTimeOutliers
from profgate.decide.detect.strategy import MODULE
from profgate.model.change import Context, Detection, Kind
from profgate.model.comparison import Comparison
from profgate.model.record import replace
from profgate.model.source import source_of
from profgate.readers.perun import PerunReader
from sentences import details_of, not_tested

GOLDEN = (Path(__file__).parents[3] / "data" / "published" / "outliers.txt").read_text()
ROWS = [line.split() for line in GOLDEN.split("\n") if line]
BASE = {row[0]: round(float(row[1]) * 1000) for row in ROWS if row[1] != "-"}
TARGET = {row[0]: round(float(row[2]) * 1000) for row in ROWS if row[2] != "-"}


def golden(baseline: Stacks = BASE, target: Stacks = TARGET) -> Comparison:
    return from_exclusive([baseline], [target], metric=timed(), modules=dict.fromkeys([*baseline, *target], "app"))


def detect(comparison: Comparison, **options: Any) -> Detection:
    return ExclusiveTimeOutliers().detect(comparison, options, Context())


def named(comparison: Comparison, result: Detection) -> dict[str, int]:
    """Row by symbol or module."""
    names = comparison.symbols.names
    return {
        result.labels[row] if symbol == MODULE else names[symbol]: row
        for row, symbol in enumerate(result.symbol.tolist())
    }


def kinds(comparison: Comparison, result: Detection) -> dict[str, Kind]:
    return {name: Kind(int(result.kind[row])) for name, row in named(comparison, result).items()}


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_golden_rows(row: list[str]) -> None:
    comparison = golden()
    result = detect(comparison)
    place = named(comparison, result)[row[0]]
    assert (result.to_value[place] - result.from_value[place]) / 1000 == pytest.approx(float(row[3]))
    assert 100 * details_of(result).target_share[place] == pytest.approx(float(row[4]), abs=6e-7)
    assert details_of(result).z[place] == pytest.approx(float(row[5]), abs=6e-7)
    assert Kind(int(result.kind[place])).word == row[6]
    assert result.confidence_types[place] == row[7]
    assert result.confidence[place] == pytest.approx(float(row[8]), abs=6e-7)


def test_golden_module_row() -> None:
    comparison = golden()
    result = detect(comparison)
    row = named(comparison, result)["app"]
    assert (result.from_value[row], result.to_value[row]) == pytest.approx((180_800, 186_400))
    assert 100 * details_of(result).target_share[row] == pytest.approx(3.004292, abs=6e-7)
    assert Kind(int(result.kind[row])) is Kind.TOTAL_DEGRADATION


def test_eto_d4_nanosecond_is_no_outlier() -> None:
    base = {f"f{place}": place * 1_000_000 for place in range(1, 21)}
    comparison = golden(base, {**base, "f7": 7_000_001})
    result = detect(comparison)
    found = kinds(comparison, result)
    assert found.pop("app") is Kind.TOTAL_DEGRADATION
    assert set(found.values()) == {Kind.NO_CHANGE}
    assert 100 * details_of(result).target_share[-1] == pytest.approx(4.761904739e-07, rel=1e-6)


def test_swapped_sides_mirror_kinds() -> None:
    there, back = golden(), golden(TARGET, BASE)
    mirrored = {
        name: Kind(-kind) if kind is not Kind.NOT_IN_BASELINE else kind
        for name, kind in kinds(back, detect(back)).items()
        if name not in {"fresh", "trim"}
    }
    assert mirrored == {name: kind for name, kind in kinds(there, detect(there)).items() if name in mirrored}
    assert kinds(back, detect(back))["fresh"] is Kind.NOT_IN_TARGET


def test_cutoff_hides_rows_and_keeps_the_statistics() -> None:
    comparison = golden()
    result = detect(comparison, cutoff=0.5)
    rows = named(comparison, result)
    assert set(rows) == {"hash", "find", "walk", "app"}
    assert result.confidence[rows["hash"]] == pytest.approx(6.648649, abs=6e-7)
    assert result.counts["hidden_by_cutoff"] == 9


def test_location_filter_searches_the_module() -> None:
    comparison = golden()
    assert detect(comparison, location_filter="^ap+$").to_value[-1] == pytest.approx(186_400)
    assert not_tested(detect(comparison, location_filter="lib")) == "nothing_passes"


def test_eto_d1_sums_include_gone_functions() -> None:
    """ETO-d1: a left join on the target loses deleted functions, so a split looks like added time."""
    base = {"a": 5_000, "b": 7_000, "c": 9_000, "f": 40_000}
    target = {"a": 5_000, "b": 7_000, "c": 9_000, "f_new": 40_000}
    comparison = golden(base, target)
    found = kinds(comparison, detect(comparison))
    assert (found["f"], found["f_new"]) == (Kind.NOT_IN_TARGET, Kind.NOT_IN_BASELINE)
    assert found["app"] is Kind.NO_CHANGE


def test_eto_d2_new_function_without_time() -> None:
    """ETO-d2: the published program calls it gone."""
    comparison = from_records([("old", 5.0), ("idle", 1.0)], [("old", 5.0), ("idle", 1.0), ("fresh", 0.0)])
    assert kinds(comparison, detect(comparison))["fresh"] is Kind.NOT_IN_BASELINE


def test_eto_d5_unmoved_row_is_no_change() -> None:
    """ETO-d5: far from a median that moved, d = 0 read as a severe optimization."""
    base = {f"f{n}": 10_000 + n for n in range(9)} | {"still": 10_000}
    target = {name: value + 1_000 * (name != "still") for name, value in base.items()}
    comparison = golden(base, target)
    assert kinds(comparison, detect(comparison))["still"] is Kind.NO_CHANGE


def from_records(
    baseline: Sequence[tuple[str, float]],
    target: Sequence[tuple[str, float]],
    *,
    better: Literal["lower", "higher"] = "lower",
) -> Comparison:
    """Records as a Perun profile holds them, ``name:subtype`` with an amount in milliseconds."""

    def text(records: Sequence[tuple[str, float]]) -> bytes:
        resources = [
            {"uid": name.split(":")[0], "subtype": name.partition(":")[2], "type": "time", "amount": amount}
            for name, amount in records
        ]
        header = {"type": "time", "cmd": "c", "units": {"time": "ms"}}
        document = {"header": header, "collector_info": {"name": "time"}, "global": {"resources": resources}}
        return json.dumps(document).encode()

    found = overlaid(*([PerunReader().read(source_of("p.perf", text(side)))] for side in (baseline, target)))
    return replace(found, metric=replace(found.metric, better=better))


def test_aat_d3_subtypes_are_compared_apart() -> None:
    """AAT-d3 holds here too: real, user and sys time are no parts of one sum."""
    base = [("cmd:real", 100.0), ("cmd:user", 10.0), ("cmd:sys", 10.0)]
    target = [("cmd:real", 100.0), ("cmd:user", 60.0), ("cmd:sys", 5.0)]
    result = detect(from_records(base, target))
    rows = [
        (
            details_of(result).records[row],
            result.from_value[row] / 1e6,
            result.to_value[row] / 1e6,
            Kind(int(result.kind[row])),
        )
        for row in range(len(result.kind))
        if result.symbol[row] == MODULE
    ]
    assert rows == [
        ("real", 100.0, 100.0, Kind.NO_CHANGE),
        ("user", 10.0, 60.0, Kind.TOTAL_DEGRADATION),
        ("sys", 10.0, 5.0, Kind.TOTAL_OPTIMIZATION),
    ]
    assert details_of(result).target_share[2] == pytest.approx(50 / 60)


def test_higher_is_better_swaps_kinds() -> None:
    base = [(f"f{n}", 10.0 + n / 10) for n in range(9)]
    target = [*base[:8], ("f8", 60.0)]
    found = from_records(base, target, better="higher")
    assert kinds(found, detect(found))["f8"] is Kind.SEVERE_OPTIMIZATION
