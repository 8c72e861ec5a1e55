"""Checks of the past as a drawn commit graph with the changes on its edges, and as JSON: `profgate.check/1`."""

import json
from collections.abc import Iterator
from textwrap import wrap

from profgate.model.change import Change, path_text
from profgate.model.checks import Check, Checks
from profgate.model.kinds import BETTER, BY_WORD, RANKS, WORSE, Kind
from profgate.model.report import MetricReport, Report
from profgate.model.visible_text import cut, fitting, name_text, plain
from profgate.report import numbers, rows
from profgate.report.json_report import to_json
from profgate.report.terminal_report import FEW, NARROWEST, TONES, WORDS, Line, Tone, finding_lines
from profgate.report.wording import reason_text

SCHEMA = "profgate.check/1"
SHOWN = 12  # letters of a hash
ROWS = 10  # of one metric, and of what was not compared, unless verbose
GAP = 3  # columns between the graph and what stands beside it


def checks_json(checks: Checks) -> str:
    """The document; each check holds its report as `profgate.report/2`."""
    document = {
        "schema": SCHEMA,
        "commits": [
            {"sha": one.sha, "parents": list(one.parents), "time": one.time or None, "title": one.title}
            for one in checks.commits
        ],
        "checks": [
            {
                "baseline": one.baseline,
                "target": one.target,
                "distance": one.distance,
                "report": json.loads(to_json(one.report)),
            }
            for one in checks.checks
        ],
        "further": checks.further,
        "first": [{"commit": commit, "workload": workload} for commit, workload in checks.first],
    }
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def checks_lines(checks: Checks, *, verbose: bool = False, width: int = 80) -> list[Line]:
    """The graph, newest commits first: a star is a commit, what was found stands beside the edge to its baseline.

    Findings are those that the gate counts, of which the verdict above them speaks; ``verbose`` shows what each
    strategy says instead, unchanged rows too. No other line is wider than ``width``.
    """
    lanes: list[str] = []
    lines: list[Line] = []
    for commit in checks.commits:
        column = _meeting(lanes, commit.sha, lines)
        title = f": {plain(commit.title)}" if commit.title else ""
        parents = list(commit.parents)
        beside = _bars(lanes, column, "|" if parents else " ")
        room = max(width - len(beside) - GAP, NARROWEST)
        lines.append(("head", _bars(lanes, column, "*") + f" {fitting(commit.sha[:SHOWN] + title, room)}"))
        notes = _notes(commit.sha, checks, room, verbose=verbose)
        lines += [(tone, f"{beside}{' ' * GAP}{text}".rstrip()) for tone, text in notes]
        lanes[column : column + 1] = parents[:1]
        for parent in parents[1:]:
            lines.append(("quiet", _bars(lanes, -1, "|") + "\\"))
            lanes.append(parent)
    if checks.further:
        lines.append(("quiet", newest_of(len(checks.commits), len(checks.commits) + checks.further)))
    return lines


def newest_of(looked: int, known: int) -> str:
    """What says that not all measured commits were looked at."""
    return f"the newest {looked:,} of {known:,} measured commits (--last N looks further back)"


def _meeting(lanes: list[str], sha: str, lines: list[Line]) -> int:
    """The lane of a commit; where several children wait for it, their lanes run together."""
    if sha not in lanes:
        lanes.append(sha)
    column = lanes.index(sha)
    while lanes.count(sha) > 1:
        last = len(lanes) - 1 - lanes[::-1].index(sha)
        signs = [" "] * (2 * len(lanes))
        for place in range(len(lanes)):
            signs[2 * place] = "|"
        signs[2 * last], signs[2 * last - 1] = " ", "/"
        for place in range(2 * column + 1, 2 * last - 1):
            signs[place] = "_" if signs[place] == " " else signs[place]
        lines.append(("quiet", "".join(signs).rstrip()))
        del lanes[last]
    return column


def _bars(lanes: list[str], column: int, sign: str) -> str:
    return " ".join(sign if place == column else "|" for place in range(len(lanes)))


def _notes(sha: str, checks: Checks, room: int, *, verbose: bool) -> Iterator[Line]:
    for check in checks.checks:
        if check.target == sha:
            lines = _check_lines(check, room, verbose=verbose)
            yield from lines if verbose else ((tone, fitting(text, room)) for tone, text in lines)
    first = sorted(workload for commit, workload in checks.first if commit == sha)
    if first:
        names = ", ".join(name_text(one, 40) for one in (first if verbose else first[:5]))
        more = "" if verbose or len(first) <= 5 else f" and {len(first) - 5} more"
        yield "quiet", f"no ancestor has {names}{more}" if verbose else fitting(f"no ancestor has {names}{more}", room)


