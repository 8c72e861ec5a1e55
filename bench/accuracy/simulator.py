"""Programs whose truth is known, and runs of them: functions in a call tree, machine and function noise, a profiler."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from profgate.model.arrays import FloatArray, IntArray
from profgate.model.call_tree import TreeShape, build_shape, levels_of, pre_order, with_children
from profgate.model.comparison import Comparison, DiffTree, Runs, Symbols
from profgate.model.profile import Configuration, Facts, FrameList, Profile, Stacks
from profgate.model.units import Metric, MetricKind

Random = np.random.Generator
HISTORY_RUNS = 12
FILES = 20


@dataclass(frozen=True, slots=True)
class Recorder:
    """A kind of profiler: ``volume`` is what a run holds on average, in stored units."""

    metric: Metric
    volume: float


SAMPLED = Recorder(Metric("samples", "samples"), 50_000)
TIMED = Recorder(Metric("time", "nanoseconds", kind=MetricKind.TIMED), 10e9)
COUNTED = Recorder(Metric("instructions", "count", kind=MetricKind.COUNTED), 20e9)


@dataclass(frozen=True, slots=True)
class Noise:
    """Standard deviations of logarithms.

    ``function`` and ``machine`` from run to run, ``job`` a function's own between jobs (build, layout). ``learned`` is
    the function noise while the base runs were recorded, None = the same. ``degrees`` of Student's t make heavy tails,
    None = normal. ``one_job``: a side's runs share one job; ``stated``: the profiles say so; ``repeated``: the jobs of
    the base hold as many runs as a side, not one.
    """

    function: float = 0.03
    machine: float = 0.04
    learned: float | None = None
    degrees: float | None = None
    job: float = 0.0
    one_job: bool = False
    stated: bool = False
    repeated: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """Functions by number: name, file, number of the caller (-1 = none) and share of the run spent in itself."""

    names: tuple[str, ...]
    files: tuple[str, ...]
    caller: IntArray
    shares: FloatArray

    def with_shares(self, shares: FloatArray) -> "Program":
        """The same functions with other costs; they need not add up to 1."""
        return replace(self, shares=shares)


def zipf_program(random: Random, functions: int) -> Program:
    """The k-th function costs 1/k of the first; callers are drawn at random, near the entry more often than far."""
    shares = 1.0 / np.arange(1, functions + 1)
    order = random.permutation(functions)
    caller = np.full(functions, -1, dtype=np.int64)
    for place in range(1, functions):
        caller[order[place]] = order[int(place * random.random() ** 2)]
    width = len(str(functions))
    names = tuple(f"function_{number:0{width}}" for number in range(functions))
    files = tuple(f"package/module_{number % FILES:02}.py" for number in range(functions))
    return Program(names, files, caller, shares / shares.sum())


def function_near(program: Program, share: float) -> int:
    """The function whose share is nearest; its share is then set by `planted`."""
    return int(np.argmin(np.abs(program.shares - share)))


def planted(program: Program, place: int, share: float, ratio: float) -> tuple[Program, Program]:
    """Baseline and target: a function holds exactly this share of the baseline's run, then ``ratio`` times as much."""
    rest = np.where(np.arange(len(program.shares)) == place, 0.0, program.shares)
    before = rest / rest.sum() * (1.0 - share)
    before[place] = share
    after = before.copy()
    after[place] *= ratio
    return program.with_shares(before), program.with_shares(after)


def _scatter(random: Random, spread: float, degrees: float | None, shape: tuple[int, ...]) -> FloatArray:
    drawn = random.standard_normal(shape) if degrees is None else random.standard_t(degrees, shape)
    return np.asarray(spread * drawn)


def recorded(random: Random, program: Program, runs: int, noise: Noise, recorder: Recorder = SAMPLED) -> IntArray:
    """int64[run, function] exclusive values of one side's runs."""
    count = len(program.shares)
    counted = recorder.metric.kind is MetricKind.COUNTED
    machine = _scatter(random, noise.machine, None, (1 if noise.one_job else runs, 1))
    job = _scatter(random, noise.job, None, (1 if noise.one_job else runs, count))
    function = _scatter(random, noise.function, noise.degrees, (runs, count))
    # a slow machine runs the same instructions
    mean = recorder.volume * program.shares * np.exp(function + job + (0.0 if counted else machine))
    sampled = recorder.metric.kind is MetricKind.SAMPLED
    return np.asarray(random.poisson(mean) if sampled else np.rint(mean), dtype=np.int64)


def history(random: Random, program: Program, noise: Noise, recorder: Recorder = SAMPLED, runs: int = 1) -> IntArray:
    """int64[run, function] of base runs, ``runs`` of each job one after the other where jobs are `Noise.repeated`."""
    spread = noise.function if noise.learned is None else noise.learned
    if not noise.repeated:
        return recorded(random, program, HISTORY_RUNS, replace(noise, function=spread, one_job=False), recorder)
    jobs = [recorded(random, program, runs, replace(noise, function=spread), recorder) for _ in range(HISTORY_RUNS)]
    return np.concatenate(jobs)


