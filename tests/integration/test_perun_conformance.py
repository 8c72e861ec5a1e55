"""Every row that the published program Perun 0.28.3 reports about its own profiles, against ours.

The profiles and rows are not part of this repository (GPL-3.0); PROFGATE_CONFORMANCE names the folder that holds them.
Where the program departs from its own documentation, ours differs, and then the test repeats the program's mistake:
only if that gives the program's number is the difference explained, by the deviation that it names.
"""

import json
import math
import os
import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from profgate.compare.columns import CompareOptions
from profgate.compare.overlay import compare_workload
from profgate.compare.workloads import pair
from profgate.decide.detect.builtin import strategy_named
from profgate.decide.detect.strategy import MODULE
from profgate.model.change import Context, Detection, Kind, ModelPair
from profgate.model.comparison import Comparison
from profgate.model.cost_models import CONSTANT, LINEAR, LOGARITHMIC, POWER, CostModels
from profgate.model.source import source_of
from profgate.readers.perun import PerunReader
from profgate.statistics.model_fits import areas, grid, values
from sentences import details_of, sentence

FOLDER = os.environ.get("PROFGATE_CONFORMANCE")
EXPECTED = Path(FOLDER or ".") / "expected.jsonl"
SHAPED = ("fast_check", "linear_regression", "polynomial_regression")
MODELS = (*SHAPED, "best_model_order_equality", "integral_comparison", "local_statistics")

pytestmark = pytest.mark.skipif(
    FOLDER is None or not EXPECTED.is_file(), reason="PROFGATE_CONFORMANCE names no folder with expected.jsonl"
)
Row = dict[str, Any]


def entries() -> list[dict[str, Any]]:
    if FOLDER is None or not EXPECTED.is_file():
        return []
    return [json.loads(line) for line in EXPECTED.read_text(encoding="utf-8").splitlines() if line.strip()]


@dataclass
class Tally:
    """What became of the rows of one comparison."""

    agreeing: int = 0
    by_deviation: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    refused: int = 0


@dataclass(frozen=True)
class Ours:
    """One row of ours in the published program's terms; ``models`` are the rows of both models, -1 = none."""

    location: str
    result: str
    from_: float | str
    to: float | str
    rate: float
    rate_relative: float
    confidence_type: str
    confidence: float
    models: tuple[int, int] = (-1, -1)
    records: str = ""
    reason: str = ""


@cache
def compared(baseline: str, target: str) -> Comparison:
    sides = [PerunReader().read(source_of(name, (EXPECTED.parent / name).read_bytes())) for name in (baseline, target)]
    [workload] = pair([sides[0]], [sides[1]]).workloads
    [comparison], _ = compare_workload(workload, (), CompareOptions())
    return comparison


def model_rows(comparison: Comparison, word: Detection, row: int) -> tuple[int, int]:
    models = comparison.attached(CostModels)
    assert models is not None
    found = []
    assert word.details is not None
    for side, names in enumerate((word.details.fields["baseline"], word.details.fields["target"])):
        kinds = [
            place
            for place in range(len(models))
            if models.side[place] == side
            and models.symbol[place] == word.symbol[row]
            and names[row]
            and names[row] == NAMES[int(models.kind[place])]
        ]
        found.append(kinds[0] if kinds else -1)
    return found[0], found[1]


def _known(number: float | None) -> float:
    return math.nan if number is None else number


NAMES = ("constant", "logarithmic", "linear", "quadratic", "power", "exponential")


def ours(comparison: Comparison, method: str) -> list[Ours]:
    word = strategy_named(method).detect(comparison, {}, Context())
    scale = comparison.metric.scale
    # the trace collector's values are nanoseconds, and outliers are printed in milliseconds
    unit = scale / 1e6 if method == "exclusive_time_outliers" and comparison.metric.unit == "nanoseconds" else scale
    rows = []
    for row, symbol in enumerate(word.symbol.tolist()):
        before, after = float(word.from_value[row]) * unit, float(word.to_value[row]) * unit
        relative = math.nan if word.relative is None else float(word.relative[row])
        details = details_of(word).at(row)
        named = isinstance(details, ModelPair)
        rate = {
            "average_amount_threshold": _known(getattr(details, "ratio", None)),
            "best_model_order_equality": _known(getattr(details, "order_steps", None)),
            "exclusive_time_outliers": after - before,
            "integral_comparison": relative,
            "local_statistics": relative,
        }.get(method, 100.0 * relative)
        rows.append(
            Ours(
                location=word.labels[row] if symbol == MODULE else comparison.symbols.names[symbol],
                result=Kind(int(word.kind[row])).word,
                from_=details.baseline if named else before,
                to=details.target if named else after,
                rate=rate,
                rate_relative=100.0 * _known(getattr(details, "target_share", 0.0)),
                confidence_type=word.confidence_types[row],
                confidence=float(word.confidence[row]),
                models=model_rows(comparison, word, row) if named else (-1, -1),
                records=word.labels[row] if method == "average_amount_threshold" else "",
                reason=sentence(word.reasons[row]),
            )
        )
    return rows


