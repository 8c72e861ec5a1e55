"""What the pull request changed in the sources, as GitHub tells it."""

from dataclasses import replace

from profgate.action.job import Job
from profgate.attribute.pull_files import diff_of_pull, of_another_start, wanted_texts, with_doubt, with_files
from profgate.errors import GitHubError
from profgate.model.attribution import SourceDiff, SourceTexts
from profgate.model.report import Side

_NO_START = "the pull request's diff does not start at the baseline ({}), so what it leaves alone may differ too"


def source_diff(job: Job, base: Side) -> SourceDiff | None:
    """What the pull request changed in the sources, None where there is none; that it is missing fails nothing."""
    context = job.context
    if context.pr_number is None or not context.concerns_pull or not job.settings.token:
        return None
    try:
        records = job.pull_files
    except GitHubError as error:
        return SourceDiff((), complete=False, reason=f"GitHub did not list the pull request's files: {error}")
    place = f"{context.server_url}/{context.repository}"
    commits = tuple(f"{place}/blob/{sha}" if sha else None for sha in (base.sha, context.head_sha))
    diff = diff_of_pull(records, f"{place}/pull/{context.pr_number}/files", (commits[0], commits[1]))
    if elsewhere := f"distance {base.distance}" if base.distance else job.settings.baseline_ref:
        diff = of_another_start(diff, _NO_START.format(elsewhere))
    try:
        diff = with_files(diff, job.client.files_of_commit(context.head_sha))
    except GitHubError as error:
        diff = with_doubt(diff, f"GitHub did not list the commit's files: {error}")
    return _with_texts(diff, job, base)


def _with_texts(diff: SourceDiff, job: Job, base: Side) -> SourceDiff:
    """The diff with its sources as both sides were recorded from them: a pull request's run checks out a test merge."""
    context = job.context
    commits = (base.sha, context.sha if context.event_name == "pull_request" and context.sha else context.head_sha)
    if commits[0] is None:
        return diff
    before, after = wanted_texts(diff)
    wanted = [*((commits[0], path) for path in before), *((commits[1], path) for path in after)]
    try:
        found = job.client.texts_at(wanted)
    except GitHubError as error:
        return with_doubt(diff, f"GitHub did not give the changed files: {error}")
    sides = ({path: text for (sha, path), text in found.items() if sha == commit} for commit in commits)
    return replace(diff, texts=SourceTexts(*sides))
