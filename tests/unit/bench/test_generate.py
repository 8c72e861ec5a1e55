"""The generator gives the same profiles each time, in the shape that was asked for."""

from pathlib import Path

import pytest
from bench import files
from bench.files import RECIPES, Recipe, make_pair, pair_paths
from bench.generate import Draws, Planted, walk, write_pair

from profgate import api

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


def test_planted_functions_change_and_others_do_not() -> None:
    slower = frozenset(range(250))
    plain, changed = text_stacks(1500), text_stacks(1500, Planted(slower, frozenset()))
    for (path, base, target), (_, same_base, slow) in zip(plain, changed, strict=True):
        assert base == same_base
        if base and target:
            last = int(path[:-1].rpartition(b";")[2])
            assert slow == (target * 2 + 1 if last in slower else target)


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


@pytest.mark.parametrize(
    "recipe", [Recipe("some", 300), Recipe("some", 300, "pprof"), Recipe("mixed", 300, ordered="200")]
)
def test_profgate_reads_generated_files(recipe: Recipe, tmp_path: Path) -> None:
    written(RECIPES["200"], tmp_path)
    written(recipe, tmp_path)
    for path in pair_paths(recipe, tmp_path):
        (profile,) = api.read(str(path))
        assert profile.stacks is not None
