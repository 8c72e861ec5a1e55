"""Explain findings in a compact text for people and programs: costs, call paths, source lines, reasons and commands."""

from collections.abc import Sequence
from shlex import quote

from profgate.errors import ProfgateError, did_you_mean
from profgate.model.excerpt import Excerpt
from profgate.model.visible_text import cut, name_text, plain, visible
from profgate.report import groups, numbers, rows
from profgate.report.markdown_text import MARKDOWN, SHA, code_span, sentence
from profgate.report.rows import Row, finding_key
from profgate.report.templates import render_template
from profgate.report.view import View

EXPLANATION_NAME = "explain.md"
MOST_EXPLAINED = 3


def explanation(view: View, finding: str = "") -> str:
    """Return the explanation of a report as Markdown, in which untrusted texts are quoted and shortened.

    ``finding`` is the number, the key or the name of a finding; by default, the first causes are explained. Raises
    ProfgateError if there is no such finding.
    """
    causes = [*view.groups.worse, *view.groups.better]
    causes = [row for row in causes if not row.total] or causes  # functions explain the change of a total
    first = {finding_key(row.shown.location): row for row in reversed(causes)}
    causes = [
        row for row in causes if first[finding_key(row.shown.location)] is row
    ]  # a function may be slower in several workloads
    chosen = (_named(view, causes, finding) if finding else causes)[:MOST_EXPLAINED]
    sides = [view.report.baseline, view.report.target]
    return render_template(
        "markdown/explanation.md.j2",
        view=view.in_style(MARKDOWN),
        findings=[
            (
                row,
                next(
                    (one for one in row.metric.excerpts if one.key in {finding_key(row.shown.location), ""}), Excerpt()
                ),
            )
            for row in chosen
        ],
        others=[row for row in causes if row not in chosen][:10],
        commits=[side.sha for side in sides if side.sha and SHA.fullmatch(side.sha)],
        labels=[_argument(side.label) for side in sides],
        files=sorted({_argument(file) for row in chosen if (file := row.shown.location.file)}),
        key=finding_key,
        code=code_span,
        text=sentence,
        name=name_text,
        visible=visible,
        from_to=numbers.from_to,
        rows=rows,
    )


def _named(view: View, causes: Sequence[Row], finding: str) -> list[Row]:
    """Return the cause with this number, or all findings with this key or name."""
    if finding.isdecimal() and 0 < int(finding[:9]) <= len(causes):
        return [causes[int(finding) - 1]]
    every = [*groups.ordered(view.groups), *view.groups.other, *view.groups.noise]
    found = [
        row
        for row in every
        for names in [(row.shown.location.name, row.finding.location.name)]
        if finding in {finding_key(row.shown.location), *names, *(view.names.get(name) for name in names)}
    ]
    if not found:
        known = did_you_mean(finding, [row.shown.location.name for row in every[:20]])
        raise ProfgateError("FINDING", f"no finding {finding[:80]!r}; {known}")
    return found


def _argument(text: str) -> str:
    """Return untrusted text as one argument of a shell command on one line."""
    return quote(cut(plain(text), 200))
