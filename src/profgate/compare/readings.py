"""Converts profiles to readings for the history. A reading contains a series and the costs of the symbols in a run."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from profgate.compare.built_code import named_by_sources
from profgate.compare.columns import (
    MAX_TOTAL,
    CompareOptions,
    Forest,
    forest_of,
    path_calls,
    run_columns,
    stored_metric,
)
from profgate.compare.scenarios import scenario_of, taken_apart
from profgate.compare.symbols import Numbering, number_symbols
from profgate.compare.workloads import series_key, workload_name
from profgate.errors import ComparisonError, ProfileError
from profgate.model.arrays import IntArray, read_only
from profgate.model.call_tree import added_at
from profgate.model.history import Column, Reading, Series, SymbolKey
from profgate.model.profile import CallGraph, FrameList, Measurements, Profile

REST: SymbolKey = ("(lighter functions, dropped)", None)


def series_of(profile: Profile, options: CompareOptions) -> Series:
    """Return the series of a profile of one workload. Only profiles of the same series can be compared.

    The filters are part of the series, because they determine the symbols of a profile.
    """
    name = workload_name(profile.name)
    parts = [*series_key(profile)._asdict().values(), sorted(options.ignore)]
    key = json.dumps(parts, ensure_ascii=True, separators=(",", ":"))
    return Series(key, scenario_of(profile) or name, profile.configuration, profile.facts.format)


def readings_of(
    profile: Profile, options: CompareOptions, commit: str, job: str, run: str, content: bytes | None = None
) -> list[Reading]:
    """Return the readings of one file: one for each run of each benchmark, or a single reading for other profiles.

    ``run`` distinguishes the files of one job. ``content`` is the content of the file if it is to be stored. Raises
    ComparisonError if the values of the profile overflow.
    """
    made = []
    for part in taken_apart([profile]):
        series, scenario = series_of(part, options), scenario_of(part) or ""
        for number, columns in enumerate(summarised(part, options)):
            name = run if not number and not scenario else f"{run}\0{scenario}\0{number}"
            made.append(Reading(commit, series, name, columns, job, profile.facts, profile.name, content))
    return made


def summarised(profile: Profile, options: CompareOptions) -> list[tuple[Column, ...]]:
    """For each run of a profile, return one column per metric. A column contains the symbols of its run.

    Raises ComparisonError if values overflow.
    """
    (profile,) = named_by_sources([profile])
    numbering = number_symbols([profile], policy_aliases=options.policy_aliases)
    keys = list(zip(numbering.symbols.names, numbering.symbols.files, strict=True))
    forest, runs = forest_of([profile], numbering, options), list[list[Column]]()
    for place, stated in enumerate(profile.metrics):
        metric = stored_metric(stated, [profile])
        values, _ = run_columns([profile], numbering, metric, forest)
        calls = _calls(profile, numbering, forest)
        period = profile.periods[place] if place < len(profile.periods) else None
        step = None if period is None else period * 10 ** (stated.exponent - metric.exponent)
        if step is not None and step > MAX_TOTAL:
            raise ComparisonError(profile.name, "the value of one sample exceeds 62 bits; record the profile again")
        for run, (own, total, whole) in enumerate(zip(values.own, values.total, values.sums.tolist(), strict=True)):
            taking = (own != 0) | (total != 0) | (False if calls is None else calls != 0)
            rows = np.flatnonzero(taking)
            column = Column(
                metric,
                whole,
                [keys[number] for number in rows.tolist()],
                read_only(own[rows]),
                read_only(total[rows]),
                None if calls is None else read_only(calls[rows]),
                period=step,
            )
            while len(runs) <= run:
                runs.append([])
            runs[run].append(column)
    return [tuple(columns) for columns in runs]


def profile_of(reading: Reading, number: int) -> Profile:
    """Convert a reading to a profile without stacks. ``number`` distinguishes runs.

    Each symbol has the same value as in the original profile, and the result can be paired with that profile.
    """
    stated, scenario = _key_of(reading)
    name = f"{stated if scenario is not None else reading.series.workload}/{number}"
    known = list(dict.fromkeys(key for column in reading.columns for key in column.symbols))
    names = [name for name, _ in known]
    files = [file for _, file in known]
    frames = FrameList(names, files, [None] * len(known), [None] * len(known))
    metrics = tuple(column.metric for column in reading.columns)
    profile = Profile(
        name,
        reading.series.configuration,
        metrics,
        frames,
        periods=tuple(column.period for column in reading.columns),
        facts=replace(reading.facts, format=reading.series.format),
    )
    if scenario is None:
        return replace(profile, graph=_table(reading.columns, {key: place for place, key in enumerate(known)}))
    count = len(metrics)
    body = Measurements(
        frame=np.zeros(count, np.int64),
        amount=np.array([float(column.sum) for column in reading.columns]),
        size=np.full(count, np.nan),
        exclusive=np.full(count, np.nan),
        subtypes=[""] * count,
        order=np.zeros(count, np.int64),
        metric=np.arange(count),
        scenarios=True,
    )
    return replace(profile, frames=FrameList.of_names([scenario]), measurements=body)


def of_same_symbols(sides: Sequence[Sequence[Reading]]) -> list[list[Reading]]:
    """Reduce the readings of all sides to their common symbols and a symbol for the rest of the total.

    If all readings of a workload and metric are complete, they are not changed. Otherwise, call counts are removed.
    """
    common: dict[tuple[str, str, str], frozenset[SymbolKey]] = {}  # the key is workload, metric and unit

    def key(reading: Reading, column: Column) -> tuple[str, str, str]:
        return reading.series.workload, column.metric.name, column.metric.unit

    def reduced(reading: Reading) -> Reading:
        columns = ((column, common.get(key(reading, column))) for column in reading.columns)
        return replace(
            reading,
            columns=tuple(column if few is None else _with_rest(column, few) for column, few in columns),
        )

    for reading in chain.from_iterable(sides):
        for column in reading.columns:
            if not column.whole:
                symbols = frozenset(column.symbols)
                common[key(reading, column)] = common.get(key(reading, column), symbols) & symbols
    return [[reduced(reading) for reading in side] for side in sides]


def _with_rest(column: Column, common: frozenset[SymbolKey]) -> Column:
    rows = np.array([row for row, key in enumerate(column.symbols) if key in common], np.int64)
    rest = max(column.sum - int(column.own[rows].sum()), 0)
    return replace(
        column,
        symbols=[*(column.symbols[row] for row in rows.tolist()), REST],
        own=read_only(np.append(column.own[rows], rest)),
        total=read_only(np.append(column.total[rows], rest)),
        calls=None,
    )


def is_benchmark(reading: Reading) -> bool:
    """Return whether the reading comes from a benchmark in a file of results."""
    return _key_of(reading)[1] is not None


def _key_of(reading: Reading) -> tuple[str, str | None]:
    """Return the file name and the benchmark from a series key.

    Raises ProfileError if the key was not created by `series_of`.
    """
    try:
        name, scenario, *_ = json.loads(reading.series.key)
    except (ValueError, TypeError, RecursionError):
        name, scenario = None, None
    if not isinstance(name, str) or not (scenario is None or isinstance(scenario, str)):
        raise ProfileError(f"history, workload {reading.series.workload!r:.60}", "has an unknown kind of key")
    return name, scenario


def _table(columns: Sequence[Column], place: Mapping[SymbolKey, int]) -> CallGraph:
    """Return the columns as a call table without callers. Unknown call counts are 0."""
    values = np.zeros((2, len(columns), len(place)), np.int64)
    calls = np.zeros(len(place), np.int64)
    for number, column in enumerate(columns):
        rows = np.array([place[key] for key in column.symbols], np.int64)
        values[0, number, rows], values[1, number, rows] = column.own, column.total
        if column.calls is not None:
            calls[rows] = column.calls
    nothing = np.zeros(0, np.int64)
    return CallGraph(values[0], values[1], calls, nothing, nothing, np.zeros((len(columns), 0), np.int64), nothing)


def _calls(profile: Profile, numbering: Numbering, forest: Forest | None) -> IntArray | None:
    """Return an int64 array with the number of calls of each symbol, or None if calls were not counted."""
    count, mapping = len(numbering.symbols), numbering.maps[0]
    if profile.graph is not None and profile.stacks is None:
        return added_at(count, mapping, profile.graph.calls)
    if forest is None:
        return None
    calls = path_calls([profile.stacks], forest.leaf_rows, forest.tree, forest.dropped)
    return None if calls is None else added_at(count, forest.tree.symbol[1:], calls[1:])
