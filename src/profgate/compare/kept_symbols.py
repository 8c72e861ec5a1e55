"""Readings that the history made small: compared by the symbols that none of them lost."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from profgate.model.arrays import read_only
from profgate.model.history import Column, Reading, SymbolKey

REST: SymbolKey = ("(lighter functions, no longer kept)", None)
Key = tuple[str, str, str]  # workload, metric, unit


def of_same_symbols(sides: Sequence[Sequence[Reading]]) -> list[list[Reading]]:
    """The readings of all sides; what some of them lost is one symbol in each, so that totals stay and none is new.

    A workload and metric whose readings are all whole stays as it is. No calls are told where some were lost.
    """
    kept: dict[Key, frozenset[SymbolKey]] = {}
    for reading in (one for side in sides for one in side):
        for column in reading.columns:
            if not column.whole:
                key = _key(reading, column)
                kept[key] = kept.get(key, frozenset(column.symbols)) & frozenset(column.symbols)
    return [[_lessened(reading, kept) for reading in side] for side in sides]


def _lessened(reading: Reading, kept: dict[Key, frozenset[SymbolKey]]) -> Reading:
    columns = ((column, kept.get(_key(reading, column))) for column in reading.columns)
    return replace(reading, columns=tuple(one if few is None else _with_rest(one, few) for one, few in columns))


def _key(reading: Reading, column: Column) -> Key:
    return reading.series.workload, column.metric.name, column.metric.unit


def _with_rest(column: Column, kept: frozenset[SymbolKey]) -> Column:
    rows = np.array([row for row, key in enumerate(column.symbols) if key in kept], np.int64)
    rest = max(column.sum - int(column.own[rows].sum()), 0)
    return replace(
        column,
        symbols=[*(column.symbols[row] for row in rows.tolist()), REST],
        own=read_only(np.append(column.own[rows], rest)),
        total=read_only(np.append(column.total[rows], rest)),
        calls=None,
    )
