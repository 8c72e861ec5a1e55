"""What a repository reads where profgate runs for the first time and has nothing to compare with."""

from profgate.model.report import Document
from profgate.report import numbers
from profgate.report.comment import marker
from profgate.report.markdown_text import link, link_target, markdown_filters
from profgate.report.rows import GATE_RUNS
from profgate.report.templates import render_template


def render_first_run(
    *,
    key: str = "default",
    workloads: int = 0,
    base_branch: str | None = None,
    run_url: str | None = None,
    head_sha: str | None = None,
    stored_runs: int = 0,
) -> Document:
    """What was stored, what happens next, and after how many base runs the gate begins.

    Raises:
        ProfgateError: when the key could break out of the marker.
    """
    text = render_template(
        "markdown/first_run.md.j2",
        filters=markdown_filters,
        marker=marker(key, head_sha, None),
        workloads=numbers.counted(workloads, "workload"),
        branch=base_branch,
        needed=GATE_RUNS,
        left=max(0, GATE_RUNS - stored_runs),
        run=link("workflow run", run_url) if link_target(run_url) else "",
    )
    return Document("comment.md", "text/markdown", text)
