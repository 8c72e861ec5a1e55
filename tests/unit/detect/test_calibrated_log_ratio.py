"""The calibrated test of locations against its golden table, its properties and its noise model."""

import math
from typing import Any

import numpy as np
import pytest
from profgate.detect.location_test import smallest_detectable
from profgate.detect.noise import noise_of

from comparisons import SAMPLES, from_exclusive, timed
from profgate.detect.calibrated_log_ratio import CalibratedLogRatio
from profgate.detect.sampling import count_scales
from profgate.model.change import Context, Detection
from profgate.model.comparison import Comparison, Runs
from profgate.model.kinds import Kind
from profgate.model.units import Metric, MetricKind
from profgate.statistics.t_tests import upper_tail_t

GOLDEN = """
parse 20000 20600 -0.017306 +0.008568 0.043572 +0.196643 0.422054 0.790025 +0.003442 0.1606
lex 12000 12100 -0.038566 -0.012691 0.044339 -0.286235 0.612651 0.790025 -0.003027 0.1636
sort 8000 8100 -0.034443 -0.008568 0.045260 -0.189310 0.575075 0.790025 -0.001365 0.1673
hash 5000 6600 +0.230743 +0.256618 0.046384 +5.532408 1.57932e-08 1.57932e-07 +0.029255 0.1718
emit 2500 2450 -0.067063 -0.041189 0.051070 -0.806509 0.790025 0.790025 -0.002018 0.1907
copy 1200 1190 -0.055229 -0.029355 0.058938 -0.498061 0.69078 0.790025 -0.000694 0.2231
find 800 845 +0.007827 +0.033702 0.065065 +0.517971 0.302239 0.755598 +0.000548 0.2490
init 300 290 -0.080709 -0.054834 0.092637 -0.591924 0.723049 0.790025 -0.000320 0.3724
walk 150 171 +0.083756 +0.109630 0.119644 +0.916306 0.179753 0.599177 +0.000348 0.5051
trim 30 41 +0.261102 +0.286977 0.243975 +1.176257 0.119746 0.59873 +0.000199 1.3020
log 20 12 -0.541561 -0.515686 0.367605 -1.402827 0.919666 nan -0.000161 2.5123
"""
ROWS = [line.split() for line in GOLDEN.split("\n") if line]
BASE = {row[0]: int(row[1]) for row in ROWS}
TARGET = {row[0]: int(row[2]) for row in ROWS}
PHI = {"phi_prior": 0.03, "q": 0.05, "gate_q": 0.05}


def detect(comparison: Comparison, options: dict[str, Any] | None = None, pairs: int = 1) -> Detection:
    return CalibratedLogRatio().detect(comparison, options or {}, Context(pairs))


def by_name(comparison: Comparison, word: Detection, column: str) -> dict[str, float]:
    values = word.statistics[column].tolist()
    return {comparison.symbols.names[s]: v for s, v in zip(word.symbol.tolist(), values, strict=True)}


def kinds(comparison: Comparison, word: Detection) -> dict[str, Kind]:
    pairs = zip(word.symbol.tolist(), word.kind.tolist(), strict=True)
    return {comparison.symbols.names[s]: Kind(k) for s, k in pairs}


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_golden_rows(row: list[str]) -> None:
    comparison = from_exclusive([BASE], [TARGET])
    word = detect(comparison, PHI)
    columns = ("log_ratio", "d", "error", "z", "p_worse", "delta_share", "detectable")
    got = [by_name(comparison, word, column)[row[0]] for column in columns]
    expected = [float(row[place]) for place in (3, 4, 5, 6, 7, 9, 10)]
    tolerances = (6e-7, 6e-7, 6e-7, 6e-7, 6e-7, 6e-7, 6e-5)
    for value, wanted, tolerance in zip(got, expected, tolerances, strict=True):
        assert value == pytest.approx(wanted, abs=tolerance)


def test_golden_q_of_the_worse_direction() -> None:
    # a row's q belongs to its own direction, so the worse list shows only where the row got worse
    comparison = from_exclusive([BASE], [TARGET])
    q = by_name(comparison, detect(comparison, PHI), "q")
    for row in ROWS:
        if row[4].startswith("+"):
            assert q[row[0]] == pytest.approx(float(row[8]), rel=1e-5)
    assert math.isnan(q["log"])


