"""The terminal report as text."""

from profgate.model.report import Report
from profgate.report.terminal_report import terminal_lines
from profgate.report.view import View


def terminal_text(report: Report, *, verbose: bool = False, width: int = 80) -> str:
    return "".join(f"{line}\n" for _, line in terminal_lines(View(report), verbose=verbose, width=width))
