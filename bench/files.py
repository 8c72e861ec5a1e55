"""The pairs of files that are measured: made once by a generator process, and stored by the hash of their content."""

import hashlib
import json
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

SIDES = ("base", "target")
MANIFEST = "pair.json"
ROOT = Path(__file__).resolve().parent.parent

Form = Literal["folded", "pprof"]


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a pair of files is made of; ``ordered`` names the recipe whose lines are shuffled, if any."""

    name: str
    stacks: int
    form: Form = "folded"
    ordered: str | None = None
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Pair:
    """The two files of a recipe."""

    base: Path
    target: Path


RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe("200", 200),
        Recipe("10k", 10_000),
        Recipe("100k", 100_000),
        Recipe("100k-shuffled", 100_000, ordered="100k"),
        Recipe("1m", 1_000_000),
        Recipe("1m-shuffled", 1_000_000, ordered="1m"),
        Recipe("pprof-200k", 200_000, "pprof"),
    )
}


def pair_paths(recipe: Recipe, root: Path) -> list[Path]:
    """Paths of the two files of a recipe."""
    suffix = "pb.gz" if recipe.form == "pprof" else "folded"
    return [root / recipe.name / f"{side}.{suffix}" for side in SIDES]


def make_pair(recipe: Recipe, root: Path) -> Pair:
    """The two files of a recipe below ``root``, written unless they are there with the right content."""
    paths, manifest = pair_paths(recipe, root), root / recipe.name / MANIFEST
    if not _is_current(manifest, recipe, paths):
        if recipe.ordered is not None:
            make_pair(RECIPES[recipe.ordered], root)
        manifest.parent.mkdir(parents=True, exist_ok=True)
        manifest.unlink(missing_ok=True)
        # A process of its own: what the measuring process once held would count as memory of all it starts.
        command = [sys.executable, "-m", "bench.generate", recipe.name, str(root.resolve())]
        subprocess.run(command, cwd=ROOT, check=True)
        made = {"recipe": _key(recipe), "sha256": [_digest(path) for path in paths], "made_of": asdict(recipe)}
        manifest.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    return Pair(*paths)


def _is_current(manifest: Path, recipe: Recipe, paths: list[Path]) -> bool:
    """Whether the files are there with the content that was written."""
    try:
        made = json.loads(manifest.read_bytes())
        return bool(made["recipe"] == _key(recipe) and made["sha256"] == [_digest(path) for path in paths])
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _key(recipe: Recipe) -> str:
    """Changes with the recipe and with the generator, so that old files are not used again."""
    text = json.dumps(asdict(recipe), sort_keys=True).encode()
    return hashlib.sha256((ROOT / "bench" / "generate.py").read_bytes() + text).hexdigest()
