"""Measures how processor time and memory grow with the files in `growing_files`: python tests/reading_costs.py [NAME].

Each file is read in a child process with limits, and is made in another one, so that the memory of a measurement is
that of the reader. The output is one JSON line for each shape, or a table with --table.
"""

import argparse
import json
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # threads would not survive a fork

sys.path.insert(0, str(Path(__file__).parent))

from fuzz.campaign import forget_peak, peak
from fuzz.entry_points import ENTRY_POINTS
from growing_files import GROWING, Shape
from profgate.errors import ProfgateError
from profgate.model.source import source_of
from profgate.readers.registry import READERS, read_profile

ADDRESS_SPACE = 6 << 30
FIRST = 1 << 9
FIXED_MEMORY = 4 << 20
FIXED_SECONDS = 5e-4  # shorter times are not measured exactly
LARGEST = 64 << 20  # bytes of a file for each second of processor time


@dataclass(frozen=True, slots=True)
class Cost:
    """What reading a file takes: seconds of processor time, and bytes of memory at the peak."""

    number: int
    size: int
    seconds: float
    memory: int
    outcome: str


@dataclass(frozen=True, slots=True)
class Growth:
    """The costs of a file, and of files of 2, 4 and 8 times its size."""

    name: str
    shape: str
    costs: tuple[Cost, ...]

    @property
    def time(self) -> float:
        """Mean factor of the time at twice the size; 2 is linear, 4 is quadratic."""
        return float((self.costs[-1].seconds / max(self.costs[0].seconds, FIXED_SECONDS)) ** (1 / 3))

    @property
    def memory(self) -> float:
        """Mean factor of the memory at twice the size, if it is more than that of the modules and caches."""
        least, most = (max(cost.memory, FIXED_MEMORY) for cost in (self.costs[0], self.costs[-1]))
        return float((most / least) ** (1 / 3))


def growth_of(name: str, shape: str, seconds: float) -> Growth:
    """Double the file until reading takes that long, or until it is large."""
    take, make = _take(name), GROWING[name][shape]
    found: dict[int, Cost] = {}

    def cost(number: int) -> Cost:
        if number not in found:
            found[number] = _cost(take, make, number, seconds)
        return found[number]

    number, before = FIRST, 0
    while (last := cost(number)).seconds < seconds and max(before, 1) < last.size < LARGEST * seconds:
        before = last.size  # some shapes stop to grow, because readers refuse larger ones
        number *= 2 if last.seconds * 8 > seconds or last.size * 8 > LARGEST * seconds else 4
    return Growth(name, shape, tuple(cost(max(1, number // part)) for part in (8, 4, 2, 1)))


def _take(name: str) -> Callable[[bytes], str]:
    """Readers are chosen by the content of the file."""
    return _read if any(reader.name == name for reader in READERS) else ENTRY_POINTS[name].take


def _read(data: bytes) -> str:
    return read_profile(source_of("p", data)).facts.format


def _cost(take: Callable[[bytes], str], make: Shape, number: int, seconds: float) -> Cost:
    with tempfile.TemporaryFile() as file:

        def write() -> None:
            file.write(make(number))
            file.flush()

        code, _ = _apart(write)
        if code:
            raise SystemExit(f"cannot make the file of {number}: {code}")

        def measured() -> dict[str, Any]:
            data = os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0)
            limit = int(30 * seconds) + 10
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
            resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
            return _measured(take, data)

        code, result = _apart(measured)
        size = os.fstat(file.fileno()).st_size
    if code:
        return Cost(
            number, size, 1e3, ADDRESS_SPACE, f"ended by {signal.Signals(-code).name}" if code < 0 else "failed"
        )
    return Cost(number, size, **result)


def _measured(take: Callable[[bytes], str], data: bytes) -> dict[str, Any]:
    forget_peak()
    before, start = peak(), time.process_time()
    try:
        outcome = take(data)
    except ProfgateError as error:
        outcome = f"{type(error).__name__}: {error}"[:300]
    return {"seconds": time.process_time() - start, "memory": peak() - before, "outcome": outcome}


def _apart(task: Callable[[], Any]) -> tuple[int, Any]:
    """Run a task in a copy of this process. Return its exit code, negative for a signal, and its result."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(reading)
            with os.fdopen(writing, "w") as pipe:
                json.dump(task(), pipe)
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code, json.loads(text) if code == 0 else None


def table(rows: list[Growth]) -> Iterator[str]:
    """The costs as a table in Markdown: the growth is the mean factor at twice the size."""
    yield "| reader | shape | kB at 4x | ms of CPU at 1x, 2x, 4x | growth | MB at 1x, 2x, 4x | growth | outcome |"
    yield "|---|---|---:|---:|---:|---:|---:|---|"
    for row in rows:
        costs, last = row.costs[1:], row.costs[-1]
        times = ", ".join(f"{1000 * cost.seconds:.0f}" for cost in costs)
        memory = ", ".join(f"{cost.memory / 1e6:.0f}" for cost in costs)
        outcome = last.outcome.partition(":")[0]
        yield (
            f"| {row.name} | {row.shape} | {last.size / 1e3:,.0f} | {times} | {row.time:.1f}"
            f" | {memory} | {row.memory:.1f} | {outcome} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="of an entry point, or NAME/SHAPE; all by default")
    parser.add_argument(
        "--seconds", type=float, default=1.0, help="of processor time for the largest file (%(default)s)"
    )
    parser.add_argument("--table", action="store_true", help="print a table in Markdown")
    given = parser.parse_args()
    rows = []
    for name in GROWING:
        _take(name)(ENTRY_POINTS[name].seeds()[0])  # loads modules
    for name, shapes in GROWING.items():
        for shape in shapes:
            if given.names and not {name, f"{name}/{shape}"} & set(given.names):
                continue
            row = growth_of(name, shape, given.seconds)
            rows.append(row)
            if not given.table:
                sys.stdout.write(json.dumps(asdict(row)) + "\n")
                sys.stdout.flush()
    if given.table:
        sys.stdout.write("\n".join([*table(rows), ""]))


if __name__ == "__main__":
    main()
