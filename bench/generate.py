"""Writes deterministic pairs of profiles: folded stacks in and out of order, and pprof."""

import gzip
import mmap
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from bench.files import RECIPES, Recipe, pair_paths

BATCH = 1 << 16
BUNDLE = 30  # stacks that share one trunk and differ in their last frames
ZIPF = 0.7
DEEPEST = 80

Join = Callable[[bytes, int], bytes]


@dataclass(frozen=True, slots=True)
class Planted:
    """Functions by number whose own weight differs on purpose between the sides."""

    slower: frozenset[int]
    faster: frozenset[int]


class Draws:
    """Endless seeded draws, made in batches because a single draw from numpy is slow."""

    def __init__(self, seed: int, functions: int) -> None:
        self._random = np.random.default_rng(seed)
        popularity = 1.0 / np.arange(1, functions + 1) ** ZIPF
        self._until = np.cumsum(popularity) / popularity.sum()
        # Popular functions lie anywhere in the order of names.
        self._of_rank = np.argsort(self._random.random(functions))
        self.uniform = self._uniforms()
        self.function = self._functions()

    def _uniforms(self) -> Iterator[float]:
        while True:
            yield from self._random.random(BATCH).tolist()

    def _functions(self) -> Iterator[int]:
        while True:
            rank = np.searchsorted(self._until, self._random.random(BATCH)).clip(max=len(self._until) - 1)
            yield from self._of_rank[rank].tolist()

    def by_popularity(self, first: int, last: int) -> frozenset[int]:
        """Functions from one rank of popularity up to another."""
        return frozenset(self._of_rank[first:last].tolist())


_SPACES = ("std", "boost", "arrow", "storage", "network", "scheduler", "rocksdb", "grpc_core", "absl", "telemetry")
_THINGS = ("Buffer", "Session", "Index", "Planner", "Request", "Column", "Snapshot", "Channel", "Cache", "Table")
_ROLES = ("Manager", "Builder", "Iterator", "Handler", "Pool", "Encoder", "Visitor", "Factory", "Reader", "Queue")
_VERBS = ("process", "merge", "resolve", "flush", "lookup", "append", "validate", "compute", "acquire", "serialize")
_TYPES = ("unsigned long", "std::string const&", "Status*", "arrow::Type", "int&&", "bool")


def function_names(functions: int, seed: int) -> list[bytes]:
    """Long names as C++, Java and Python programs have them, in byte order, none a prefix of another."""
    random = np.random.default_rng([seed, functions])
    picks = random.integers(0, 10, size=(functions * 2, 6)).tolist()
    names = sorted({_name(number, pick).encode() for number, pick in enumerate(picks)})
    # Without prefixes, the order of stacks by function number is their order by bytes.
    apart = [name for name, after in zip(names, [*names[1:], b""], strict=True) if not after.startswith(name)]
    kept = np.sort(np.argsort(random.random(len(apart)))[:functions])
    return [apart[place] for place in kept.tolist()]


def _name(number: int, pick: list[int]) -> str:
    space, thing, role, verb = _SPACES[pick[0]], _THINGS[pick[1]], _ROLES[pick[2]], _VERBS[pick[3]]
    if number % 5 < 2:
        return f"{space}::{thing}{role}{number}::{verb}({_TYPES[pick[4] % 6]})"
    if number % 5 < 4:
        return f"com.{space}.{thing.lower()}.{thing}{role}{number}.{verb}"
    return f"{verb}_{thing.lower()}_{number} (/app/{space}.py:{17 + number % 900})"


def functions_for(stacks: int) -> int:
    """How many functions a program of this many stacks has: a hundred times the stacks, ten times the functions."""
    return max(40, int(50 * stacks**0.5))


def walk(stacks: int, draws: Draws, planted: Planted, join: Join) -> Iterator[tuple[bytes, int, int]]:
    """Distinct stacks in order: the joined path and its weight on both sides, 0 where a side lacks it."""
    todo = [(b"", 0, stacks)]
    while todo:
        path, depth, budget = todo.pop()
        if budget <= BUNDLE:
            yield from _bundle(path, depth, budget, draws, planted, join)
            continue
        for _ in range(1 + int(4 * next(draws.uniform))):
            path, depth = join(path, next(draws.function)), depth + 1
        children = sorted({next(draws.function) for _ in range(2 + int(7 * next(draws.uniform)))})
        shares = _shares(budget, len(children), draws)
        for child, share in zip(reversed(children), shares, strict=True):
            if share:
                todo.append((join(path, child), depth + 1, share))


def _shares(budget: int, parts: int, draws: Draws) -> list[int]:
    """A budget cut into random parts."""
    cuts = sorted(int(budget * next(draws.uniform)) for _ in range(parts - 1))
    return [stop - start for start, stop in zip([0, *cuts], [*cuts, budget], strict=True)]


