"""What a profile's stacks say, as a person would write them down."""

from profgate.model.profile import Profile


def rows(profile: Profile) -> list[tuple[str, list[int]]]:
    """Paths of function names with the value of each metric, in the order of the profile."""
    stacks = profile.stacks
    assert stacks is not None
    path: list[str] = []
    found: list[tuple[str, list[int]]] = []
    columns = stacks.values.T.tolist()
    for depth, frame, leaf in zip(stacks.depth, stacks.frame, stacks.leaf, strict=True):
        path[int(depth) :] = [profile.frames.names[int(frame)]]
        if leaf:
            found.append((";".join(path), columns[len(found)]))
    assert len(found) == stacks.values.shape[1]
    return found
