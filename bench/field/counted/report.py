"""A Python program without native parts of its own."""

import re

LINES = 2000

text = "\n".join(f"2026-03-{number % 28 + 1:02} GET /page/{number % 40} {200 + number % 3}" for number in range(LINES))
sums: dict[str, int] = {}
for day, page, status in re.findall(r"(\S+) GET (\S+) (\d+)", text):
    sums[page] = sums.get(page, 0) + int(status)
    sums[day] = sums.get(day, 0) + 1
print("\n".join(f"{name} {sums[name]}" for name in sorted(sums)).count("\n"))