def _bundle(
    path: bytes, depth: int, budget: int, draws: Draws, planted: Planted, join: Join
) -> Iterator[tuple[bytes, int, int]]:
    """A trunk down to a random depth, and below it as many stacks as the budget allows."""
    uniform, function = draws.uniform, draws.function
    goal = 8 + 25 * (next(uniform) + next(uniform))
    if next(uniform) < 0.02:
        goal = DEEPEST
    while depth < goal:
        path, depth = join(path, next(function)), depth + 1
    leaves: set[int] = set()
    while len(leaves) < budget:
        leaves.add(next(function))
    for leaf in sorted(leaves):
        stack, last = join(path, leaf), leaf
        for _ in range(int(2.6 * next(uniform))):
            last = next(function)
            stack = join(stack, last)
        yield stack, *_weights(last, draws, planted)


def _weights(leaf: int, draws: Draws, planted: Planted) -> tuple[int, int]:
    """Weights of a stack on both sides: heavy-tailed, a little noise, the planted changes."""
    base = 1 + int(0.3 / (next(draws.uniform) + 0.003))
    chance = next(draws.uniform)
    if chance < 0.015:
        return base, 0
    if chance < 0.03:
        return 0, base
    target = base + (chance > 0.9) - (chance > 0.95 and base > 1)
    if leaf in planted.slower:
        target = target * 2 + 1
    elif leaf in planted.faster:
        target = (target + 1) // 2
    return base, target


def varint(number: int) -> bytes:
    """The number in the protobuf wire format: seven bits a byte, the lowest first."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number: int, content: int | bytes) -> bytes:
    """One protobuf field: an integer, or bytes with their length."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    return varint(number << 3 | 2) + varint(len(content)) + content


def _write_folded(files: list[BinaryIO], recipe: Recipe, draws: Draws, planted: Planted, names: list[bytes]) -> None:
    rows = [name + b";" for name in names]
    for path, *weights in walk(recipe.stacks, draws, planted, lambda path, number: path + rows[number]):
        for file, weight in zip(files, weights, strict=True):
            if weight:
                file.write(b"%s %d\n" % (path[:-1], weight))


def _pprof_head(names: list[bytes]) -> Iterator[bytes]:
    """Everything of a pprof profile but its samples: location and function n stand for name n - 1."""
    strings = [b"", b"samples", b"count", b"cpu", b"nanoseconds", *names]
    yield field(1, field(1, 1) + field(2, 2))
    for number in range(1, len(names) + 1):
        yield field(4, field(1, number) + field(4, field(1, number)))
        yield field(5, field(1, number) + field(2, number + 4) + field(3, number + 4))
    for text in strings:
        yield field(6, text)
    yield field(11, field(1, 3) + field(2, 4)) + field(12, 10_000_000)


def _write_pprof(files: list[BinaryIO], recipe: Recipe, draws: Draws, planted: Planted, names: list[bytes]) -> None:
    locations = [varint(number + 1) for number in range(len(names))]
    with ExitStack() as stack:
        zipped = [stack.enter_context(gzip.GzipFile("", "wb", 6, file, mtime=0)) for file in files]
        for part in _pprof_head(names):
            for out in zipped:
                out.write(part)
        # The leaf comes first in pprof, so a path grows at its front.
        for path, *weights in walk(recipe.stacks, draws, planted, lambda path, number: locations[number] + path):
            place = field(1, path)
            for out, weight in zip(zipped, weights, strict=True):
                if weight:
                    out.write(field(2, place + field(2, varint(weight))))


def _shuffle(source: Path, out: BinaryIO, seed: int) -> None:
    """The lines of a file in random order, never all of them in memory."""
    with source.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        starts = [0]
        while (end := data.find(b"\n", starts[-1])) >= 0:
            starts.append(end + 1)
        out.writelines(
            data[starts[line] : starts[line + 1]]
            for line in np.argsort(np.random.default_rng(seed).random(len(starts) - 1)).tolist()
        )


def write_pair(recipe: Recipe, root: Path) -> None:
    """Writes both files of a recipe below ``root``; a shuffled pair is made of the ordered one, already there."""
    paths = pair_paths(recipe, root)
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("wb", 1 << 20)) for path in paths]
        if recipe.ordered is not None:
            for seed, source in enumerate(pair_paths(RECIPES[recipe.ordered], root)):
                _shuffle(source, files[seed], seed)
            return
        functions = functions_for(recipe.stacks)
        draws = Draws(recipe.seed, functions)
        planted = Planted(draws.by_popularity(20, 24), draws.by_popularity(30, 34))
        write = _write_pprof if recipe.form == "pprof" else _write_folded
        write(files, recipe, draws, planted, function_names(functions, recipe.seed))


if __name__ == "__main__":
    write_pair(RECIPES[sys.argv[1]], Path(sys.argv[2]))
