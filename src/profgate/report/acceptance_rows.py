"""Format the commands that accept failing findings and the states of acceptances."""

from collections import Counter
from collections.abc import Sequence

from profgate.model.acceptance import Acceptance, AcceptanceState, command_for, removal_command
from profgate.model.reason import ReasonCode
from profgate.model.report import Report
from profgate.report.finding_text import Row
from profgate.report.markdown_text import code_span
from profgate.report.styles import MARKDOWN, Style
from profgate.report.wording import reason_text

SHOWN_ACCEPTANCES = 20
REFUSED = 5  # maximum number of refused commands, because anyone can write any number of them
ANSWERS = "<!-- profgate answers -->"
LONGEST_COMMENT = 65_000  # characters; GitHub refuses more than 65,536
COMMANDS = 3  # maximum number of functions for which a command is shown
LONGEST_COMMAND = 300
STATES: dict[AcceptanceState, str] = {
    "open": "not judged",
    "applies": "accepted",
    "exceeded": "no longer covered, accepted",
    "unused": "not needed:",
    "refused": "refused:",
}


def ways_out(rows: Sequence[Row], report: Report) -> tuple[str, ...]:
    """Return the commands that accept the findings and missing workloads that fail the gate, as inline code."""
    red: dict[tuple[str, str | None], float] = {}
    for row in rows:
        if row.finding.colour == "red" and not row.total:
            function = row.finding.location.name, row.finding.location.file
            red[function] = max(row.finding.growth, red.get(function, 0.0))
    files = Counter(name for name, _ in red)
    commands = [command_for(name, growth, file if files[name] > 1 else None) for (name, file), growth in red.items()]
    commands += [
        removal_command(entry.name)
        for entry in report.not_compared
        if report.verdict.fails and entry.reason.code is ReasonCode.MISSING_IN_TARGET
    ]
    shown = [code_span(f"{command}REASON", LONGEST_COMMAND) for command in commands]
    return (*shown[:COMMANDS], *([f"and {len(shown) - COMMANDS} more"] if len(shown) > COMMANDS else []))


def acceptance_lines(report: Report, style: Style) -> list[str]:
    """Return a line for each of at most 20 acceptances.

    Refused acceptances come last and are sorted from newest to oldest.
    """
    counted = [item for item in report.acceptances if item.state != "refused"]
    refused = [item for item in report.acceptances if item.state == "refused"]
    shown = [*counted[:SHOWN_ACCEPTANCES], *refused[-REFUSED:]][:SHOWN_ACCEPTANCES]
    more = len(report.acceptances) - len(shown)
    return [*(_line(item, style) for item in shown), *([f"and {more} more in the report"] if more else [])]


def with_answers(body: str, refused: Sequence[Acceptance]) -> str:
    """Replace the list of refused commands in a comment with the latest commands that the comment does not show yet."""
    text = body.partition(f"\n{ANSWERS}\n")[0].rstrip()
    new = [item for item in refused if not item.link or item.link not in text]
    for count in range(min(REFUSED, len(new)), 0, -1):
        lines = "".join(f"- {_line(item)}\n" for item in new[-count:])
        answer = f"{text}\n\n{ANSWERS}\n**Not accepted:**\n\n{lines}"
        if len(answer) <= LONGEST_COMMENT:
            return answer
    return f"{text}\n"


def _line(item: Acceptance, style: Style = MARKDOWN) -> str:
    what = style.code(item.location) if item.location else "a command"
    by = f" by {style.code(item.by, 60)}" if item.by and item.state == "applies" else ""
    reason = f" ({style.text(item.reason)})" if item.reason else ""
    link = style.link("where", item.link) if item.link else ""
    return f"{what}: {STATES[item.state]}{by} {style.text(remark_text(item))}{reason}{link and f' · {link}'}"


def remark_text(item: Acceptance) -> str:
    """Return why an acceptance has its state."""
    return reason_text(item.remark, str) if item.remark else ""
