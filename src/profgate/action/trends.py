"""What changed for good on a branch, told by the base run that first sees it, and by no later one."""

from profgate import wiring
from profgate.action.job import Job
from profgate.adapters.history_store import HistoryStore
from profgate.errors import ProfgateError
from profgate.history.ancestry import first_line
from profgate.history.trends import reported_records, trends_along, unreported
from profgate.model.policy import Policy
from profgate.report.trends import trend_text, trends_summary

LAST = 150  # commits of the branch: an older change was told when it was new
ANNOTATED = 5  # of each direction; the summary lists more


def tell_trends(job: Job, store: HistoryStore, policy: Policy) -> None:
    """Annotations and a part of the summary for the changes that were not told before; they are told from then on."""
    try:
        graph = store.commits()
        line = first_line(job.context.sha, graph)[-LAST:]
        new = unreported(store, trends_along(store, line, wiring.trend_rules(policy)), line)
        store.add_records(reported_records(store, new))
    except ProfgateError as error:
        job.commands.warning(f"lasting changes were not looked for: {error}", title="profgate")
        return
    if not new:
        return
    for one in [trend for trend in new if trend.worse][:ANNOTATED]:
        job.commands.warning(trend_text(one, graph), title="profgate: worse for good")
    for one in [trend for trend in new if not trend.worse][:ANNOTATED]:
        job.commands.notice(trend_text(one, graph), title="profgate: better for good")
    job.commands.add_summary(trends_summary(new, graph).text)
