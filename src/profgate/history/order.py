"""In which order versions are measured, and how long the rest takes."""

from collections.abc import Collection, Iterable, Sequence
from statistics import median


def coarse_to_fine(count: int) -> list[int]:
    """All numbers below ``count``: the ends first, then the middles of what lies between, ever finer.

    Whoever stops early has seen the whole range.
    """
    if count < 1:
        return []
    order, gaps = list(dict.fromkeys([count - 1, 0])), [(0, count - 1)]
    while gaps:
        finer = []
        for first, last in gaps:
            if last - first > 1:
                middle = (first + last) // 2
                order.append(middle)
                finer += [(first, middle), (middle, last)]
        gaps = finer
    return order


def next_to_refine(count: int, tried: Collection[int], jumps: Iterable[tuple[int, int]]) -> int | None:
    """The version whose measurement narrows a jump down: first both ends, then the middle of the first wide one.

    ``tried`` are versions that were measured or failed, ``jumps`` pairs of version numbers. None when every jump lies
    between neighbours, or between versions with nothing but failed ones among them.
    """
    for end in (count - 1, 0):
        if count and end not in tried:
            return end
    for baseline, target in jumps:
        inside = [number for number in range(baseline + 1, target) if number not in tried]
        if inside:
            return min(inside, key=lambda number: (abs(2 * number - baseline - target), number))
    return None


def remaining_seconds(done: Sequence[float], left: int) -> float | None:
    """How long ``left`` further versions take, from the seconds of those that are done; None before the first."""
    return median(done) * left if done else None


def duration_text(seconds: float) -> str:
    """Seconds for a person who waits: ``45 s``, ``12 min``, ``3 h 05 min``."""
    whole = round(seconds)
    if whole < 90:
        return f"{max(whole, 1)} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02d} min"