def test_golden_facts_and_the_only_rejection() -> None:
    comparison = from_exclusive([BASE], [TARGET])
    word = detect(comparison, PHI)
    assert word.facts["centre"] == pytest.approx(-0.025874590, abs=1e-9)
    assert word.facts["common_factor"] == pytest.approx(0.974457288, abs=1e-9)
    assert word.facts["noise_bar"] == pytest.approx(2.575829, abs=1e-6)
    assert (word.facts["tested"], word.facts["state"]) == (10, "uncalibrated")
    found = kinds(comparison, word)
    assert found.pop("hash") is Kind.DEGRADATION
    assert set(found.values()) == {Kind.NO_CHANGE}
    hashed = {
        name: by_name(comparison, word, name)["hash"] for name in ("ratio", "ratio_low", "ratio_high", "distance")
    }
    assert hashed == pytest.approx(
        {"ratio": 0.292551, "ratio_low": 0.180226, "ratio_high": 0.415566, "distance": 2.147816}, abs=6e-7
    )
    assert by_name(comparison, word, "p_worse")["hash"] == pytest.approx(1.57932e-08, rel=1e-5)


@pytest.mark.parametrize(
    ("count", "runs", "phi", "expected"),
    [(5000, 5, 0.03, 0.1394), (500, 5, 0.03, 0.3668), (2500, 1, 0.03, 0.2729), (5000, 1, 0.05, 0.4159)],
)
def test_golden_detectable_effects(count: int, runs: int, phi: float, expected: float) -> None:
    error = np.array([math.sqrt(2 / count + phi**2 * 2 / runs)])
    assert smallest_detectable(error, 0.05, 1000)[0] == pytest.approx(expected, abs=6e-5)


def test_swapped_sides_mirror() -> None:
    there, back = from_exclusive([BASE], [TARGET]), from_exclusive([TARGET], [BASE])
    one, other = detect(there, PHI), detect(back, PHI)
    for column in ("log_ratio", "d", "z"):
        assert one.statistics[column] == pytest.approx(-other.statistics[column])
    assert one.facts["centre"] == pytest.approx(-other.facts["centre"])
    assert kinds(back, other)["hash"] is Kind.OPTIMIZATION


def test_identical_profiles_name_nothing() -> None:
    comparison = from_exclusive([BASE], [BASE])
    word = detect(comparison)
    assert not word.kind.any()
    assert not word.statistics["d"].any()


def test_a_uniform_slowdown_is_the_common_factor() -> None:
    comparison = from_exclusive([BASE], [{name: 2 * count for name, count in BASE.items()}])
    word = detect(comparison)
    assert not word.kind.any()


def test_higher_is_better_turns_the_words() -> None:
    comparison = from_exclusive([BASE], [TARGET], metric=Metric("hits", "samples", better="higher"))
    assert kinds(comparison, detect(comparison, PHI))["hash"] is Kind.OPTIMIZATION


def test_one_sided_locations_keep_their_numbers() -> None:
    comparison = from_exclusive([{**BASE, "gone": 500}], [{**TARGET, "new": 700}])
    word = detect(comparison, PHI)
    assert kinds(comparison, word)["gone"] is Kind.NOT_IN_TARGET
    assert kinds(comparison, word)["new"] is Kind.NOT_IN_BASELINE
    assert by_name(comparison, word, "q")["new"] < 0.001
    assert by_name(comparison, word, "delta_share")["new"] == pytest.approx(700 / 53099, rel=0.05)


def test_period_turns_values_into_samples() -> None:
    metric = Metric("cpu", "nanoseconds")
    scaled = [{name: 10_000_000 * count for name, count in side.items()} for side in (BASE, TARGET)]
    comparison = from_exclusive([scaled[0]], [scaled[1]], metric=metric, period=10_000_000)
    plain = detect(from_exclusive([BASE], [TARGET]), PHI)
    assert detect(comparison, PHI).statistics["z"] == pytest.approx(plain.statistics["z"])


def test_unknown_and_few_samples_cannot_be_told() -> None:
    unknown = detect(from_exclusive([BASE], [TARGET], metric=Metric("cpu", "nanoseconds")))
    assert "how many samples" in unknown.cannot_tell[0]
    few = detect(from_exclusive([{"a": 999}], [{"a": 2000}]))
    assert few.cannot_tell == ("fewer than 1000 samples on a side (999)",)
    assert few.facts["state"] == "unknown"
    assert "zero" in detect(from_exclusive([{"a": 0}], [{"a": 2000}])).cannot_tell[0]


