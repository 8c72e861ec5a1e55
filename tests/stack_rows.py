"""What a profile's stacks say, as a person would write them down."""

from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

from profgate.model.profile import Profile, Stacks

Frame = TypeVar("Frame")


def paths_of(stacks: Stacks | None, frames: Sequence[Frame]) -> list[tuple[tuple[Frame, ...], list[int]]]:
    """Paths with the value of each metric, in the order of the profile; ``frames`` says what each number stands for."""
    assert stacks is not None
    path: list[Frame] = []
    found: list[tuple[tuple[Frame, ...], list[int]]] = []
    columns = stacks.values.T.tolist()
    for depth, frame, leaf in zip(stacks.depth.tolist(), stacks.frame.tolist(), stacks.leaf.tolist(), strict=True):
        assert depth <= len(path)
        path[depth:] = [frames[frame]]
        if leaf:
            found.append((tuple(path), columns[len(found)]))
    assert len(found) == stacks.values.shape[1]
    return found


def rows(profile: Profile) -> list[tuple[str, list[int]]]:
    """Paths of function names with the value of each metric, in the order of the profile."""
    return [(";".join(path), values) for path, values in paths_of(profile.stacks, profile.frames.names)]


def own_values(profile: Profile) -> dict[str, int]:
    """The value of the first metric in each function without its callees."""
    found = Counter[str]()
    for path, values in rows(profile):
        found[path.rpartition(";")[2]] += values[0]
    return dict(found)
