"""URLs of the uploaded pages of a report.

The report does not contain these URLs, because it is written before the upload.
"""

from profgate.model.record import Record, field


class Links(Record):
    """URLs of uploaded pages, which are None or absent if nothing was uploaded.

    ``pages`` maps (workload name, metric name) to the page with the differential flame graph; ``index`` is the URL of
    the overview of all pages, ``report`` is the URL of the JSON report, and ``run`` is the URL of the workflow run.
    ``fetch`` is the command that downloads pages without a URL; the suggested workflow step must first have uploaded
    these pages.
    """

    pages: dict[tuple[str, str], str] = field(default_factory=dict)
    index: str | None = None
    report: str | None = None
    run: str | None = None
    fetch: str | None = None
