"""The generator gives the same profiles each time, in the shape that was asked for."""

import gzip
from itertools import pairwise
from pathlib import Path

import pytest
from bench import files
from bench.files import RECIPES, Recipe, make_pair, pair_paths
from bench.generate import Draws, Planted, field, function_names, varint, walk, write_pair

NOTHING = Planted(frozenset(), frozenset())


def text_stacks(stacks: int, planted: Planted = NOTHING, seed: int = 1) -> list[tuple[bytes, int, int]]:
    return list(walk(stacks, Draws(seed, 500), planted, lambda path, number: path + b"%d;" % number))


def written(recipe: Recipe, root: Path) -> list[bytes]:
    (root / recipe.name).mkdir(parents=True, exist_ok=True)
    write_pair(recipe, root)
    return [path.read_bytes() for path in pair_paths(recipe, root)]


def test_equal_recipes_give_equal_bytes(tmp_path: Path) -> None:
    recipe = Recipe("some", 300)
    first, again = written(recipe, tmp_path / "a"), written(recipe, tmp_path / "b")
    assert first == again
    assert first[0] != first[1]
    assert written(Recipe("some", 300, seed=2), tmp_path / "c") != first


def test_stacks_are_distinct_and_as_many_as_asked_for() -> None:
    paths = [path for path, _, _ in text_stacks(2000)]
    assert len(set(paths)) == len(paths) == 2000


def test_folded_files_are_in_byte_order_with_positive_weights(tmp_path: Path) -> None:
    for content in written(Recipe("some", 500), tmp_path):
        lines = content.splitlines()
        assert lines == sorted(lines)
        assert all(int(line.rpartition(b" ")[2]) > 0 for line in lines)
        assert 450 < len(lines) <= 500


def test_names_are_sorted_and_none_begins_another() -> None:
    names = function_names(400, 1)
    assert len(names) == 400
    assert all(not after.startswith(name) and name < after for name, after in pairwise(names))


def test_planted_functions_change_and_others_do_not() -> None:
    slower = frozenset(range(250))
    plain, changed = text_stacks(1500), text_stacks(1500, Planted(slower, frozenset()))
    for (path, base, target), (_, same_base, slow) in zip(plain, changed, strict=True):
        assert base == same_base
        if base and target:
            last = int(path[:-1].rpartition(b";")[2])
            assert slow == (target * 2 + 1 if last in slower else target)


def test_some_stacks_are_on_one_side_alone() -> None:
    weights = [(base, target) for _, base, target in text_stacks(2000)]
    assert any(base == 0 for base, _ in weights)
    assert any(target == 0 for _, target in weights)


def test_shuffled_files_hold_the_same_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ordered = Recipe("in-order", 300)
    monkeypatch.setitem(RECIPES, "in-order", ordered)
    before = written(ordered, tmp_path)
    after = written(Recipe("mixed", 300, ordered="in-order"), tmp_path)
    for one, other in zip(before, after, strict=True):
        assert one != other
        assert sorted(one.splitlines()) == sorted(other.splitlines())


@pytest.mark.parametrize(("number", "wire"), [(0, b"\0"), (127, b"\x7f"), (128, b"\x80\x01"), (300, b"\xac\x02")])
def test_varints_follow_the_wire_format(number: int, wire: bytes) -> None:
    assert varint(number) == wire


def test_fields_carry_their_number_and_kind() -> None:
    assert field(1, 150) == b"\x08\x96\x01"
    assert field(2, b"testing") == b"\x12\x07testing"


def test_pprof_files_hold_as_many_samples_as_stacks(tmp_path: Path) -> None:
    recipe = Recipe("some", 300, "pprof")
    for content in written(recipe, tmp_path):
        tags = top_level_tags(gzip.decompress(content))
        assert 270 < tags.count(2) <= 300
        assert tags.count(4) == tags.count(5) > 0
        assert tags.count(6) == tags.count(5) + 5


def top_level_tags(data: bytes) -> list[int]:
    tags, place = [], 0

    def number() -> int:
        nonlocal place
        value = shift = 0
        while True:
            byte = data[place]
            place += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while place < len(data):
        tag = number()
        tags.append(tag >> 3)
        content = number()
        if tag & 7 == 2:
            place += content
    assert place == len(data)
    return tags


def test_files_are_reused_until_content_or_recipe_changes(tmp_path: Path) -> None:
    pair = make_pair(RECIPES["200"], tmp_path)
    content, made = pair.base.read_bytes(), pair.base.stat().st_mtime_ns
    assert make_pair(RECIPES["200"], tmp_path) == pair
    assert pair.base.stat().st_mtime_ns == made
    pair.base.write_bytes(content[:-1])
    assert make_pair(RECIPES["200"], tmp_path).base.read_bytes() == content
    assert not files._is_current(
        tmp_path / "200" / files.MANIFEST, Recipe("200", 200, seed=2), [pair.base, pair.target]
    )
