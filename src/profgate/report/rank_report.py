"""Report on the stable rank check for a terminal and for a pull request."""

from collections.abc import Iterable, Sequence

from profgate.model.durations import MovedTest, Order, RankCheck
from profgate.model.report import Report
from profgate.model.visible_text import name_text, plain
from profgate.report import numbers
from profgate.report.markdown_text import bullets, code_span, paragraphs, sentence, table
from profgate.report.numbers import UNKNOWN, counted
from profgate.report.text_table import Line, Tone, aligned
from profgate.report.wording import reason_text

MOVED_HEADINGS = ("rank", "duration", "against the rest")
TITLES: dict[Order, tuple[Tone, str]] = {
    "kept": ("good", "STABLE"),
    "below": ("warn", "REVIEW"),
    "above": ("warn", "REVIEW"),
    "unknown": ("warn", "NOT TESTED"),
}
ORDER_SIGNS = {"kept": "✅", "below": "🟡", "above": "🟡", "unknown": "⚪"}
APART = 1.25  # a median ratio of all tests beyond this factor is noted, because ranks cannot show such a change


def _counts(check: RankCheck) -> str:
    """Return the actual and the expected number of stable ranks as text, or "" if nothing was compared."""
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


def remarks(check: RankCheck) -> list[str]:
    """Return the number of stable ranks and remarks about it."""
    return [*filter(None, [_counts(check)]), *_notes(check)]


def _notes(check: RankCheck) -> Iterable[str]:
    if check.order == "unknown" and check.chance is not None and check.common > 1:
        yield f"a random order has as many stable ranks with probability {numbers.probability(check.chance)}"
    if check.usual_distance is not None and check.moved and not check.identical:
        yield _against_usual(check, check.usual_distance)
    if check.order == "kept" and not check.identical:
        yield "the number of stable ranks hardly changes if a test overtakes few others or all tests become slower"
    if check.left_out:
        yield f"{counted(check.left_out, 'test')} left out: not in all runs, or below the shortest duration"
    if check.overall is not None and not 1 / APART < check.overall < APART:
        yield (
            f"the median test takes {numbers.ratio(1.0, check.overall)} the baseline's time. Ranks do not reveal a "
            "change of all tests, as on another machine"
        )
    if check.ties > check.common / 2:
        yield f"the clock is coarse: up to {counted(check.ties, 'reading')} equal another in the same run"


def _against_usual(check: RankCheck, usual: int) -> str:
    """Return a note about tests that moved farther than any test did among the baseline runs.

    On average, one in ``baselines + 1`` checks of unchanged code has such a test by chance.
    """
    if not check.farther:
        return f"no test moved farther than among the baseline runs, where it is up to {counted(usual, 'rank')}"
    return (
        f"{counted(check.farther, 'test')} moved farther than any among the baseline runs, where it is up to "
        f"{counted(usual, 'rank')}: review {'it' if check.farther == 1 else 'them'}. By chance, this happens in "
        f"one of {check.baselines + 1} checks"
    )


def result_text(check: RankCheck) -> str:
    """Return whether the order is stable, or why this is unknown."""
    return plain(reason_text(check.result, str))


def rank_lines(check: RankCheck, *, verbose: bool = False, width: int = 80) -> tuple[Line, ...]:
    """Return the result of the check as plain lines with styles."""
    tone, title = TITLES[check.order]
    lines: list[Line] = [(tone, f"{title}  {result_text(check)}")]
    lines += [("text" if text == _counts(check) else "quiet", f"  {text}") for text in remarks(check)]
    shown = _shown(check, verbose=verbose)
    if shown:
        rows = [(name_text(test.name, 200), *test_cells(test, check.unit)) for test in shown]
        columns = aligned([("test", *MOVED_HEADINGS), *rows], max(width, 60) - 2, right=range(1, 4))
        lines += [("text", ""), ("head", "  moved most"), *(("text", f"  {line}") for line in columns)]
    if more := len(check.moved) - len(shown):
        lines.append(("quiet", f"  … and {counted(more, 'test')} more (-v shows them)"))
    return tuple(lines)


def rank_details(check: RankCheck) -> str:
    """Return the counts and the tests that moved most, formatted as Markdown."""
    shown = _shown(check, verbose=False)
    cells = [(code_span(test.name), *test_cells(test, check.unit)) for test in shown]
    more = len(check.moved) - len(shown)
    return paragraphs(
        bullets(map(sentence, remarks(check))),
        table(("test", *MOVED_HEADINGS), "lrrr", cells) if cells else "",
        f"{counted(more, 'test')} more moved from where the baseline runs had them." if more else "",
    )


def rank_sections(report: Report) -> tuple[tuple[str, str, RankCheck], ...]:
    """Return the rank checks of a report as (sign, location, check)."""
    return tuple(
        (ORDER_SIGNS[change.details.order], change.location.name, change.details)
        for change in report.changes
        if isinstance(change.details, RankCheck)
    )


def test_cells(test: MovedTest, unit: str) -> tuple[str, str, str]:
    """Return the cells of a test: ranks (``12–15 → 301``), durations, and ratio relative to the median of all tests."""
    low, high = test.rank_from
    ranks = f"{low if low == high else f'{low}–{high}'} → {test.rank_to}"
    against_rest = UNKNOWN if test.ratio is None else numbers.ratio(1.0, test.ratio)
    return ranks, numbers.from_to(test.before, test.after, unit), against_rest


def _count(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"


def _shown(check: RankCheck, *, verbose: bool) -> Sequence[MovedTest]:
    """Return the tests that moved most.

    If the order is stable, only a few tests are returned, because noise always moves some of them.
    """
    # maximum number of moved tests, unless verbose
    return check.moved if verbose else check.moved[: 15 if check.order == "below" else 3]