def test_gating_uses_the_number_of_pairs() -> None:
    target = {**BASE, "hash": 5700}
    comparison = from_exclusive([BASE], [target])
    q = by_name(comparison, detect(comparison, PHI), "q")["hash"]
    assert 0.001 < q < 0.05
    assert kinds(comparison, detect(comparison, PHI))["hash"] is Kind.DEGRADATION
    assert kinds(comparison, detect(comparison, PHI, pairs=50))["hash"] is Kind.MAYBE_DEGRADATION


def test_jobs_count_instead_of_runs() -> None:
    independent = from_exclusive([BASE] * 5, [TARGET] * 5)
    one_job = from_exclusive([BASE] * 5, [TARGET] * 5, runs=Runs(5, 5, 0, (0,) * 5, (0,) * 5))
    errors = [by_name(c, detect(c, PHI), "error")["parse"] for c in (independent, one_job)]
    assert errors[0] ** 2 == pytest.approx(1 / 100_000 + 1 / 103_000 + 0.0009 * 0.4)
    assert errors[1] ** 2 == pytest.approx(1 / 100_000 + 1 / 103_000 + 0.0009 * 2.0)


def noisy_runs(runs: int, phi: float, seed: int, names: int = 200, samples: int = 50_000) -> list[dict[str, int]]:
    random = np.random.default_rng(seed)
    shares = 1.0 / np.arange(1, names + 1)
    found = []
    for _ in range(runs):
        weights = shares * np.exp(random.normal(0, phi, names)) * math.exp(random.normal(0, 0.05))
        counts = random.poisson(samples * weights / shares.sum())
        found.append({f"f{place:03}": int(count) for place, count in enumerate(counts)})
    return found


@pytest.mark.parametrize("phi", [0.0, 0.03, 0.08])
def test_noise_is_learned_from_base_runs(phi: float) -> None:
    runs = noisy_runs(14, phi, seed=3)
    comparison = from_exclusive(runs[:1], runs[1:2], noise=runs[2:])
    noise = noise_of(comparison, 0.05, count_scales(comparison))
    assert (noise.base_runs, noise.calibrated) == (13, True)
    assert noise.degrees is not None
    assert noise.degrees.min() > 40.0  # all locations scatter alike, so each may trust the others
    assert noise.law.phi == pytest.approx(phi, abs=0.012)


def test_locations_that_scatter_differently_trust_the_common_noise_less() -> None:
    random = np.random.default_rng(6)
    base = [
        {f"f{place:03}": round(1e7 * math.exp(random.normal(0, 0.02 if place % 2 else 0.3))) for place in range(100)}
        for _ in range(12)
    ]
    comparison = from_exclusive(base[:1], base[1:2], noise=base[2:], metric=timed())
    noise = noise_of(comparison, 0.05, None)
    assert noise.degrees is not None
    assert noise.degrees.max() < 20.0
    calm, wild = noise.phi[1::2], noise.phi[::2]
    assert np.median(wild) > 3 * np.median(calm)


def test_a_learned_scatter_is_tested_with_its_degrees() -> None:
    runs = noisy_runs(12, 0.03, seed=7)
    light = {**runs[1], "f150": 3 * runs[1]["f150"]}
    comparison = from_exclusive(runs[:1], [light], noise=runs[2:])
    noise, word = noise_of(comparison, 0.05, count_scales(comparison)), detect(comparison)
    z, p = (by_name(comparison, word, column)["f150"] for column in ("z", "p_worse"))
    assert noise.degrees is not None
    assert p == pytest.approx(float(upper_tail_t(np.array([z]), np.array([noise.degrees[150]]))[0]))
    assert p > 0.5 * math.erfc(z / math.sqrt(2))


def waiting_runs(runs: int, seed: int, heap: int = 6) -> list[dict[str, int]]:
    """Runs of a program that is made to wait: each hit is counted ``heap`` times over, wherever it falls."""
    return [
        {name: heap * count for name, count in run.items()}
        for run in noisy_runs(runs, 0.0, seed, names=100, samples=2000)
    ]


