"""The word of the stable ranks for a terminal, for a pull request and for programs."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

from profgate.model.change import Change
from profgate.model.durations import MovedTest, Order, RankCheck
from profgate.model.report import Report
from profgate.model.visible_text import columns_of, fitting, name_text, plain
from profgate.report import numbers
from profgate.report.markdown_text import code_cell, sentence

SCHEMA = "profgate.ranks/1"
STRATEGY = "stable_ranks"
Tone = Literal["head", "bad", "warn", "good", "quiet", "text"]
Line = tuple[Tone, str]
SHOWN = 15  # tests that moved, unless verbose
FEW = 3
WORDS: dict[Order, tuple[Tone, str]] = {
    "kept": ("good", "STABLE"),
    "below": ("warn", "REVIEW"),
    "above": ("warn", "REVIEW"),
    "unknown": ("warn", "NOT TESTED"),
}
SIGNS = {"kept": "✅", "below": "🟡", "above": "🟡", "unknown": "⚪"}
APART = 1.25  # ratio of all tests together from which the blind spot of ranks is worth a sentence


def counts(check: RankCheck) -> str:
    """How many ranks are stable, and how many were expected; empty where nothing was counted, or it tells nothing."""
    if check.count is None or check.identical:
        return ""
    told = f"{_count(check.count)} of {numbers.counted(check.common, 'rank')} stable"
    if check.bounds is None or check.mean is None:
        return told
    low, high = check.bounds
    most = min(high, check.common)
    return (
        f"{told}; {_count(check.mean)} among {numbers.counted(check.baselines, 'baseline run')}, "
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
        yield f"{numbers.counted(check.left_out, 'test')} left out: not in all runs, or below the shortest duration"
    if check.overall is not None and not 1 / APART < check.overall < APART:
        yield (
            f"the median test takes {numbers.ratio(1.0, check.overall)} the baseline's time; ranks do not see what "
            "changes all tests alike, and another machine does just that"
        )
    if check.ties > check.common / 2:
        yield f"the clock is coarse: up to {numbers.counted(check.ties, 'reading')} equal another in the same run"


def _against_usual(check: RankCheck, usual: int) -> str:
    """Whether a test moved as none did without a change; each run being the farthest with equal chance."""
    if not check.farther:
        return f"no test moved farther than among the baseline runs, where it is up to {numbers.counted(usual, 'rank')}"
    one = check.farther == 1
    return (
        f"{numbers.counted(check.farther, 'test')} moved farther than any among the baseline runs, where it is up to "
        f"{numbers.counted(usual, 'rank')}: review {'it' if one else 'them'}; by chance this happens in one of "
        f"{check.baselines + 1} checks"
    )


def rank_lines(check: RankCheck, *, verbose: bool = False, width: int = 80) -> tuple[Line, ...]:
    """Plain lines with their tone."""
    tone, word = WORDS[check.order]
    lines: list[Line] = [(tone, f"{word}  {check.said}")]
    if told := counts(check):
        lines.append(("text", f"  {told}"))
    lines += [("quiet", f"  {note}") for note in notes(check)]
    shown = _shown(check, verbose=verbose)
    if shown:
        lines += [("text", ""), ("head", "  moved most")]
        lines += [("text", line) for line in _table(check, shown, max(width, 60))]
    if more := len(check.moved) - len(shown):
        lines.append(("quiet", f"  … and {numbers.counted(more, 'test')} more (-v shows them)"))
    return tuple(lines)


def rank_markdown(check: RankCheck) -> str:
    """The same for a pull request or a step summary."""
    return f"### {SIGNS[check.order]} Stable ranks: {sentence(check.said)}\n\n{rank_details(check)}"


def rank_details(check: RankCheck) -> str:
    """The counts and the tests that moved most, in Markdown."""
    lines = [f"- {sentence(text)}" for text in (counts(check), *notes(check)) if text]
    shown = _shown(check, verbose=False)
    if shown:
        lines += ["", "| test | rank | duration | against the rest |", "|:--|--:|--:|--:|"]
        lines += [
            f"| {code_cell(test.name)} | {ranks_text(test)} | {numbers.from_to(test.before, test.after, check.unit)} "
            f"| {ratio_text(test)} |"
            for test in shown
        ]
    if more := len(check.moved) - len(shown):
        lines += ["", f"{numbers.counted(more, 'test')} more moved from where the baseline runs had them."]
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
    said = change.evidence
    order: Order = next((word for word in get_args(Order) if word == said.get("order")), "unknown")
    direction = said.get("direction")
    return RankCheck(
        order=order,
        reason=change.reason,
        common=_whole(said.get("tests")),
        left_out=_whole(said.get("left_out")),
        baselines=_whole(said.get("baseline_runs")),
        mean=_number(change.from_value),
        count=_number(change.to_value),
        sigma=_number(said.get("sigma")),
        sigma_rule=str(said.get("sigma_rule") or "poisson"),
        width=_number(said.get("width")) or 2.0,
        chance=_number(said.get("chance")),
        ties=_whole(said.get("ties")),
        overall=_number(said.get("overall")),
        direction="slower" if direction == "slower" else "faster" if direction == "faster" else "unknown",
        moved=tuple(_moved_tests(said)),
        unit=str(said.get("unit") or "nanoseconds"),
        identical=said.get("identical") == "yes",
        usual_distance=None if said.get("usual_distance") is None else _whole(said.get("usual_distance")),
        farther=_whole(said.get("farther")),
    )


def _moved_tests(said: Mapping[str, float | str | None]) -> Iterable[MovedTest]:
    number = 1
    while isinstance(name := said.get(f"moved_{number}"), str):
        key = f"moved_{number}_"
        low, high, now = (_whole(said.get(f"{key}rank_{word}")) for word in ("low", "high", "to"))
        before, after = (_number(said.get(f"{key}{word}")) or 0.0 for word in ("from", "to"))
        distance = max(0, low - now, now - high)
        yield MovedTest(name, (low, high), now, distance, before, after, _number(said.get(f"{key}ratio")))
        number += 1


def _number(value: float | str | None) -> float | None:
    return None if isinstance(value, str) else value


def _whole(value: float | str | None) -> int:
    return int(value) if isinstance(value, int | float) else 0


def rank_sections(report: Report) -> tuple[tuple[str, str, RankCheck], ...]:
    """What stable ranks say in a report: the sign, what they were counted over, and the check."""
    words = [change for change in report.changes if change.strategy == STRATEGY]
    return tuple((SIGNS[check.order], change.location.name, check) for change in words for check in [check_of(change)])


def ranks_text(test: MovedTest) -> str:
    """The ranks of a test: ``12–15 → 301``."""
    low, high = test.rank_from
    return f"{low if low == high else f'{low}–{high}'} → {test.rank_to}"


def ratio_text(test: MovedTest) -> str:
    """How a test changed against the median of all."""
    return numbers.UNKNOWN if test.ratio is None else numbers.ratio(1.0, test.ratio)


def _count(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"


def _shown(check: RankCheck, *, verbose: bool) -> Sequence[MovedTest]:
    """The tests that moved most; few where the order held, since noise always moves some."""
    return check.moved if verbose else check.moved[: SHOWN if check.order == "below" else FEW]


def _table(check: RankCheck, shown: Sequence[MovedTest], width: int) -> Iterable[str]:
    rows = [("test", "rank", "duration", "against the rest")]
    rows += [
        (name_text(one.name, 200), ranks_text(one), numbers.from_to(one.before, one.after, check.unit), ratio_text(one))
        for one in shown
    ]
    columns = [max(columns_of(row[place]) for row in rows) for place in range(4)]
    columns[0] = min(columns[0], max(width - sum(columns[1:]) - 8, 12))
    for row in rows:
        first = fitting(plain(row[0]), columns[0])
        cells = [first + " " * (columns[0] - columns_of(first))]
        cells += [" " * (size - columns_of(cell)) + cell for cell, size in zip(row[1:], columns[1:], strict=True)]
        yield ("  " + "  ".join(cells)).rstrip()