@dataclass(frozen=True, slots=True, eq=False)
class Overlay:
    """A program's call tree with one row for each function, laid out as `profgate.compare` does it."""

    program: Program
    symbols: Symbols
    shape: TreeShape
    row: IntArray
    size: IntArray
    pre: IntArray
    first_seen: IntArray = field(repr=False)


def stream(program: Program) -> tuple[IntArray, IntArray]:
    """Depth and function of every call path in pre-order, callees by number."""
    callees: list[list[int]] = [[] for _ in program.names]
    waiting: list[int] = []
    for number, caller in enumerate(program.caller.tolist()):
        (waiting if caller < 0 else callees[caller]).append(number)
    todo = [(0, number) for number in reversed(waiting)]
    found = []
    while todo:
        depth, number = todo.pop()
        found.append((depth, number))
        todo += [(depth + 1, callee) for callee in reversed(callees[number])]
    columns = np.array(found, dtype=np.int64)
    return columns[:, 0], columns[:, 1]


def overlay_of(program: Program) -> Overlay:
    """The part of a comparison that does not change from run to run; names must be sorted."""
    depth, function = stream(program)
    shape, rows = build_shape(depth, function)
    row = np.empty(len(rows), dtype=np.int64)
    row[function] = rows
    seen = np.empty(len(rows), dtype=np.int64)
    seen[function] = np.arange(len(rows))
    size = with_children(shape, np.ones(len(shape), np.int64))
    nothing: list[str | None] = [None] * len(program.names)
    no_lines: list[int | None] = [None] * len(program.names)
    names = list(program.names)
    symbols = Symbols(names, list(program.files), no_lines, nothing, names)
    return Overlay(program, symbols, shape, row, size, pre_order(shape, size), seen)


def _inclusive(overlay: Overlay, values: IntArray) -> IntArray:
    """int64[run, function]: no function calls itself, so a function's row is its inclusive value."""
    own = np.zeros(len(overlay.shape), np.int64)
    result = np.empty_like(values)
    for run, of_run in enumerate(values):
        own[overlay.row] = of_run
        result[run] = with_children(overlay.shape, own)[overlay.row]
    return result


def _tree(overlay: Overlay, sides: Sequence[IntArray]) -> DiffTree:
    own = np.zeros((2, len(overlay.shape)), np.int64)
    for place, side in enumerate(sides):
        own[place, overlay.row] = side.sum(axis=0)
    before, after = (with_children(overlay.shape, values) for values in own)
    shape = overlay.shape
    depth = levels_of(shape)
    return DiffTree(shape.parent, shape.symbol, depth, own[0], own[1], before, after, overlay.pre, overlay.size)


def comparison_of(
    overlay: Overlay,
    sides: tuple[IntArray, IntArray],
    base_runs: IntArray,
    noise: Noise,
    recorder: Recorder = SAMPLED,
    workload: str = "w",
) -> Comparison:
    """What `profgate.compare` makes of these runs' profiles, without the profiles."""
    values = np.concatenate(sides)
    inclusive = _inclusive(overlay, values)
    split = len(sides[0])
    told = noise.one_job and noise.stated
    jobs = [(0,) * len(side) if told else None for side in sides]
    size = len(base_runs) // HISTORY_RUNS if noise.repeated else 1
    base_jobs = tuple(run // size for run in range(len(base_runs)))
    return Comparison(
        workload=workload,
        configuration=Configuration(),
        metric=recorder.metric,
        runs=Runs(split, len(sides[1]), len(base_runs), jobs[0], jobs[1], base_jobs),
        symbols=overlay.symbols,
        self_value=values,
        total_value=inclusive,
        run_totals=values.sum(axis=1),
        present=np.array([inclusive[:split].any(axis=0), inclusive[split:].any(axis=0)], dtype=np.int64),
        noise_self=base_runs,
        noise_totals=base_runs.sum(axis=1),
        tree=_tree(overlay, sides),
        first_seen=overlay.first_seen,
    )


def profile_of(program: Program, values: IntArray, recorder: Recorder = SAMPLED, job: str | None = None) -> Profile:
    """One run as a reader delivers it: int64[function] exclusive values; what was never seen is not in it."""
    depth, function = stream(program)
    shape, rows = build_shape(depth, function)
    count, own = len(program.names), np.zeros(len(shape), np.int64)
    own[rows] = values[function]
    seen = with_children(shape, own)[rows] > 0
    ends: Any = values[function][seen] > 0
    return Profile(
        name="w",
        configuration=Configuration(),
        metrics=(recorder.metric,),
        frames=FrameList(list(program.names), list(program.files), [None] * count, [None] * count),
        stacks=Stacks(
            depth[seen],
            function[seen],
            ends,
            values[function][seen][ends][None, :],
            np.zeros(1, np.int64),
        ),
        periods=(1,) if recorder.metric.kind is MetricKind.SAMPLED else (None,),
        facts=Facts(format="folded", job=job),
    )