def test_samples_in_heaps_are_fewer_readings_than_their_number() -> None:
    runs = waiting_runs(14, seed=11)
    comparison = from_exclusive(runs[:1], runs[1:2], noise=runs[2:])
    noise = noise_of(comparison, 0.05, count_scales(comparison))
    assert noise.law.clump == pytest.approx(6.0, rel=0.15)
    assert noise.law.phi < 0.05
    once = by_name(comparison, detect(comparison), "error")["f010"]
    counts = [by_name(comparison, detect(comparison), f"count_{side}")["f010"] for side in ("from", "to")]
    assert once == pytest.approx(math.sqrt(sum(6.0 / count for count in counts)), rel=0.25)


def test_unchanged_runs_with_heaps_are_no_change() -> None:
    found = 0
    for seed in range(20):
        runs = waiting_runs(12, seed=100 + seed)
        comparison = from_exclusive(runs[:2], runs[2:4], noise=runs[4:])
        found += bool(detect(comparison).kind.any())
    assert found <= 2


def test_sides_on_which_all_functions_scatter_more_are_measured_by_that() -> None:
    """Another layout moved every function of the target a bit; one that takes twice as long is found, no other."""
    random, names = np.random.default_rng(13), [f"f{place:02}" for place in range(80)]
    runs = [{name: int(random.poisson(4000)) for name in names} for _ in range(12)]
    target = {name: round(count * math.exp(random.normal(0, 0.04))) for name, count in runs[1].items()}
    calm = detect(from_exclusive(runs[:1], runs[1:2], noise=runs[2:]))
    moved = from_exclusive(runs[:1], [{**target, "f20": 2 * runs[1]["f20"]}], noise=runs[2:])
    word = detect(moved)
    assert calm.facts["inflation"] < 1.3
    assert 1.5 < word.facts["inflation"] < 3.0
    assert [name for name, kind in kinds(moved, word).items() if kind is not Kind.NO_CHANGE] == ["f20"]


def test_a_change_of_few_functions_inflates_nothing() -> None:
    runs = noisy_runs(12, 0.01, seed=14)
    target = {name: 2 * count if name < "f020" else count for name, count in runs[1].items()}
    assert detect(from_exclusive(runs[:1], [target], noise=runs[2:])).facts["inflation"] < 1.3


def test_a_rewrite_of_most_functions_is_no_noise() -> None:
    random, names = np.random.default_rng(15), [f"f{place:02}" for place in range(80)]
    runs = [{name: int(random.poisson(4000)) for name in names} for _ in range(12)]
    target = {name: round(count * math.exp(random.normal(0, 0.5))) for name, count in runs[1].items()}
    word = detect(from_exclusive(runs[:1], [target], noise=runs[2:]))
    assert word.facts["inflation"] == 1.0
    assert np.isin(word.kind, [int(Kind.DEGRADATION), int(Kind.OPTIMIZATION)]).sum() > 10


def test_exact_counts_are_what_they_are() -> None:
    metric = Metric("instructions", "count", kind=MetricKind.COUNTED)
    base = {f"f{place:02}": 1_000_000 + place for place in range(40)}
    target = {name: round(count * (1.02 if int(name[1:]) % 2 else 0.98)) for name, count in base.items()}
    assert detect(from_exclusive([base], [target], metric=metric)).facts["inflation"] == 1.0


CALM = {f"f{place:02}": 10_000_000 + 1_000_000 * place for place in range(40)}


def timed_runs(count: int, seed: int) -> list[dict[str, int]]:
    random = np.random.default_rng(seed)
    return [
        {name: round(value * math.exp(random.normal(0, 0.02))) for name, value in CALM.items()} for _ in range(count)
    ]


def test_an_interruption_the_base_runs_know_is_no_change() -> None:
    """Half a run of base runs met 150 ms of something else; the target meets as much in another function."""
    base = timed_runs(10, 8)
    disturbed = [{**run, f"f{place:02}": run[f"f{place:02}"] + 150_000_000} for place, run in enumerate(base[2:7])]
    target = {**base[1], "f20": base[1]["f20"] + 150_000_000}
    calm = from_exclusive(base[:1], [target], noise=base[2:], metric=timed())
    known = from_exclusive(base[:1], [target], noise=[*disturbed, *base[7:]], metric=timed())
    assert kinds(calm, detect(calm))["f20"] is Kind.DEGRADATION
    assert kinds(known, detect(known))["f20"] is Kind.NO_CHANGE
    assert detect(known).facts["surge"] > 0.1


