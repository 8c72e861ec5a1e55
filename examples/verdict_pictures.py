"""Draw the pictures of docs/explanation/verdict.md: python examples/verdict_pictures.py."""

from collections.abc import Callable, Iterable
from itertools import combinations
from pathlib import Path
from statistics import fmean

from profgate.model.levels import job_margin

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
WIDTH, HEIGHT, LEFT, RIGHT, FLOOR = 720, 220, 40, 690, 170
GREY, BLUE, RED, TEXT = "#8c959f", "#0969da", "#cf222e", "#1f2328"
# Seconds of a function in five runs of each side, and changes between base jobs, as in docs/explanation/verdict.md.
BASELINE = (1.02, 0.97, 1.05, 0.99, 1.01)
TARGET = (1.14, 1.19, 1.11, 1.22, 1.16)
BASE_JOBS = (-0.06, 0.04, -0.02, 0.09, 0.01, -0.08, 0.06, 0.03)
CHANGE = 0.31


def differences() -> list[float]:
    """The difference of the means for each way to form two groups of five runs; the first is the observed one."""
    runs = BASELINE + TARGET
    ways = sorted(combinations(range(10), 5), reverse=True)
    return [fmean(runs[i] for i in way) - fmean(runs[i] for i in range(10) if i not in way) for way in ways]


def permutation() -> str:
    """Each regrouping as a square, in columns by its difference."""
    found = differences()
    place = _axis(-0.2, 0.2)
    columns: dict[int, int] = {}
    parts = []
    for difference in found:
        column = round(place(difference) / 9)
        height = columns[column] = columns.get(column, 0) + 1
        colour = RED if difference == max(found) else GREY
        parts.append(f'<rect x="{9 * column - 4}" y="{FLOOR - 7 * height}" width="8" height="6" fill="{colour}"/>')
    ticks = [(value, f"{value:+.1f} s" if value else "0") for value in (-0.2, -0.1, 0.0, 0.1, 0.2)]
    note = _text(place(max(found)), FLOOR - 22, "observed", RED)
    heading = f"Difference of the means in all {len(found)} ways to form two groups of five runs"
    return _picture(heading, [*parts, note, *_ticks(place, ticks)])


def base_jobs() -> str:
    """Changes of base jobs, their bound with the margin, and the change of a pull request."""
    place = _axis(-0.2, 0.4)
    bound = max(abs(change) for change in BASE_JOBS)
    limit = bound * job_margin(len(BASE_JOBS))
    parts = [f'<circle cx="{place(change):.1f}" cy="110" r="6" fill="{BLUE}"/>' for change in BASE_JOBS]
    parts.append(f'<circle cx="{place(CHANGE):.1f}" cy="110" r="7" fill="{RED}"/>')
    for value, label, at in ((bound, "largest base job", 58), (limit, "with margin", 76)):
        x = place(value)
        parts.append(f'<path d="M{x:.1f} {at + 6}V{FLOOR}" stroke="{TEXT}" stroke-dasharray="4 3"/>')
        parts.append(_text(x, at, label, TEXT))
    parts += [_text(place(0.0), 92, "base jobs", BLUE), _text(place(CHANGE), 92, "pull request", RED)]
    ticks = [(value, f"{100 * value:+.0f} %" if value else "0") for value in (-0.2, -0.1, 0.0, 0.1, 0.2, 0.3, 0.4)]
    return _picture("Change of a function compared with the other base jobs", [*parts, *_ticks(place, ticks)])


def _axis(low: float, high: float) -> Callable[[float], float]:
    return lambda value: LEFT + (value - low) / (high - low) * (RIGHT - LEFT)


def _ticks(place: Callable[[float], float], ticks: Iterable[tuple[float, str]]) -> list[str]:
    line = f'<path d="M{LEFT} {FLOOR + 4}H{RIGHT}" stroke="{TEXT}"/>'
    return [line, *(_text(place(value), FLOOR + 22, label, TEXT) for value, label in ticks)]


def _text(x: float, y: float, text: str, colour: str) -> str:
    return f'<text x="{x:.1f}" y="{y}" text-anchor="middle" fill="{colour}">{text}</text>'


def _picture(heading: str, parts: Iterable[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'font-family="sans-serif" font-size="14" aria-label="{heading}">\n'
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="#fff"/>\n'
        f'<text x="{LEFT}" y="28" fill="{TEXT}" font-weight="bold">{heading}</text>\n' + "\n".join(parts) + "\n</svg>\n"
    )


PICTURES = {"permutation.svg": permutation, "base-jobs.svg": base_jobs}

if __name__ == "__main__":
    for name, draw in PICTURES.items():
        (IMAGES / name).write_text(draw(), encoding="utf-8")
