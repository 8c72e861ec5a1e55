"""The check of stable ranks, and its history, for a terminal, for a pull request and for programs."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

from profgate.model.change import Change
from profgate.model.durations import Direction, MovedTest, Order, RankCheck, RankPoint
from profgate.model.report import Report
from profgate.model.visible_text import name_text
from profgate.report import numbers
from profgate.report.markdown_text import code_cell, sentence
from profgate.report.numbers import UNKNOWN, counted
from profgate.report.text_table import aligned

SCHEMA = "profgate.ranks/1"
HISTORY_SCHEMA = "profgate.rank-history/1"
STRATEGY = "stable_ranks"
Tone = Literal["head", "bad", "warn", "good", "quiet", "text"]
Line = tuple[Tone, str]
MOVED_HEADINGS = ("rank", "duration", "against the rest")
SHOWN = 15  # tests that moved, unless verbose
FEW = 3
TITLES: dict[Order, tuple[Tone, str]] = {
    "kept": ("good", "STABLE"),
    "below": ("warn", "REVIEW"),
    "above": ("warn", "REVIEW"),
    "unknown": ("warn", "NOT TESTED"),
}
SIGNS = {"kept": "✅", "below": "🟡", "above": "🟡", "unknown": "⚪"}
HEADINGS = ("run", "tests", "stable", "expected", "")
MARKS = {"kept": "", "below": "◀ order changed", "above": "◀ steadier than before", "unknown": "not tested"}
LABEL = 60
APART = 1.25  # ratio of all tests together from which the blind spot of ranks is worth a sentence


def counts(check: RankCheck) -> str:
    """How many ranks are stable, and how many were expected; empty where nothing was counted or compared."""
    if check.count is None or check.identical:
        return ""
    shown = f"{_count(check.count)} of {counted(check.common, 'rank')} stable"
    if check.bounds is None or check.mean is None:
        return shown
    low, high = check.bounds
    most = min(high, check.common)
    return (
        f"{shown}; {_count(check.mean)} among {counted(check.baselines, 'baseline run')}, "
        f"expected {_count(max(0.0, low))} to {_count(most)} ({check.width:g} sigma, {check.sigma_rule})"
    )


def notes(check: RankCheck) -> Iterable[str]:
    """What a reader should know beside the count."""
    if check.order == "unknown" and check.chance is not None and check.common > 1:
        yield f"a random order has as many stable ranks with probability {numbers.probability(check.chance)}"
    if check.usual_distance is not None and check.moved and not check.identical:
        yield _against_usual(check, check.usual_distance)
    if check.order == "kept" and not check.identical:
        yield "the count does not see a test that passes few others, nor what slows all tests alike"
    if check.left_out:
        yield f"{counted(check.left_out, 'test')} left out: not in all runs, or below the shortest duration"
    if check.overall is not None and not 1 / APART < check.overall < APART:
        yield (
            f"the median test takes {numbers.ratio(1.0, check.overall)} the baseline's time; ranks do not see what "
            "changes all tests alike, and another machine does just that"
        )
    if check.ties > check.common / 2:
        yield f"the clock is coarse: up to {counted(check.ties, 'reading')} equal another in the same run"


def _against_usual(check: RankCheck, usual: int) -> str:
    """Whether a test moved as none did without a change; each run being the farthest with equal chance."""
    if not check.farther:
        return f"no test moved farther than among the baseline runs, where it is up to {counted(usual, 'rank')}"
    return (
        f"{counted(check.farther, 'test')} moved farther than any among the baseline runs, where it is up to "
        f"{counted(usual, 'rank')}: review {'it' if check.farther == 1 else 'them'}; by chance this happens in one "
        f"of {check.baselines + 1} checks"
    )


def rank_lines(check: RankCheck, *, verbose: bool = False, width: int = 80) -> tuple[Line, ...]:
    """Plain lines with their tone."""
    tone, title = TITLES[check.order]
    lines: list[Line] = [(tone, f"{title}  {check.said}")]
    if stable := counts(check):
        lines.append(("text", f"  {stable}"))
    lines += [("quiet", f"  {note}") for note in notes(check)]
    shown = _shown(check, verbose=verbose)
    if shown:
        rows = [(name_text(test.name, 200), *_cells(test, check.unit)) for test in shown]
        table = aligned([("test", *MOVED_HEADINGS), *rows], max(width, 60) - 2, right=range(1, 4))
        lines += [("text", ""), ("head", "  moved most"), *(("text", f"  {line}") for line in table)]
    if more := len(check.moved) - len(shown):
        lines.append(("quiet", f"  … and {counted(more, 'test')} more (-v shows them)"))
    return tuple(lines)


def rank_markdown(check: RankCheck) -> str:
    """The same for a pull request or a step summary."""
    return f"### {SIGNS[check.order]} Stable ranks: {sentence(check.said)}\n\n{rank_details(check)}"


def rank_details(check: RankCheck) -> str:
    """The counts and the tests that moved most, in Markdown."""
    lines = [f"- {sentence(text)}" for text in (counts(check), *notes(check)) if text]
    shown = _shown(check, verbose=False)
    if shown:
        lines += ["", f"| test | {' | '.join(MOVED_HEADINGS)} |", "|:--|--:|--:|--:|"]
        lines += [f"| {code_cell(test.name)} | {' | '.join(_cells(test, check.unit))} |" for test in shown]
    if more := len(check.moved) - len(shown):
        lines += ["", f"{counted(more, 'test')} more moved from where the baseline runs had them."]
    return "\n".join(lines) + "\n"


def rank_json(check: RankCheck, baseline: Sequence[str], target: Sequence[str]) -> str:
    """The check as `profgate.ranks/1`; durations in base units, unknown is null."""
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "order": check.order,
        "direction": check.direction if check.order == "below" else None,
        "reason": check.said,
        "baseline": list(baseline),
        "target": list(target),
        "tests": check.common,
        "left_out": check.left_out,
        "stable": check.count,
        "expected": check.mean,
        "bounds": check.bounds,
        "sigma": {"rule": check.sigma_rule, "value": check.sigma, "width": check.width, "distance": check.distance},
        "pairs": list(check.pair_counts),
        "against_each": list(check.target_counts),
        "chance_of_random": check.chance,
        "overall_ratio": check.overall,
        "unit": check.unit,
        "usual_distance": check.usual_distance,
        "farther": check.farther,
        "moved": [
            {
                "name": test.name,
                "rank_from": list(test.rank_from),
                "rank_to": test.rank_to,
                "from": test.before,
                "to": test.after,
                "ratio": test.ratio,
            }
            for test in check.moved
        ],
    }
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def check_of(change: Change) -> RankCheck:
    """The check behind a change of the strategy stable_ranks, with the tests it names."""
    evidence = change.evidence
    orders: tuple[Order, ...] = get_args(Order)
    directions: tuple[Direction, ...] = get_args(Direction)
    return RankCheck(
        order=next((order for order in orders if order == evidence.get("order")), "unknown"),
        reason=change.reason,
        common=_whole(evidence.get("tests")),
        left_out=_whole(evidence.get("left_out")),
        baselines=_whole(evidence.get("baseline_runs")),
        mean=_number(change.from_value),
        count=_number(change.to_value),
        sigma=_number(evidence.get("sigma")),
        sigma_rule=str(evidence.get("sigma_rule") or "poisson"),
        width=_number(evidence.get("width")) or 2.0,
        chance=_number(evidence.get("chance")),
        ties=_whole(evidence.get("ties")),
        overall=_number(evidence.get("overall")),
        direction=next((known for known in directions if known == evidence.get("direction")), "unknown"),
        moved=tuple(_moved_tests(evidence)),
        unit=str(evidence.get("unit") or "nanoseconds"),
        identical=evidence.get("identical") == "yes",
        usual_distance=None if evidence.get("usual_distance") is None else _whole(evidence.get("usual_distance")),
        farther=_whole(evidence.get("farther")),
    )


def _moved_tests(evidence: Mapping[str, float | str | None]) -> Iterable[MovedTest]:
    number = 1
    while isinstance(name := evidence.get(f"moved_{number}"), str):
        key = f"moved_{number}_"
        low, high, now = (_whole(evidence.get(f"{key}rank_{end}")) for end in ("low", "high", "to"))
        before, after = (_number(evidence.get(f"{key}{end}")) or 0.0 for end in ("from", "to"))
        distance = max(0, low - now, now - high)
        yield MovedTest(name, (low, high), now, distance, before, after, _number(evidence.get(f"{key}ratio")))
        number += 1


def _number(value: float | str | None) -> float | None:
    return None if isinstance(value, str) else value


def _whole(value: float | str | None) -> int:
    return int(value) if isinstance(value, int | float) else 0


def rank_sections(report: Report) -> tuple[tuple[str, str, RankCheck], ...]:
    """The checks of a report: the sign, what was counted over, and the check."""
    checks = ((change.location.name, check_of(change)) for change in report.changes if change.strategy == STRATEGY)
    return tuple((SIGNS[check.order], place, check) for place, check in checks)


def _cells(test: MovedTest, unit: str) -> tuple[str, str, str]:
    """The ranks of a test (``12–15 → 301``), its durations, and its ratio against the median of all."""
    low, high = test.rank_from
    ranks = f"{low if low == high else f'{low}–{high}'} → {test.rank_to}"
    against_rest = UNKNOWN if test.ratio is None else numbers.ratio(1.0, test.ratio)
    return ranks, numbers.from_to(test.before, test.after, unit), against_rest


def _count(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"


def _shown(check: RankCheck, *, verbose: bool) -> Sequence[MovedTest]:
    """The tests that moved most; few where the order held, since noise always moves some."""
    return check.moved if verbose else check.moved[: SHOWN if check.order == "below" else FEW]


def history_lines(points: Sequence[RankPoint], *, width: int = 80) -> tuple[Line, ...]:
    """Plain lines with their tone, and a sentence at the end."""
    table = aligned([HEADINGS, *map(_point_cells, points)], max(width, 60) - 2, right=range(1, 4))
    tones: list[Tone] = ["quiet", *("warn" if point.departed else "text" for point in points)]
    return (*zip(tones, table, strict=True), ("head", _totals(points)))


def history_markdown(points: Sequence[RankPoint]) -> str:
    """A Markdown table of the same rows."""
    rows = ["| run | tests | stable | expected | |", "|:--|--:|--:|--:|:--|"]
    for point in points:
        _, *cells = _point_cells(point)
        rows.append(f"| {code_cell(_name(point), LABEL)} | {' | '.join(cells)} |")
    return "\n".join([*rows, "", _totals(points)]) + "\n"


def history_json(points: Sequence[RankPoint]) -> str:
    """The rows for programs; unknown is null."""
    document: dict[str, Any] = {"schema": HISTORY_SCHEMA, "runs": [_document(point) for point in points]}
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def _document(point: RankPoint) -> dict[str, Any]:
    run, check = point.run, point.check
    return {
        "label": run.label,
        "commit": run.commit or None,
        "recorded": run.recorded or None,
        "tests": len(run.values),
        "common": check.common,
        "stable": check.count,
        "expected": check.mean,
        "bounds": check.bounds,
        "order": check.order,
        "direction": check.direction if check.order == "below" else None,
        "reason": check.reason,
        "moved": [test.name for test in check.moved[:5]] if point.departed else [],
    }


def _point_cells(point: RankPoint) -> tuple[str, ...]:
    check = point.check
    expected = UNKNOWN
    if check.bounds is not None and check.order != "unknown":
        expected = f"{max(0.0, check.bounds[0]):,.0f} to {min(check.bounds[1], check.common):,.0f}"
    stable = UNKNOWN if check.count is None else f"{check.count:,.1f}"
    mark = MARKS[check.order]
    if check.order == "below" and check.direction != "unknown":
        mark = f"{mark}: {check.direction}"
    return (
        name_text(_name(point), LABEL),
        f"{check.common:,}" if point.baseline else UNKNOWN,
        stable,
        expected,
        mark,
    )


def _name(point: RankPoint) -> str:
    run = point.run
    return f"{run.commit[:10]} {run.label}" if run.commit and not run.label.startswith(run.commit[:7]) else run.label


def _totals(points: Sequence[RankPoint]) -> str:
    tested = sum(point.check.order != "unknown" for point in points)
    departures = sum(point.departed for point in points)
    return f"{counted(departures, 'departure')} in {counted(tested, 'run')} that could be compared, of {len(points):,}"
