"""Reading takes time and memory in proportion to the file, whatever the file contains."""

import time
import tracemalloc
from collections.abc import Callable

import pytest

from fuzz.entry_points import ENTRY_POINTS
from growing_files import GROWING, Shape
from profgate.errors import ProfgateError
from profgate.model.source import source_of
from profgate.readers.benchmarks import FORMATS
from profgate.readers.registry import READERS, read_profile

SHAPES = [(name, shape) for name, shapes in GROWING.items() for shape in shapes]
SECONDS = 0.02  # processor time for the largest file
LARGEST = 1 << 20  # bytes
FIXED_SECONDS, FIXED_MEMORY = 5e-4, 1 << 20  # less is not measured exactly
LIMIT = 3.0  # mean factor at twice the size; 2 is linear, 4 is quadratic


def read(data: bytes) -> str:
    """Choose the reader by the content of the file."""
    return read_profile(source_of("p", data)).facts.format


def attempted(take: Callable[[bytes], str], data: bytes) -> str:
    try:
        return take(data)
    except ProfgateError:
        return "refused"


def seconds_of(take: Callable[[bytes], str], data: bytes) -> float:
    start = time.process_time()
    attempted(take, data)
    return max(time.process_time() - start, FIXED_SECONDS)


def memory_of(take: Callable[[bytes], str], data: bytes) -> int:
    """Return the largest memory that was allocated at one time."""
    tracemalloc.start()
    attempted(take, data)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return max(most, FIXED_MEMORY)


def growth_of(take: Callable[[bytes], str], make: Shape) -> float:
    """Return the mean factor of the time or memory at twice the size, from an eighth of the largest file on."""
    number, size, data = 1 << 9, 0, make(1 << 9)
    while seconds_of(take, data) < SECONDS and size < len(data) < LARGEST:
        size = len(data)  # some shapes stop to grow, because readers refuse larger ones
        number *= 2
        data = make(number)
    small = make(number // 8)
    seconds = seconds_of(take, data) / seconds_of(take, small)
    memory = memory_of(take, data) / memory_of(take, small)
    return float(max(seconds, memory) ** (1 / 3))


def test_every_reader_has_growing_files() -> None:
    # benchmark results are added up by common code
    assert GROWING.keys() >= {reader.name for reader in READERS} - {result.name for result in FORMATS}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "shape"), SHAPES)
def test_reading_takes_linear_time_and_memory(name: str, shape: str) -> None:
    take = read if any(reader.name == name for reader in READERS) else ENTRY_POINTS[name].take
    make = GROWING[name][shape]
    attempted(take, make(8))  # loads modules
    # another process may have disturbed a measurement
    assert any(growth_of(take, make) <= LIMIT for _ in range(3))
