"""Render the changes between two releases as Markdown for the notes of the later release."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from profgate.model.links import Links
from profgate.model.report import Document, Report
from profgate.report import numbers
from profgate.report.comment import OPEN, Body, markdown_headline
from profgate.report.finding_text import change_text
from profgate.report.markdown_text import code_cell, link, link_target, markdown_filters, sentence, short_sha, unbroken
from profgate.report.templates import render_template

NOTES_NAME = "release-notes.md"
ROWS = 20
FUNCTIONS = 3  # maximum number of functions for each step
PULLS = 10


@dataclass(frozen=True, slots=True)
class Step:
    """The step from one recorded commit to the next, with its pull requests and a report on their combined effect."""

    commit: str
    pulls: tuple[tuple[int, str], ...]
    commits: int
    report: Report


def render_release_notes(
    report: Report, refs: tuple[str, str], steps: Sequence[Step], *, pull_url: str = "", doubts: Sequence[str] = ()
) -> Document:
    """Return release notes with the total change and the changes in each step. Titles and names are escaped."""
    body = Body(report, Links(), None)
    found = [row for row in (*body.groups.worse, *body.groups.better) if not row.total]
    text = render_template(
        "markdown/release_notes.md.j2",
        filters=markdown_filters,
        refs=refs,
        headline=markdown_headline(report),
        totals=body.totals(ROWS),
        functions=body.table(found, ROWS),
        steps=[_step(step, pull_url) for step in steps],
        doubts=[sentence(doubt) for doubt in doubts],
    )
    return Document(NOTES_NAME, "text/markdown", unbroken(text))


def _step(step: Step, pull_url: str) -> dict[str, Any]:
    shown = [f"{_pull(number, pull_url)} {code_cell(title)}" for number, title in step.pulls[:PULLS]]
    if len(step.pulls) > PULLS:
        shown.append(f"and {len(step.pulls) - PULLS} more")
    body = Body(step.report, Links(), None)
    groups = body.groups
    changes = [change_text(row, code_cell) for row in (*groups.worse, *groups.better) if not row.total]
    more = [f"and {len(changes) - FUNCTIONS} more"] if len(changes) > FUNCTIONS else []
    return {
        "pulls": "<br>".join(shown) or numbers.counted(step.commits, "commit"),
        "commit": short_sha(step.commit) or "",
        "totals": body.totals(OPEN, label="").replace("|", "\\|") or numbers.UNKNOWN,
        "functions": "<br>".join([*changes[:FUNCTIONS], *more]) or "no function changed clearly",
    }


def _pull(number: int, pull_url: str) -> str:
    return link(f"#{number}", f"{pull_url}/{number}") if link_target(pull_url) else f"#{number}"
