"""Render the changes between two releases as Markdown for the notes of the later release."""

from collections.abc import Sequence
from dataclasses import dataclass

from profgate.model.report import Document, Report
from profgate.report import numbers
from profgate.report.comment import Body
from profgate.report.finding_text import change_text
from profgate.report.markdown_text import (
    bullets,
    code_span,
    link,
    link_target,
    paragraphs,
    sentence,
    short_sha,
    table,
    unbroken,
)
from profgate.report.view import OPEN

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
    body = Body(report)
    found = [row for row in (*body.groups.worse, *body.groups.better) if not row.total]
    shown = [_step(step, pull_url) for step in steps]
    text = paragraphs(
        f"### Performance from {code_span(refs[0])} to {code_span(refs[1])}",
        body.title(),
        body.totals(ROWS),
        body.table(found, ROWS, whose=False),
        "#### Changes in between" if shown else "",
        table(("Pull requests", "Recorded at", "Total", "Functions"), "llll", shown) if shown else "",
        bullets(map(sentence, doubts)),
    )
    return Document(NOTES_NAME, "text/markdown", unbroken(text))


def _step(step: Step, pull_url: str) -> tuple[str, ...]:
    linked = link_target(pull_url)
    pulls = [(link(f"#{pull}", f"{pull_url}/{pull}") if linked else f"#{pull}", title) for pull, title in step.pulls]
    shown = [f"{pull} {code_span(title)}" for pull, title in pulls[:PULLS]]
    if len(step.pulls) > PULLS:
        shown.append(f"and {len(step.pulls) - PULLS} more")
    body = Body(step.report)
    changes = [change_text(row, code_span) for row in (*body.groups.worse, *body.groups.better) if not row.total]
    more = [f"and {len(changes) - FUNCTIONS} more"] if len(changes) > FUNCTIONS else []
    return (
        "<br>".join(shown) or numbers.counted(step.commits, "commit"),
        f"`{short_sha(step.commit) or ''}`",
        body.totals(OPEN, label="") or numbers.UNKNOWN,
        "<br>".join([*changes[:FUNCTIONS], *more]) or "no function changed clearly",
    )
