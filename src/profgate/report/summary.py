"""The step summary of a job: the comment's story with far more rows, for people who look into the run."""

from profgate.model.links import Links
from profgate.model.report import Document, Report
from profgate.report.comment import view
from profgate.report.markdown_text import markdown_filters, short_sha
from profgate.report.templates import render_template

SUMMARY_BYTES = 1_000_000  # GitHub takes 1 MiB for a step and drops the whole summary above it
ROW_LIMITS = (500, 200, 50, 10, 0)
OPEN_ROWS = 20


def render_summary(
    report: Report,
    *,
    links: Links | None = None,
    run_url: str | None = None,
    note: str = "",
) -> Document:
    """The summary, at most 1,000,000 bytes; ``note`` is one trusted sentence, such as why no comment was written."""
    text = ""
    for limit in ROW_LIMITS:
        values = view(
            report,
            limit=limit,
            open_rows=OPEN_ROWS if limit else 5,
            marker="",
            links=links or Links(),
            run_url=run_url,
            updated=None,
            head=short_sha(report.target.sha),
            base=short_sha(report.baseline.sha),
        )
        text = render_template("markdown/summary.md.j2", filters=markdown_filters, note=note, **values)
        if len(text.encode()) <= SUMMARY_BYTES:
            break
    return Document("summary.md", "text/markdown", text)
