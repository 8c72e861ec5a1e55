"""Graph of commits: ancestors, and nearest measured ancestors."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from profgate.model.history import StoredCommit


def ancestors(start: str, commits: Mapping[str, StoredCommit]) -> Iterator[tuple[str, int]]:
    """Yield the commit and its known ancestors, nearest first; a shallow clone contains only a part of the graph.

    Each has its distance, which is the smallest number of parent steps to the ancestor. The search is breadth-first.
    Commits at equal distance are sorted by time, newest first, then by hash.
    """
    seen, level, distance = {start}, [start], 0
    while level:
        for sha in level:
            yield sha, distance
        parents = dict.fromkeys(parent for sha in level if sha in commits for parent in commits[sha].parents)
        level = sorted((sha for sha in parents if sha not in seen), key=lambda sha: (-_time(sha, commits), sha))
        seen.update(level)
        distance += 1


def ancestry_of(sha: str, commits: Mapping[str, StoredCommit]) -> list[str]:
    """Return the known ancestors of a commit, nearest first, without the commit itself."""
    return [ancestor for ancestor, distance in ancestors(sha, commits) if distance]


def nearest(start: str, commits: Mapping[str, StoredCommit], measured: Collection[str]) -> tuple[str, int] | None:
    """Return the nearest measured ancestor of a commit and its distance, or None."""
    for sha, distance in ancestors(start, commits):
        if distance and sha in measured:
            return sha, distance
    return None


def in_order(commits: Mapping[str, StoredCommit], chosen: Iterable[str]) -> list[str]:
    """Return the chosen commits, ancestors first. Unrelated commits are sorted by time, then by hash."""
    nodes, done, order = set(chosen), set[str](), list[str]()
    for start in sorted(nodes, key=lambda sha: (_time(sha, commits), sha)):
        stack = [(start, False)]
        while stack:
            sha, expanded = stack.pop()
            if expanded:
                if sha in nodes:
                    order.append(sha)
            elif sha not in done:
                done.add(sha)
                stack.append((sha, True))
                parents = commits[sha].parents if sha in commits else ()
                stack += [(parent, False) for parent in reversed(parents)]
    return order


def first_line(newest: str, commits: Mapping[str, StoredCommit]) -> list[str]:
    """Return the first-parent history of a commit, oldest first."""
    line, seen = [newest], {newest}
    while line[-1] in commits and commits[line[-1]].parents and commits[line[-1]].parents[0] not in seen:
        line.append(commits[line[-1]].parents[0])
        seen.add(line[-1])
    return line[::-1]


def _time(sha: str, commits: Mapping[str, StoredCommit]) -> int:
    return commits[sha].time if sha in commits else 0