def number(text: float | str) -> float:
    """A number as the program prints it, with or without its unit."""
    found = re.match(r"-?(?:\d+\.?\d*(?:e[+-]?\d+)?|nan|inf)", str(text))
    assert found is not None, text
    return float(found[0])


def near(ours_: float, theirs: float, printed: int | None = None) -> bool:
    """To 1e-6, or to half of the last digit where the program rounds."""
    if math.isnan(ours_) or math.isnan(theirs):
        return math.isnan(ours_) and math.isnan(theirs)
    slack = 0.5 * 10.0**-printed * (1 + 1e-9) if printed is not None else 0.0
    return abs(ours_ - theirs) <= max(1e-6 * abs(theirs), slack, 1e-12)


def same_place(one: Ours, row: Row) -> bool:
    """Whether both speak of the same location, values and models."""
    if one.location != row["location"]:
        return False
    if isinstance(one.from_, str):
        return (one.from_, one.to) == (row["from"], row["to"])
    printed = 2 if row["method"] == "average_amount_threshold" else 3
    return near(one.from_, number(row["from"]), printed) and near(float(one.to), number(row["to"]), printed)


ROUNDED_CONFIDENCE = {"integral_comparison": 2, "local_statistics": 2, "exclusive_time_outliers": 2}
ROUNDED_RATE = {"integral_comparison": 2, "local_statistics": 2}
CONFIDENCES = {"no": "none", "r_square": "r_square", "N/A": "none"} | {
    "IQR_multiple": "iqr_multiple",
    "StdDev_multiple": "stddev_multiple",
}


def differences(one: Ours, row: Row) -> set[str]:
    """Which parts of a row differ."""
    method, found = row["method"], set()
    if one.result != row["result"]:
        found.add("result")
    if not near(one.rate, number(row["rate"]), ROUNDED_RATE.get(method)):
        found.add("rate")
    if method == "exclusive_time_outliers" and not near(one.rate_relative, number(row["rate_relative"])):
        found.add("rate_relative")
    if CONFIDENCES[row["confidence_type"]] != one.confidence_type:
        found.add("confidence_type")
    theirs = number(row["confidence_rate"])
    silent = one.confidence_type == "none" and theirs == 0
    if not silent and not near(one.confidence, theirs, ROUNDED_CONFIDENCE.get(method)):
        found.add("confidence")
    return found


# The program's mistakes, repeated


def their_values(models: CostModels, row: int) -> Any:
    """A model on its own interval (GEN-d1), a power at log10 of x (REG-d1)."""
    x = grid(models.start[[row]], models.end[[row]])
    with np.errstate(all="ignore"):
        if models.kind[row] == POWER:
            x = np.log10(x)
            b0, b1, _ = models.coefficients[row]
            return (b0 * x**b1)[0]
        return values(models.kind[[row]], models.coefficients[[row]], x)[0]


def their_difference(models: CostModels, before: int, after: int) -> tuple[float, str]:
    """Rate and kind as the program has them: x/0 counts as the largest number (GEN-d4), NaN as less (GEN-d3)."""
    b, t = their_values(models, before), their_values(models, after)
    with np.errstate(all="ignore"):
        relative = float(np.nan_to_num((t - b) / b).mean())
        total = float((t - b).sum())
    return 100.0 * relative, "Degradation" if total > 0 else "Optimization"


def explain_shape(comparison: Comparison, one: Ours, row: Row, differing: set[str]) -> set[str]:
    models = comparison.attached(CostModels)
    assert models is not None
    before, after = one.models
    found: set[str] = set()
    if {"rate", "result"} & differing:
        rate, direction = their_difference(models, before, after)
        if near(rate, number(row["rate"])) and (direction in row["result"] or row["result"] == "NoChange"):
            if POWER in (models.kind[before], models.kind[after]):
                found.add("REG-d1")
            if ranges(models, before) != ranges(models, after):
                found.add("GEN-d1")
            if row["result"] == "NoChange" and abs(rate) > 5:
                found.add("GEN-d2")
            if found:
                differing -= {"rate", "result"}
    if "confidence" in differing:
        line = [
            place
            for place in range(len(models))
            if models.side[place] == 1 and models.symbol[place] == models.symbol[after] and models.kind[place] == LINEAR
        ]
        if line and near(min(models.r_square[before], models.r_square[line[0]]), number(row["confidence_rate"])):
            found.add("GEN-d5")
            differing -= {"confidence"}
    return found


def ranges(models: CostModels, row: int) -> tuple[float, float]:
    return float(models.start[row]), float(models.end[row])


def explain_area(comparison: Comparison, one: Ours, row: Row, differing: set[str]) -> set[str]:
    """Each area over its own interval (INT-d2), a logarithm as a straight line (INT-d1)."""
    models = comparison.attached(CostModels)
    assert models is not None
    pair_rows = np.array(one.models)
    kinds = models.kind[pair_rows]
    straight = np.where(kinds == LOGARITHMIC, LINEAR, kinds)
    b, t = areas(straight, models.coefficients[pair_rows], models.start[pair_rows], models.end[pair_rows])
    found: set[str] = set()
    if near(float((t - b) / b), number(row["rate"]), 2):
        if LOGARITHMIC in kinds:
            found.add("INT-d1")
        if ranges(models, one.models[0]) != ranges(models, one.models[1]):
            found.add("INT-d2")
        if found:
            differing -= {"rate", "result"}
    return found