def test_one_interrupted_run_of_several_is_no_change() -> None:
    runs = timed_runs(16, 9)
    once = [{**runs[5], "f20": 20 * runs[5]["f20"]}, *runs[6:9]]
    always = [{**run, "f20": 2 * run["f20"]} for run in runs[5:9]]
    for target, kind in ((once, Kind.NO_CHANGE), (always, Kind.DEGRADATION)):
        comparison = from_exclusive(runs[:4], target, noise=runs[9:], metric=timed())
        assert kinds(comparison, detect(comparison))["f20"] is kind


def test_what_a_base_run_has_shown_already_is_listed_and_does_not_gate() -> None:
    runs = timed_runs(16, 10)
    target = [{**run, "f20": round(1.5 * run["f20"])} for run in runs[4:8]]
    seen = [*runs[8:15], {**runs[15], "f20": round(1.6 * runs[15]["f20"])}]
    for noise, kind in ((runs[8:], Kind.DEGRADATION), (seen, Kind.MAYBE_DEGRADATION)):
        comparison = from_exclusive(runs[:4], target, noise=noise, metric=timed())
        assert kinds(comparison, detect(comparison))["f20"] is kind


def test_base_runs_with_too_few_samples_calibrate_nothing() -> None:
    runs = [{f"f{place:02}": 20 + (7 * place + run) % 5 for place in range(60)} for run in range(12)]
    comparison = from_exclusive(runs[:1], runs[1:2], noise=runs[2:])
    noise = noise_of(comparison, 0.05, count_scales(comparison))
    assert (noise.base_runs, noise.estimate, noise.calibrated) == (11, None, False)
    assert detect(comparison).facts["state"] == "uncalibrated"


def test_short_history_keeps_the_cautious_prior() -> None:
    runs = noisy_runs(5, 0.0, seed=4)
    comparison = from_exclusive(runs[:1], runs[1:2], noise=runs[2:])
    noise = noise_of(comparison, 0.05, count_scales(comparison))
    assert (noise.base_runs, noise.calibrated, noise.law.phi, noise.degrees) == (4, False, 0.05, None)


def test_runs_of_one_job_teach_no_noise() -> None:
    runs = noisy_runs(9, 0.03, seed=5)
    comparison = from_exclusive(runs[:8], runs[8:], runs=Runs(8, 1, 0, (0,) * 8, (0,)))
    noise = noise_of(comparison, 0.05, count_scales(comparison))
    assert (noise.base_runs, noise.law.phi, noise.estimate, noise.job) == (1, 0.05, None, None)


