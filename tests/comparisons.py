"""Comparisons for tests, built by the compare stage, or without it from stacks or from exclusive values."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from profgate.compare.columns import CompareOptions
from profgate.compare.overlay import compare_workload
from profgate.model import profile as profiles
from profgate.model.arrays import IntArray
from profgate.model.comparison import Comparison, DiffTree, Noise, Note, Runs, Sampling, Symbols
from profgate.model.profile import Configuration, Facts, FrameList, Profile, Workload
from profgate.model.source import source_of
from profgate.model.units import Metric, MetricKind
from profgate.readers.folded import FoldedReader

SAMPLES = Metric("samples", "samples")
NO_FACTS = Facts()
Stacks = Mapping[str, int]


def overlaid(
    baseline: Sequence[Profile], target: Sequence[Profile], noise: Sequence[Profile] = (), **options: Any
) -> Comparison:
    """Profiles with one metric in common."""
    workload = Workload("w", Configuration(), tuple(baseline), tuple(target), tuple(noise))
    (comparison,), alone = compare_workload(workload, (), CompareOptions(**options))
    assert not alone
    return comparison


def flat(
    metrics: tuple[Metric, ...],
    *rows: list[int],
    names: Sequence[str] = (),
    periods: tuple[int | None, ...] = (),
    facts: Facts = NO_FACTS,
) -> Profile:
    """Functions that call nothing, with a row of values for each metric."""
    count = len(rows[0])
    depth, leaf = np.zeros(count, np.int64), np.ones(count, np.bool_)
    return Profile(
        "p",
        Configuration(),
        metrics,
        FrameList.of_names(list(names) or [f"f{number}" for number in range(count)]),
        stacks=profiles.Stacks(depth, np.arange(count), leaf, np.array(rows), np.zeros(len(metrics), np.int64)),
        periods=periods or (None,) * len(metrics),
        facts=facts,
    )


def folded(runs: Sequence[Stacks]) -> list[Profile]:
    texts = ("".join(f"{stack} {value}\n" for stack, value in run.items()) for run in runs)
    return [FoldedReader().read(source_of(f"run-{place}", text.encode())) for place, text in enumerate(texts)]


def runs_of(values: Stacks, count: int = 5) -> list[dict[str, int]]:
    """Runs that scatter by 1 %."""
    return [
        {name: value + (7 * place + 3 * run) % 5 for place, (name, value) in enumerate(values.items())}
        for run in range(count)
    ]


def symbols_of(names: Sequence[str], modules: Mapping[str, str] | None = None) -> Symbols:
    return Symbols(
        list(names),
        [None] * len(names),
        [None] * len(names),
        [(modules or {}).get(name) for name in names],
        list(names),
    )


def from_stacks(
    baseline: Sequence[Stacks],
    target: Sequence[Stacks],
    *,
    metric: Metric = SAMPLES,
    period: int | None = None,
    calls: tuple[int, int] | None = None,
) -> Comparison:
    """Stacks are ``main;f;x`` with weights, one mapping for each run; ``calls`` are those of every path of a side."""
    runs = [*baseline, *target]
    names = sorted({frame for run in runs for stack in run for frame in stack.split(";")})
    number = {name: place for place, name in enumerate(names)}
    self_value = np.zeros((len(runs), len(names)), dtype=np.int64)
    total_value = self_value.copy()
    present = np.zeros((2, len(names)), dtype=np.bool_)
    for place, run in enumerate(runs):
        for stack, weight in run.items():
            frames = stack.split(";")
            self_value[place, number[frames[-1]]] += weight
            for frame in frames:
                present[int(place >= len(baseline)), number[frame]] = True
            for frame in set(frames):
                total_value[place, number[frame]] += weight
    return Comparison(
        workload="w",
        configuration=Configuration(),
        metric=metric,
        runs=Runs(len(baseline), len(target)),
        symbols=symbols_of(names),
        self_value=self_value,
        total_value=total_value,
        active_total=total_value,
        run_totals=self_value.sum(axis=1),
        present=present,
        noise=Noise(np.zeros((0, len(names)), dtype=np.int64), np.zeros(0, dtype=np.int64)),
        waiting=np.zeros(len(names), np.bool_),
        sampling=Sampling(period),
        tree=tree_of(baseline, target, number, calls),
    )


def tree_of(
    baseline: Sequence[Stacks],
    target: Sequence[Stacks],
    number: Mapping[str, int],
    calls: tuple[int, int] | None = None,
) -> DiffTree:
    weights: list[dict[tuple[int, ...], int]] = [{}, {}]
    for side, runs in enumerate((baseline, target)):
        for run in runs:
            for stack, weight in run.items():
                path = tuple(number[frame] for frame in stack.split(";"))
                weights[side][path] = weights[side].get(path, 0) + weight
    paths = {path[:depth] for side in weights for path in side for depth in range(len(path) + 1)} | {()}
    rows = sorted(paths)
    row_of = {path: row for row, path in enumerate(rows)}
    end = [place + sum(other[: len(path)] == path for other in paths) for place, path in enumerate(rows)]
    own = [np.array([side.get(path, 0) for path in rows]) for side in weights]
    run_self = np.zeros((len(baseline) + len(target), len(rows)), np.int64)
    for place, run in enumerate([*baseline, *target]):
        for stack, weight in run.items():
            run_self[place, row_of[tuple(number[frame] for frame in stack.split(";"))]] += weight
    total = [
        np.array([sum(w for other, w in side.items() if other[: len(path)] == path) for path in rows])
        for side in weights
    ]
    return DiffTree(
        parent=np.array([row_of[path[:-1]] if path else -1 for path in rows], dtype=np.int32),
        symbol=np.array([path[-1] if path else -1 for path in rows], dtype=np.int32),
        depth=np.array([len(path) for path in rows], dtype=np.int32),
        end=np.array(end),
        baseline_self=own[0],
        target_self=own[1],
        baseline_total=total[0],
        target_total=total[1],
        baseline_calls=None if calls is None else np.array([calls[0] if path else 0 for path in rows]),
        target_calls=None if calls is None else np.array([calls[1] if path else 0 for path in rows]),
        run_self=run_self,
    )


def from_exclusive(
    baseline: Sequence[Stacks],
    target: Sequence[Stacks],
    *,
    noise: Sequence[Stacks] = (),
    metric: Metric = SAMPLES,
    period: int | None = None,
    modules: Mapping[str, str] | None = None,
    runs: Runs | None = None,
    totals: tuple[Sequence[int], Sequence[int], Sequence[int]] | None = None,
    notes: tuple[Note, ...] = (),
    workload: str = "w",
) -> Comparison:
    """A flat profile: exclusive values by name, one mapping for each run; totals are their sums if not given."""
    names = sorted({name for run in [*baseline, *target, *noise] for name in run})
    values = rows_of([*baseline, *target], names)
    noise_values = rows_of(noise, names)
    present = np.array([[any(name in run for run in side) for name in names] for side in (baseline, target)])
    sums = values.sum(axis=1)
    noise_sums = noise_values.sum(axis=1)
    return Comparison(
        workload=workload,
        configuration=Configuration(),
        metric=metric,
        runs=runs or Runs(len(baseline), len(target), len(noise)),
        symbols=symbols_of(names, modules),
        self_value=values,
        total_value=values,
        active_total=values,
        run_totals=np.array([*totals[0], *totals[1]]) if totals else sums,
        present=present.reshape(2, len(names)),
        noise=Noise(noise_values, np.array(totals[2], dtype=np.int64) if totals else noise_sums),
        waiting=np.zeros(len(names), np.bool_),
        sampling=Sampling(period),
        notes=notes,
    )


def rows_of(runs: Sequence[Stacks], names: Sequence[str]) -> IntArray:
    return np.array([[run.get(name, 0) for name in names] for run in runs], dtype=np.int64).reshape(
        len(runs), len(names)
    )


def timed(unit: str = "nanoseconds") -> Metric:
    return Metric("time", unit, kind=MetricKind.TIMED)