def explain_local(comparison: Comparison, one: Ours, row: Row, differing: set[str]) -> set[str]:
    """The program compares x with x: nothing where the ranges are equal, else how much longer one is (LOC-d1)."""
    models = comparison.attached(CostModels)
    assert models is not None
    errors = [part[1] for part in row["partial_intervals"]]
    stretched = models.end[one.models[1]] / models.end[one.models[0]] - 1.0
    # a constant's x is one number, whatever its range
    if CONSTANT in models.kind[list(one.models)]:
        stretched = 0.0
    if near(float(np.median(errors)), float(stretched), 2):
        differing -= {"rate", "result"}
        return {"LOC-d1"}
    return set()


def explain_outliers(comparison: Comparison, one: Ours, row: Row, differing: set[str]) -> set[str]:
    found: set[str] = set()
    del comparison
    nothing = math.isnan(number(row["confidence_rate"]))
    if {"confidence", "confidence_type"} & differing and nothing and row["confidence_type"] == "IQR_multiple":
        # a modified z has no multiple of the quartiles' range there
        found.add("ETO-d3")
        differing -= {"confidence", "confidence_type"}
    if differing == {"confidence"} and nothing and (one.rate, one.confidence) == (0.0, 0.0):
        # nothing moved at all: 0 deviations here, 0/0 there
        found.add("ETO-d4")
        differing -= {"confidence"}
    if differing == {"result"} and (row["result"], number(row["rate"])) == ("TotalOptimization", 0.0):
        assert one.result == "NoChange"
        found.add("ETO-d6")
        differing -= {"result"}
    return found


EXPLANATIONS = dict.fromkeys(SHAPED, explain_shape) | {
    "integral_comparison": explain_area,
    "local_statistics": explain_local,
    "exclusive_time_outliers": explain_outliers,
}


def merged_subtypes(rows: list[Ours], row: Row) -> bool:
    """AAT-d3: the program's one row is the mean over subtypes that are rows of their own here."""
    here = [one for one in rows if one.location == row["location"]]
    means = [float(np.mean([float(getattr(one, name)) for one in here])) for name in ("from_", "to")]
    return len({one.records for one in here}) > 1 and near(means[0], number(row["from"]), 2)


def judged(entry: dict[str, Any]) -> Tally:
    """Every row of an entry, agreeing, explained or failed."""
    comparison = compared(entry["baseline"], entry["target"])
    tally = Tally()
    for method in dict.fromkeys(row["method"] for row in entry["rows"]):
        rows = ours(comparison, method)
        left = list(rows)
        for row in (one for one in entry["rows"] if one["method"] == method):
            if "error" in row:
                tally.refused += 1
                left.clear()
                continue
            matching = [one for one in left if same_place(one, row)]
            if len(matching) != 1:
                if method == "average_amount_threshold" and merged_subtypes(rows, row):
                    tally.by_deviation["AAT-d3"] += 1
                    left = [one for one in left if one.location != row["location"]]
                else:
                    tally.failures.append(f"{method}: {len(matching)} rows for {row}")
                continue
            [one] = matching
            left.remove(one)
            differing = differences(one, row)
            found: set[str] = set()
            if differing and method in EXPLANATIONS:
                found = EXPLANATIONS[method](comparison, one, row, differing)
            if differing:
                tally.failures.append(f"{method}: {sorted(differing)} differ: ours {one}, theirs {row}")
            elif found:
                tally.by_deviation["+".join(sorted(found))] += 1
            else:
                tally.agreeing += 1
        tally.failures += [
            f"{method}: the program says nothing of {one}"
            for one in left
            if not (method in MODELS and one.result == "Unknown" and one.reason)
        ]
    return tally


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(entry, id=f"{number_}-{entry['baseline']}-{entry['target']}-{entry['method']}")
        for number_, entry in enumerate(entries())
    ],
)
def test_rows_agree_or_differ_by_a_named_deviation(entry: dict[str, Any]) -> None:
    tally = judged(entry)
    assert not tally.failures, "\n".join(tally.failures)


@pytest.mark.parametrize(
    "entry", [one for one in entries() if "tracer" in one["baseline"]], ids=lambda one: one["method"]
)
def test_com_d3_the_trace_collector_counts_nanoseconds(entry: dict[str, Any]) -> None:
    """COM-d3: the unit is the first in the header, so nanoseconds are printed as microseconds."""
    means = [row for row in entry["rows"] if row["method"] == "average_amount_threshold"]
    assert {row["from"][-2:] for row in means} <= {"us"}
    assert compared(entry["baseline"], entry["target"]).metric.unit == "nanoseconds"


def test_rows_of_every_strategy_were_met() -> None:
    met = {row["method"] for entry in entries() for row in entry["rows"]}
    assert met >= {*MODELS, "average_amount_threshold", "exclusive_time_outliers"}
    assert sum(judged(entry).agreeing for entry in entries()) > 0
