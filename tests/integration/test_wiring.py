"""Reading in processes gives what reading here gives, in the same order, errors included."""

import pickle
from pathlib import Path

import pytest

from profgate import wiring
from profgate.adapters.files import sources_under
from profgate.errors import ProfileError
from profgate.model.profile import Profile

SHOP = Path(__file__).parents[2] / "examples" / "shop" / "profiles" / "baseline"


def seen(result: Profile | ProfileError) -> object:
    if isinstance(result, ProfileError):
        return (result.where, result.what, str(result))
    return (result.name, result.frames.names, None if result.stacks is None else result.stacks.values.tolist())


def test_processes_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken.bin").write_bytes(b"\x00\x01\x02\x03")
    sources = [*sources_under(str(SHOP / "pyspy")), *sources_under(str(tmp_path)), *sources_under(str(SHOP / "pyspy"))]
    here = wiring.read_all(sources)
    monkeypatch.setattr(wiring, "LARGE", 0)
    told: list[int] = []
    there = wiring.read_all(sources, progress=told.append)
    assert [seen(one) for one in there] == [seen(one) for one in here]
    assert [type(one) for one in here].count(ProfileError) == 0
    assert sum(isinstance(one, ProfileError) for one in here) == 1
    assert told == [source.size for source in sources]


def test_an_error_travels_between_processes_whole() -> None:
    error = pickle.loads(pickle.dumps(ProfileError("a.folded:3", "expected a number")))  # noqa: S301 - our own bytes
    assert (type(error), error.where, error.what) == (ProfileError, "a.folded:3", "expected a number")
