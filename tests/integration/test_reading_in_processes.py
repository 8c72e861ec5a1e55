"""Reading in processes gives what reading here gives, in the same order, errors included."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from profgate import loading
from profgate.errors import ProfileError
from profgate.io.files import sources_under
from profgate.model.profile import Profile

SHOP = Path(__file__).parents[2] / "examples" / "shop" / "profiles" / "baseline"


def seen(result: Profile | ProfileError) -> object:
    if isinstance(result, ProfileError):
        return (result.where, result.what, str(result))
    return (result.name, result.frames.names, None if result.stacks is None else result.stacks.values.tolist())


def test_processes_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken.bin").write_bytes(b"\x00\x01\x02\x03")
    sources = [*sources_under(str(SHOP / "pyspy")), *sources_under(str(tmp_path)), *sources_under(str(SHOP / "pyspy"))]
    here = loading.read_sources(sources)
    monkeypatch.setattr(loading, "LARGE", 0)
    there = loading.read_sources(sources)
    assert [seen(one) for one in there] == [seen(one) for one in here]
    assert [type(one) for one in here].count(ProfileError) == 0
    assert sum(isinstance(one, ProfileError) for one in here) == 1


FORKED = """
import os, pickle, sys
from profgate import loading
from profgate.io.files import sources_under
from profgate.io import workers

forks = []
fork, workers.processors, loading.processors = os.fork, lambda: 3, lambda: 3
loading.LARGE = 0
os.fork = lambda: forks.append(1) or fork()
found = loading.read_sources([source for place in sys.argv[1:] for source in sources_under(place)])
sys.stdout.buffer.write(pickle.dumps((len(forks), found)))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")
def test_forked_processes_change_nothing(tmp_path: Path) -> None:
    (tmp_path / "broken.folded").write_text("".join(f"a;f{i} 1\n" for i in range(99)) + "a;b -1\n", encoding="utf-8")
    (tmp_path / "bad-line.folded").write_text("".join(f"a;f{i} 1\n" for i in range(99)) + "no\n", encoding="utf-8")
    places = [str(SHOP / "pyspy"), str(tmp_path)]
    here = loading.read_sources([source for place in places for source in sources_under(place)])
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    forked = subprocess.run([sys.executable, "-c", FORKED, *places], capture_output=True, check=True, env=environment)
    forks, there = pickle.loads(forked.stdout)  # noqa: S301 - our own bytes
    assert forks == 2
    assert [seen(one) for one in there] == [seen(one) for one in here]
    assert [one.warnings for one in there if isinstance(one, Profile)] == [
        one.warnings for one in here if isinstance(one, Profile)
    ]
    assert [str(one) for one in there if isinstance(one, ProfileError)] == [
        (
            "broken.folded:100: looks like folded (20 of its first 20 lines read 'frame;frame number'), but: "
            "a negative value, as in a difference; use the two profiles instead"
        )
    ]
    assert any("line 100: expected" in warning for one in there for warning in getattr(one, "warnings", ()))


def test_an_error_travels_between_processes_whole() -> None:
    error = pickle.loads(pickle.dumps(ProfileError("a.folded:3", "expected a number")))  # noqa: S301 - our own bytes
    assert (type(error), error.where, error.what) == (ProfileError, "a.folded:3", "expected a number")
