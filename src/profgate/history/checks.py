"""Formats checks. A check compares a measured commit with the nearest ancestor that was measured in the same way.

Checks are printed as a list of commits with the changes below each, or as JSON (`profgate.check/1`).
"""

import json
from collections.abc import Collection, Iterator
from textwrap import wrap

from profgate.model.history import StoredCommit
from profgate.model.reason import ReasonCode
from profgate.model.record import Record, to_builtins
from profgate.model.report import Report
from profgate.model.visible_text import cut, fitting, name_text, plain
from profgate.report import numbers
from profgate.report.groups import CONCLUSIONS, total_words
from profgate.report.json_report import to_json
from profgate.report.terminal_report import FEW, NARROWEST, TONES, change_lines, finding_lines
from profgate.report.text_table import Line
from profgate.report.view import View
from profgate.report.wording import reason_text

SCHEMA = "profgate.check/1"
HASH_LENGTH = 12  # number of displayed characters of a hash
ROWS = 10  # maximum number of displayed findings per metric, and of displayed workloads without a comparison
GAP = 4  # number of spaces before the text below a commit


class Checks(Record):
    """The reports and their commits, children first. ``first`` lists the workloads without a baseline."""

    commits: tuple[StoredCommit, ...]
    reports: tuple[Report, ...]
    first: tuple[tuple[str, str], ...] = ()  # commit and workload
    further: int = 0  # earlier measured commits that were not checked

    @property
    def exit_code(self) -> int:
        """Exit code: 1 if the gate failed in any report, 3 if there are no reports, otherwise the highest code."""
        codes = {report.verdict.exit_code for report in self.reports}
        return 1 if 1 in codes else max(codes, default=3)


def checks_json(checks: Checks) -> str:
    """Return a JSON document that contains the report of each check in the format `profgate.report/4`."""
    commits = [to_builtins(commit) | {"time": commit.time or None} for commit in checks.commits]
    first = [{"commit": commit, "workload": workload} for commit, workload in checks.first]
    edges = []
    for report in checks.reports:
        edge = {"baseline": report.baseline.sha, "target": report.target.sha, "distance": _distance(report)}
        edges.append(edge | {"report": json.loads(to_json(report))})
    document = {
        "schema": SCHEMA,
        "commits": commits,
        "checks": edges,
        "further": checks.further,
        "first": first,
    }
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def checks_lines(checks: Checks, *, verbose: bool = False, width: int = 80) -> list[Line]:
    """Return the commits, children first, each with its findings below it.

    Only findings that count for the gate are shown. With ``verbose``, the changes of each strategy are shown instead,
    in lines that may be wider than ``width``.
    """
    lines: list[Line] = []
    for commit in checks.commits:
        title = f": {plain(commit.title)}" if commit.title else ""
        lines.append(("head", fitting(f"* {commit.sha[:HASH_LENGTH]}{title}", width)))
        for tone, text in _notes(commit.sha, checks, max(width - GAP, NARROWEST), verbose=verbose):
            lines.append((tone, f"{' ' * GAP}{text}".rstrip()))
    if checks.further:
        lines.append(("quiet", newest_of(len(checks.commits), len(checks.commits) + checks.further)))
    return lines


def newest_of(shown: int, known: int) -> str:
    """Return a note that only the newest measured commits were examined."""
    return f"the newest {shown:,} of {known:,} measured commits (--last N looks further back)"


def _notes(sha: str, checks: Checks, width: int, *, verbose: bool) -> list[Line]:
    jumps, lines = set[str | None](), list[Line]()
    for report in checks.reports:
        if {"red", "green"} & {finding.colour for *_, finding in report.findings}:
            jumps.add(report.target.sha)
    for report in checks.reports:
        if report.target.sha == sha:
            lines += _check_lines(report, width, jumps, verbose=verbose)
    if first := sorted(workload for commit, workload in checks.first if commit == sha):
        shown = first if verbose else first[:5]
        more = f" and {len(first) - len(shown)} more" if len(first) > len(shown) else ""
        lines.append(("quiet", f"no ancestor has {', '.join(name_text(name, 40) for name in shown)}{more}"))
    return lines if verbose else [(tone, fitting(text, width)) for tone, text in lines]


def _distance(report: Report) -> int:
    """Return the number of commits from the baseline to the target."""
    return (report.baseline.distance or 0) + 1


def _check_lines(report: Report, width: int, jumps: Collection[str | None], *, verbose: bool) -> Iterator[Line]:
    conclusion, baseline = report.verdict.conclusion, report.baseline.sha or ""
    away = f" ({_distance(report)} commits before)" if _distance(report) > 1 else ""
    tone, view = TONES[conclusion], View(report)
    yield tone, f"against {baseline[:HASH_LENGTH]}{away}  {CONCLUSIONS[conclusion].word.upper()}"
    yield from ((tone, f"  {line}") for line in wrap(_headline(view, after_jump=baseline in jumps), width - 2))
    if verbose:
        for workload, metric in report.metrics:
            yield "text", f"  {name_text(workload.name, 60)} · {name_text(metric.name, 30)}"
            yield from change_lines(metric)
    else:
        yield from _findings(view, width)
    missing = view.missing
    for pair in missing if verbose else missing[:ROWS]:
        yield "warn", f"  {name_text(pair.name, 60)}: {cut(plain(reason_text(pair.reason, name_text)), 100)}"
    if len(missing) > ROWS and not verbose:
        yield "warn", f"  … and {len(missing) - ROWS:,} more not compared (-v shows them)"


def _headline(view: View, *, after_jump: bool) -> str:
    """Return the headline of the report, or the first reason of the verdict if there is no headline.

    Directly after a jump, the commits before it differ from the baseline by the jump, and not by noise.
    """
    verdict = view.report.verdict
    unseen = verdict.conclusion == "inconclusive" and verdict.reasons[:1] and verdict.reasons[0].code
    if after_jump and unseen is ReasonCode.CANNOT_SEE:
        return "First commit after a change: the noise is not known yet"
    headline = "" if verdict.conclusion == "not_compared" else view.headline()
    if headline or not verdict.reasons:
        return headline
    return cut(plain(reason_text(verdict.reasons[0], name_text)), 200)


def _findings(view: View, width: int) -> Iterator[Line]:
    """Yield the total and the findings of each metric. Of many metrics, those without findings are only counted."""
    groups, shown = view.groups, view.pairs
    hidden = len(groups.related) + len(groups.other) + len(groups.noise)
    quiet = 0
    for pair in shown:
        found = [row for row in (*groups.worse, *groups.better) if row.metric is pair.metric]
        if not found and len(shown) > FEW:
            quiet += 1
            continue
        values = "total {} ({})".format(*total_words(pair.metric))
        yield "text", f"  {name_text(pair.workload, 40)} · {name_text(pair.metric.name, 30)}: {values}"
        functions = [row for row in found if not row.total]  # the total is already in the line above
        yield from (
            (tone, f"  {line}")
            for tone, line in finding_lines(functions[:ROWS], width - 2, view.style.code, brief=True)
        )
        if len(functions) > ROWS:
            yield "quiet", f"    … and {numbers.counted(len(functions) - ROWS, 'finding')} more"
    if quiet:
        yield "quiet", f"  {numbers.counted(quiet, 'metric')} without a finding"
    if hidden:
        yield "quiet", f"  {numbers.counted(hidden, 'note')} (-v shows what each strategy reports)"
