"""Render the comment of a first run, which has no baseline."""

from profgate.model.levels import FEWEST_JOBS
from profgate.model.policy import Policy
from profgate.model.report import Document
from profgate.report import numbers
from profgate.report.comment import marker
from profgate.report.groups import CONCLUSIONS
from profgate.report.markdown_text import code_span, link, link_target
from profgate.report.templates import render_template


def render_first_run(
    *,
    policy: Policy,
    after: Policy,
    key: str = "default",
    workloads: int = 0,
    base_branch: str | None = None,
    run_url: str | None = None,
    head_sha: str | None = None,
    fails: bool = False,
    tests: int = 0,
    unstored: str = "",
) -> Document:
    """Return a comment that explains what was stored, what this job's result is, and when the gate takes effect.

    ``policy`` decides the result of this job, and ``after`` those after the merge. ``tests`` is the number of tests in
    test results. ``unstored`` names a base run that stored nothing, as Markdown. Raises ProfgateError if the key is
    unsafe in an HTML comment.
    """
    text = render_template(
        "markdown/first_run.md.j2",
        marker=marker(key, head_sha, None),
        sign=CONCLUSIONS["fail" if fails else "not_compared"].sign,
        fails=fails,
        strict=policy.on_not_compared == "fail",
        confirm=after.confirm,
        never=after.fail_on == "never",
        workloads=numbers.counted(workloads, "workload"),
        tests=numbers.counted(tests, "test") if tests else "",
        enough_tests=tests >= 30,  # sufficient for stable ranks
        ranked_tests=30,
        unstored=unstored,
        branch=code_span(base_branch) if base_branch else "",
        needed=FEWEST_JOBS,
        run=link("workflow run", run_url) if link_target(run_url) else "",
    )
    return Document("comment.md", "text/markdown", text)
