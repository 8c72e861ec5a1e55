"""Format the commands that accept failing findings and the states of acceptances."""

from collections import Counter
from collections.abc import Sequence

from profgate.model.acceptance import Acceptance, AcceptanceState, command_for, workload_command
from profgate.model.policy import matches
from profgate.model.reason import ReasonCode
from profgate.model.report import Report
from profgate.report.finding_text import Row
from profgate.report.markdown_text import code_span
from profgate.report.styles import Style
from profgate.report.wording import reason_text

SHOWN_ACCEPTANCES = 20
REFUSED = 5  # maximum number of refused commands, because anyone can write any number of them
COMMANDS = 3  # maximum number of commands that the comment shows
STATES: dict[AcceptanceState, str] = {
    "open": "not judged",
    "applies": "accepted",
    "exceeded": "no longer covered, accepted",
    "unused": "not needed:",
    "refused": "refused:",
}


def ways_out(rows: Sequence[Row], report: Report) -> list[str]:
    """Return the commands that accept the findings and workloads that fail the gate, as inline code."""
    red: dict[tuple[str, str | None], float] = {}
    for row in rows:
        if row.finding.colour == "red" and not row.total:
            function = row.finding.location.name, row.finding.location.file
            red[function] = max(row.finding.growth, red.get(function, 0.0))
    files = Counter(name for name, _ in red)
    commands = [command_for(name, growth, file if files[name] > 1 else None) for (name, file), growth in red.items()]
    commands += [workload_command(name) for name in _workloads(report)]
    shown = [code_span(f"{command}REASON", 300) for command in commands[:COMMANDS]]
    return [*shown, f"and {len(commands) - COMMANDS} more"] if len(commands) > COMMANDS else shown


def _workloads(report: Report) -> list[str]:
    """Return the workloads that fail the gate because they are gone or did other work."""
    if not report.verdict.fails:
        return []
    names = [entry.name for entry in report.not_compared if entry.reason.code is ReasonCode.MISSING_IN_TARGET]
    other_work = {ReasonCode.COMMON_FACTOR, ReasonCode.OTHER_WORK}
    for reason in report.verdict.reasons:
        workload = str(reason.parameters.get("workload"))
        if reason.code in other_work and matches(workload, report.policy.required or ()):
            names.append(workload)
    return names


def acceptance_lines(report: Report, style: Style) -> list[str]:
    """Return a line for each of at most 20 acceptances. Refused acceptances come last."""
    counted = [item for item in report.acceptances if item.state != "refused"]
    refused = [item for item in report.acceptances if item.state == "refused"]
    shown = [*counted[:SHOWN_ACCEPTANCES], *refused[-REFUSED:]][:SHOWN_ACCEPTANCES]
    more = len(report.acceptances) - len(shown)
    lines = [_line(item, style) for item in shown]
    return [*lines, f"and {more} more in the report"] if more else lines


def _line(item: Acceptance, style: Style) -> str:
    what = style.code(item.location) if item.location else "a command"
    by = f" by {style.code(item.by, 60)}" if item.by and item.state == "applies" else ""
    remark = reason_text(item.remark, str) if item.remark else ""
    reason = f" ({style.text(item.reason)})" if item.reason else ""
    link = f" · {style.link('where', item.link)}" if item.link else ""
    return f"{what}: {STATES[item.state]}{by} {style.text(remark)}{reason}{link}"
