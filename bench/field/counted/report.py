"""A Python program without native parts of its own. The two constants are the work of `rank` and of `check`."""

import re

RANK = 1000
CHECK = 1000
LINES = 2000


def rank(text: str) -> int:
    """Return a number that depends on the text."""
    found = len(text)
    for at in range(RANK // 50):
        found = (found * 31 + at) % 9973
    return found


def check(number: int) -> int:
    """Return a check digit."""
    found = 0
    for at in range(CHECK // 50):
        found ^= number >> (at & 7)
    return found % 10


text = "\n".join(f"2026-03-{number % 28 + 1:02} GET /page/{number % 40} {200 + number % 3}" for number in range(LINES))
sums: dict[str, int] = {}
for day, page, status in re.findall(r"(\S+) GET (\S+) (\d+)", text):
    sums[page] = sums.get(page, 0) + check(rank(day) + int(status))
    sums[day] = sums.get(day, 0) + 1
print("\n".join(f"{name} {sums[name]}" for name in sorted(sums)).count("\n"))
