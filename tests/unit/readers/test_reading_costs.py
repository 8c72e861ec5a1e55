"""Reading takes time and memory in proportion to the file, whatever the file contains."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fuzz.entry_points import ENTRY_POINTS
from growing_files import GROWING
from profgate.readers.registry import READERS
from reading_costs import Cost, Growth, table

ROOT = Path(__file__).parents[3]
TABLE = ROOT / "build" / "reading-costs"
# processor time for the largest file; python tests/reading_costs.py takes 1 s
SECONDS = 0.05
QUICK_SECONDS = 0.02
LIMIT = 3.0  # at twice the size; 2 is linear, 4 is quadratic
ENDS = ("ProfileError", "ProfgateError", "read", "unread", "found")
ATTACKS = (  # took quadratic time or memory once
    *("pprof/inlined calls", "pprof/colliding ids", "speedscope/many profiles", "speedscope/colliding weights"),
    *("cpuprofile/colliding ids", "cpuprofile/colliding times", "firefox/threads of shared tables"),
    *("firefox/shared names", "firefox/colliding weights", "perun/many fields of a type", "perun/many parts of a uid"),
    *("perun/trace of a type", "perun/many models", "perf/many events", "go-test/slashes"),
    *("containers/members of gzip", "containers/frames of zstandard"),
)


def measured(seconds: float, *names: str) -> list[Growth]:
    command = [sys.executable, str(ROOT / "tests" / "reading_costs.py"), "--seconds", str(seconds), *names]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    rows = map(json.loads, lines)
    return [Growth(row["name"], row["shape"], tuple(Cost(**cost) for cost in row["costs"])) for row in rows]


def steep(growth: Growth) -> bool:
    return growth.time > LIMIT or growth.memory > LIMIT


def checked(seconds: float, *names: str) -> list[Growth]:
    """Measure, and measure again what looks steep, because another process may have disturbed it."""
    rows = measured(seconds, *names)
    for _ in range(2):
        again = [f"{row.name}/{row.shape}" for row in rows if steep(row)]
        if again:
            better = {row.shape: row for row in measured(seconds, *again)}
            rows = [better.get(row.shape, row) for row in rows]
    assert not [row for row in rows if steep(row)]
    outcomes = {cost.outcome.partition(":")[0] for row in rows for cost in row.costs}
    assert outcomes <= {*(reader.name for reader in READERS), *ENDS}
    return rows


def test_every_reader_has_growing_files() -> None:
    assert GROWING.keys() >= {reader.name for reader in READERS}
    assert GROWING.keys() <= ENTRY_POINTS.keys()


@pytest.mark.slow
def test_attacks_take_linear_time_and_memory() -> None:
    assert len(checked(QUICK_SECONDS, *ATTACKS)) == len(ATTACKS)


@pytest.mark.full
@pytest.mark.parametrize("name", GROWING)
def test_reading_takes_linear_time_and_memory(name: str) -> None:
    rows = checked(SECONDS, name)
    assert any(row.costs[-1].outcome in {name, "folded", "read"} for row in rows)
    TABLE.mkdir(parents=True, exist_ok=True)
    (TABLE / f"{name}.md").write_text("\n".join([*table(rows), ""]))


@pytest.mark.parametrize(("power", "expected"), [(1, False), (2, True)])
def test_quadratic_growth_is_steep(power: int, expected: bool) -> None:
    costs = tuple(Cost(n, n, 0.001 * n**power, 0, "read") for n in (1, 2, 4, 8))
    assert steep(Growth("a", "b", costs)) == expected
    costs = tuple(Cost(n, n, 0.001, (5 << 20) * n**power, "read") for n in (1, 2, 4, 8))
    assert steep(Growth("a", "b", costs)) == expected
