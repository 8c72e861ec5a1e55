"""Checks of the past as a drawn commit graph with the changes on its edges, and as JSON: `profgate.check/1`."""

import json
from collections.abc import Iterator

from profgate.model.change import Change, path_text
from profgate.model.checks import Check, Checks
from profgate.model.kinds import BETTER, BY_WORD, RANKS, WORSE, Kind
from profgate.model.report import MetricReport
from profgate.model.visible_text import cut, name_text, plain
from profgate.report import numbers
from profgate.report.json_report import to_json
from profgate.report.terminal_report import TONES, WORDS, Line, Tone

SCHEMA = "profgate.check/1"
SHOWN = 12  # letters of a hash
TITLE = 72
ROWS = 10  # of one strategy and metric, unless verbose
QUIET = frozenset({Kind.NO_CHANGE, Kind.UNKNOWN})


def checks_json(checks: Checks) -> str:
    """The document; each check holds its report as `profgate.report/1`."""
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
        "first": [{"commit": commit, "workload": workload} for commit, workload in checks.first],
    }
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def checks_lines(checks: Checks, *, verbose: bool = False) -> list[Line]:
    """The graph, newest commits first: a star is a commit, what was found stands beside the edge to its baseline."""
    lanes: list[str] = []
    lines: list[Line] = []
    for commit in checks.commits:
        column = _meeting(lanes, commit.sha, lines)
        title = f": {cut(plain(commit.title), TITLE)}" if commit.title else ""
        lines.append(("head", _bars(lanes, column, "*") + f" {commit.sha[:SHOWN]}{title}"))
        parents = list(commit.parents)
        beside = _bars(lanes, column, "|" if parents else " ")
        lines += [(tone, f"{beside}   {text}".rstrip()) for tone, text in _notes(commit.sha, checks, verbose=verbose)]
        lanes[column : column + 1] = parents[:1]
        for parent in parents[1:]:
            lines.append(("quiet", _bars(lanes, -1, "|") + "\\"))
            lanes.append(parent)
    return lines


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


def _notes(sha: str, checks: Checks, *, verbose: bool) -> Iterator[Line]:
    for check in checks.checks:
        if check.target == sha:
            yield from _check_lines(check, verbose=verbose)
    first = sorted(workload for commit, workload in checks.first if commit == sha)
    if first:
        names = ", ".join(name_text(one, 40) for one in (first if verbose else first[:5]))
        more = "" if verbose or len(first) <= 5 else f" and {len(first) - 5} more"
        yield "quiet", f"no ancestor has {names}{more}"


def _check_lines(check: Check, *, verbose: bool) -> Iterator[Line]:
    verdict = check.report.verdict
    away = f" ({check.distance} commits before)" if check.distance > 1 else ""
    reason = f": {cut(plain(verdict.reasons[0]), 100)}" if verdict.reasons else ""
    yield TONES[verdict.conclusion], f"against {check.baseline[:SHOWN]}{away}  {WORDS[verdict.conclusion]}{reason}"
    quiet = 0
    for workload in check.report.workloads:
        for metric in workload.metrics:
            found = _of_metric(metric, verbose=verbose)
            quiet += not found
            if found:
                yield "text", f"  {name_text(workload.name, 60)} · {name_text(metric.name, 30)}"
                yield from found
    if quiet:
        yield "quiet", f"  {numbers.counted(quiet, 'metric')} without a change"
    for alone in check.report.not_compared:
        yield "warn", f"  {name_text(alone.name, 60)}: {cut(plain(alone.reason), 100)}"


def _of_metric(metric: MetricReport, *, verbose: bool) -> list[Line]:
    """What each strategy says, in the order in which they spoke."""
    by_strategy: dict[str, list[Change]] = {}
    for change in metric.changes:
        if verbose or BY_WORD.get(change.kind) not in QUIET:
            by_strategy.setdefault(change.strategy, []).append(change)
    lines: list[Line] = []
    for strategy, changes in by_strategy.items():
        lines.append(("quiet", f"    by {plain(strategy)}"))
        ranked = sorted(changes, key=lambda one: RANKS.get(BY_WORD.get(one.kind, Kind.UNKNOWN), 0))
        shown = ranked if verbose else ranked[:ROWS]
        lines += [_change_line(change, metric) for change in shown]
        if more := len(ranked) - len(shown):
            lines.append(("quiet", f"      … and {numbers.counted(more, 'change')} more (-v shows them)"))
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
