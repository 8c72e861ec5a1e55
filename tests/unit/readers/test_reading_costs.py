"""Reading takes time and memory in proportion to the file, whatever the file contains."""

import time
import tracemalloc
from collections.abc import Callable

import pytest

from fuzz.entry_points import ENTRY_POINTS
from growing_files import GROWING, Shape
from profgate.attribution.repository_paths import RepositoryPaths
from profgate.attribution.source_states import Sides, source_states
from profgate.attribution.unified_diff import parse_diff
from profgate.compare.metrics import named_by_sources
from profgate.errors import ProfgateError
from profgate.model.profile import ClaimedSource, FrameList
from profgate.model.record import replace
from profgate.model.source import source_of
from profgate.pipeline import PipelineInput, overlays
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


def repository_namesakes(size: int) -> Callable[[], object]:
    known = RepositoryPaths([f"pkg{number}/__init__.py" for number in range(size)], all_known=True)
    return lambda: [known.find(f"/srv/app{number}/lib/__init__.py") for number in range(size)]


def checkout_folders(size: int) -> Callable[[], object]:
    frames = [
        frame for number in range(size) for frame in (f"f (/srv{number}/shop/cart.py:1)", f"g (/a{number}/b.py:1)")
    ]
    diff = parse_diff("--- a/shop/cart.py\n+++ b/shop/cart.py\n@@ -1 +1 @@\n-a\n+b\n", "x.diff")
    text = "".join(f"main;{frame} 5\n" for frame in frames).encode()
    files = frozenset({"shop/cart.py", "main.py"})
    given = PipelineInput((source_of("a", text),), (source_of("a", text),), pages=0)
    (compared,) = overlays(given)
    return lambda: source_states(Sides(compared, replace(diff, repository_files=files)))


def scripts_with_sources(size: int) -> Callable[[], object]:
    sources = {number: ClaimedSource("f", "src/a.ts", 1, f"lib{number}/index.js") for number in range(size)}
    names = ["f"] * size
    files: list[str | None] = [f"/app{number}/index.js" for number in range(size)]
    frames = FrameList(names, files, [None] * size, [None] * size, sources=sources)
    profile = replace(read_profile(source_of("a", b"main 1\n")), frames=frames)
    return lambda: named_by_sources([profile])


@pytest.mark.parametrize("make", [repository_namesakes, checkout_folders, scripts_with_sources])
def test_files_of_one_name_take_linear_time(make: Callable[[int], Callable[[], object]]) -> None:
    def seconds(size: int) -> float:
        task, start = make(size), time.process_time()
        task()
        return max(time.process_time() - start, FIXED_SECONDS)

    seconds(8)  # loads modules
    # another process may have disturbed a measurement
    assert any((seconds(4000) / seconds(1000)) ** 0.5 <= LIMIT for _ in range(3))