def runs_of_jobs(jobs: int, size: int, phi: float, psi: float, seed: int) -> tuple[list[dict[str, int]], Runs]:
    """Base runs, ``size`` of each job; the first job is the baseline, and one more job the target."""
    random, names = np.random.default_rng(seed), 400
    shares = 1e6 / np.arange(20, 20 + names)
    found = []
    for _ in range(jobs + 1):
        of_job = random.normal(0, psi, names)
        for _ in range(size):
            counts = random.poisson(shares * np.exp(of_job + random.normal(0, phi, names)))
            found.append({f"f{place:03}": int(count) for place, count in enumerate(counts)})
    order = found[:size] + found[-size:] + found[size:-size]
    numbers = tuple(run // size for run in range((jobs - 1) * size))
    return order, Runs(size, size, len(numbers), (0,) * size, (0,) * size, numbers)


def test_jobs_of_several_runs_tell_the_scatter_of_runs_from_that_of_jobs() -> None:
    found, runs = runs_of_jobs(jobs=12, size=4, phi=0.02, psi=0.05, seed=6)
    comparison = from_exclusive(found[:4], found[4:8], noise=found[8:], runs=runs)
    noise = noise_of(comparison, 0.05, count_scales(comparison))
    assert noise.job is not None
    assert (noise.base_runs, noise.calibrated) == (12, True)
    assert noise.law.phi == pytest.approx(0.02, rel=0.1)
    assert noise.job.common == pytest.approx(0.05, rel=0.1)
    word = detect(comparison)
    assert not word.kind.any()
    c_b, c_t, error = (by_name(comparison, word, name)["f000"] for name in ("count_from", "count_to", "error"))
    of_runs, of_jobs = noise.phi[0] ** 2 * 2 / 4, noise.job.psi[0] ** 2 * 2
    expected = noise.clump[0] * (1 / c_b + 1 / c_t) + of_runs + of_jobs
    assert (error / word.facts["inflation"]) ** 2 == pytest.approx(expected)


def test_fewer_than_eight_jobs_of_several_runs_count_as_one_reading_each() -> None:
    found, runs = runs_of_jobs(jobs=7, size=4, phi=0.02, psi=0.05, seed=7)
    comparison = from_exclusive(found[:4], found[4:8], noise=found[8:], runs=runs)
    noise = noise_of(comparison, 0.05, count_scales(comparison))
    assert (noise.base_runs, noise.job, noise.calibrated) == (7, None, False)
    assert noise.law.phi == pytest.approx(0.054, rel=0.15)


def test_without_scatter_between_jobs_their_runs_count_as_runs() -> None:
    found, runs = runs_of_jobs(jobs=12, size=4, phi=0.03, psi=0.0, seed=8)
    comparison = from_exclusive(found[:4], found[4:8], noise=found[8:], runs=runs)
    noise = noise_of(comparison, 0.05, count_scales(comparison))
    assert noise.job is not None
    assert noise.law.phi == pytest.approx(0.03, rel=0.1)
    assert noise.job.common < 0.01


def test_the_gate_counts_only_locations_that_can_reach_it() -> None:
    many = {f"small{place:03}": 60 for place in range(300)}
    base, target = {"a": 20000, "b": 20000, "c": 5000, **many}, {"a": 20000, "b": 20000, "c": 6100, **many}
    comparison = from_exclusive([base], [target])
    word = detect(comparison, PHI)
    assert (word.facts["tested"], word.facts["gate_tested"]) == (303, 3)
    q, gate_q = (by_name(comparison, word, name)["c"] for name in ("q", "gate_q"))
    assert q == pytest.approx(101 * gate_q)
    assert math.isnan(by_name(comparison, word, "gate_q")["small000"])


def test_few_locations_are_compared_by_their_amounts() -> None:
    """Of two locations nobody knows which one kept its share; their times say it, where base runs are steady."""
    runs = [{"a": round(9e8 * factor), "b": round(1e8 * factor)} for factor in (1.0, 1.01, 0.99) * 4]
    target = {"a": 2 * runs[0]["a"], "b": runs[0]["b"]}
    comparison = from_exclusive(runs[:1], [target], noise=runs[1:], metric=timed())
    d = by_name(comparison, detect(comparison), "d")
    assert d == pytest.approx({"a": math.log(2.0), "b": 0.0}, abs=1e-9)
    assert detect(comparison).facts["common_factor"] == pytest.approx(1.0 / 1.9)
    unknown = from_exclusive(runs[:1], [target], metric=timed())
    shared = by_name(unknown, detect(unknown), "d")
    assert shared == pytest.approx({"a": math.log(2.0) / 2, "b": -math.log(2.0) / 2})


def test_exact_metrics_use_no_sampling_noise() -> None:
    metric = Metric("instructions", "count", kind=MetricKind.COUNTED)
    base, target = {"a": 5000, "b": 5000, "c": 9000}, {"a": 6000, "b": 5000, "c": 9000}
    comparison = from_exclusive([base], [target], metric=metric)
    word = detect(comparison)
    assert by_name(comparison, word, "error")["a"] == pytest.approx(0.002 * math.sqrt(2))
    assert kinds(comparison, word) == {"a": Kind.DEGRADATION, "b": Kind.NO_CHANGE, "c": Kind.NO_CHANGE}
    identical = detect(from_exclusive([base, base], [target], metric=metric))
    assert identical.facts["phi"] == 0.0
    assert identical.statistics["z"].tolist()[1:] == [0.0, 0.0]
    assert identical.kind.tolist() == [int(Kind.DEGRADATION), 0, 0]


def test_timed_values_of_one_run_take_a_larger_prior_until_a_second_measures_them() -> None:
    one, three = from_exclusive([BASE], [BASE], metric=timed()), from_exclusive([BASE] * 3, [BASE], metric=timed())
    assert (detect(one).facts["phi"], detect(three).facts["phi"]) == (0.15, 0.05)
    assert detect(one, {"phi_prior": 0.3}).facts["phi"] == 0.3


def test_floors_decide_what_gates() -> None:
    assert SAMPLES.unit == "samples"
    small = from_exclusive([{"a": 300_000, "b": 1200, "c": 9000}], [{"a": 300_000, "b": 2400, "c": 9000}])
    # +0.38 % of the run: listed, below the gate's 0.5 %
    assert kinds(small, detect(small, PHI))["b"] is Kind.MAYBE_DEGRADATION