def _check_lines(check: Check, room: int, *, verbose: bool) -> Iterator[Line]:
    report, verdict = check.report, check.report.verdict
    away = f" ({check.distance} commits before)" if check.distance > 1 else ""
    tone = TONES[verdict.conclusion]
    yield tone, f"against {check.baseline[:SHOWN]}{away}  {WORDS[verdict.conclusion]}"
    yield from ((tone, f"  {line}") for line in wrap(_said(report), room - 2))
    yield from _by_strategies(report) if verbose else _findings(report, room)
    missing = rows.not_compared(report)
    for alone in missing if verbose else missing[:ROWS]:
        yield "warn", f"  {name_text(alone.name, 60)}: {cut(plain(alone.reason), 100)}"
    if len(missing) > ROWS and not verbose:
        yield "warn", f"  … and {len(missing) - ROWS:,} more not compared (-v shows them)"


def _said(report: Report) -> str:
    """The verdict's first sentence, what weighs most where there is such a thing."""
    headline = "" if report.verdict.conclusion == "not_compared" else rows.headline(report, name_text)
    if headline:
        return headline
    return cut(plain(reason_text(report.verdict.reasons[0], name_text)), 200) if report.verdict.reasons else ""


def _findings(report: Report, room: int) -> Iterator[Line]:
    """What the gate counts, below its metric with the total; the metrics without any in one line."""
    groups, shown = rows.grouped(report), rows.pairs(report)
    hints = len(groups.related) + len(groups.other) + len(groups.noise)
    quiet = 0
    for pair in shown:
        found = [row for row in (*groups.worse, *groups.better) if row.metric is pair.metric]
        quiet += not found and len(shown) > FEW
        if not found and len(shown) > FEW:
            continue
        total = pair.metric.total
        relative = f" ({numbers.signed_percent(total.relative)})" if total.relative is not None else ""
        values = f"total {numbers.from_to(total.baseline, total.target, pair.metric.unit)}{relative}"
        yield "text", f"  {name_text(pair.workload, 40)} · {name_text(pair.metric.name, 30)}: {values}"
        told = [row for row in found if not row.total]  # the total stands in the line above
        yield from ((tone, f"  {line}") for tone, line in finding_lines(told[:ROWS], room - 2, brief=True))
        if len(told) > ROWS:
            yield "quiet", f"    … and {numbers.counted(len(told) - ROWS, 'finding')} more"
    if quiet:
        yield "quiet", f"  {numbers.counted(quiet, 'metric')} without a finding"
    if hints:
        yield "quiet", f"  {numbers.counted(hints, 'note')} (-v shows what each strategy reports)"


def _by_strategies(report: Report) -> Iterator[Line]:
    for workload in report.workloads:
        for metric in workload.metrics:
            yield "text", f"  {name_text(workload.name, 60)} · {name_text(metric.name, 30)}"
            yield from _of_metric(metric)


def _of_metric(metric: MetricReport) -> list[Line]:
    """What each strategy says, in the order in which they spoke."""
    by_strategy: dict[str, list[Change]] = {}
    for change in metric.changes:
        by_strategy.setdefault(change.strategy, []).append(change)
    lines: list[Line] = []
    for strategy, changes in by_strategy.items():
        lines.append(("quiet", f"    by {plain(strategy)}"))
        ranked = sorted(changes, key=lambda one: RANKS.get(BY_WORD.get(one.kind, Kind.UNKNOWN), 0))
        lines += [_change_line(change, metric) for change in ranked]
    return lines


def _change_line(change: Change, metric: MetricReport) -> Line:
    kind = BY_WORD.get(change.kind, Kind.UNKNOWN)
    place = change.location
    name = path_text(place.context) if place.context else place.name
    where = f" ({plain(place.file)})" if place.file else ""
    return _tone(kind), f"      {change.kind} at {name_text(name, 60)}{where}{_values(change, metric)}"


def _values(change: Change, metric: MetricReport) -> str:
    before, after = change.from_value, change.to_value
    if isinstance(before, str) or isinstance(after, str):
        return f": {plain(str(before))} → {plain(str(after))}"
    relative = f" ({numbers.signed_percent(change.relative)})" if change.relative is not None else ""
    sure = f", {change.confidence_type} {change.confidence:.3g}" if change.confidence is not None else ""
    return f": {numbers.from_to(before, after, metric.unit)}{relative}{sure}"


def _tone(kind: Kind) -> Tone:
    return "bad" if kind in WORSE else "good" if kind in BETTER else "quiet"
