"""The compiled loops under AddressSanitizer and UBSan: no hostile input leads them outside of their memory."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
SOURCE = TESTS.parent / "native" / "kernels.c"
TABLE = "malloc((size_t)room * sizeof *table"
STARTS = 5  # on kernels that lay memory out very randomly AddressSanitizer itself dies now and then
INPUTS = 150  # of each format
OPTIONS = ("-O1", "-std=c11", "-fPIC", "-shared", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
SCRIPT = """
import sys
from pathlib import Path
from random import Random

from fuzz.mutation import mutated
from fuzz.reader_entry_points import READER_ENTRY_POINTS
from profgate.io.native import NativeKernels
from profgate.errors import ProfileError
from profgate.model.call_tree import merged_paths
from profgate.model.source import source_of
from profgate.readers.folded_scan import scan_file
from profgate.readers.pprof import PprofReader

COLUMNS = ("depth", "frame", "leaf", "values", "root_values")

def folded(data, kernels):
    return scan_file(source_of("p", data), kernels=kernels)

def pprof(data, kernels):
    profile = PprofReader(kernels).read(source_of("p", data))
    stacks = profile.stacks
    tree, rows = merged_paths(stacks.depth, stacks.frame, kernels)
    return profile.frames, [getattr(stacks, name).tolist() for name in COLUMNS], tree.end.tolist(), rows.tolist()

def said(read, *given):
    try:
        return read(*given)
    except ProfileError as error:
        return str(error)

kernels, random = NativeKernels(Path(sys.argv[1])), Random(1)
assert kernels.line_scan()
for entry_point in READER_ENTRY_POINTS:
    if (read := {"folded": folded, "pprof": pprof}.get(entry_point.name)) is None:
        continue
    seeds = entry_point.seeds()
    for _ in range(int(sys.argv[2])):
        data = mutated(random.choice(seeds), random, entry_point.codecs)
        assert said(read, data, kernels) == said(read, data, None), data
print("equal")
"""


@pytest.fixture
def compiler() -> list[str]:
    found = shlex.split(os.environ.get("CC", "cc"))
    if sys.platform != "linux" or shutil.which(found[0]) is None:
        pytest.skip(f"no C compiler {found[0]}")
    return found


def run_of(source: str, compiler: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """What a process says that reads hostile inputs by the loops, compiled with every check."""
    asked = [*compiler, "-print-file-name=libasan.so"]
    checks = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    if not Path(checks).is_absolute():
        pytest.skip(f"{compiler[0]} has no libasan.so")
    (folder / "kernels.c").write_text(source)
    subprocess.run([*compiler, *OPTIONS, "-o", folder / "kernels.so", folder / "kernels.c"], check=True)
    # without an allocator of its own Python lays every text between guarded bytes
    settings = {"LD_PRELOAD": checks, "ASAN_OPTIONS": "detect_leaks=0", "PYTHONMALLOC": "malloc"}
    command = [sys.executable, "-c", SCRIPT, str(folder / "kernels.so"), str(INPUTS)]
    for _ in range(STARTS):
        env = {**os.environ, **settings}
        done = subprocess.run(command, cwd=TESTS, env=env, capture_output=True, text=True, check=False)
        if "DEADLYSIGNAL" not in done.stderr or "kernels.so" in done.stderr:
            break
    return done


@pytest.mark.slow
def test_no_hostile_input_leads_outside_of_the_memory(compiler: list[str], tmp_path: Path) -> None:
    done = run_of(SOURCE.read_text(), compiler, tmp_path)
    assert (done.stdout, done.returncode) == ("equal\n", 0), done.stderr[-4000:]


@pytest.mark.slow
def test_a_planted_mistake_is_seen(compiler: list[str], tmp_path: Path) -> None:
    source = SOURCE.read_text()
    assert TABLE in source
    done = run_of(source.replace(TABLE, f"{TABLE} - 1"), compiler, tmp_path)
    assert done.returncode != 0
    assert "AddressSanitizer: heap-buffer-overflow" in done.stderr
