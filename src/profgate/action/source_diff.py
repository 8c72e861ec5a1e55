"""The difference between the sources of both sides, which attributes changes to edited functions."""

from profgate.action.github.pull_files import diff_of_pull, of_another_start, with_files, with_gap
from profgate.action.github.records import TreeRecord
from profgate.action.job import Job
from profgate.attribution.dependencies import wanted_texts
from profgate.attribution.imports import is_graphed
from profgate.errors import GitHubError
from profgate.model.attribution import SourceDiff, SourceTexts
from profgate.model.reason import Reason, ReasonCode, Side
from profgate.model.record import replace


def source_diff(job: Job, base: Side, tree: TreeRecord | GitHubError) -> SourceDiff | None:
    """Return the source diff of the pull request, with the reasons why it is incomplete, or None without one.

    ``tree`` contains the files of the measured commit, or the reason why they are not known.
    """
    context = job.context
    if context.pr_number is None or not context.concerns_pull or not job.settings.token:
        return None
    try:
        records = job.client.taken(job.client.pull_files, context.pr_number)
    except GitHubError as error:
        return SourceDiff((), complete=False, gaps=(_gap("pull_files_unlisted", error),))
    place = f"{context.server_url}/{context.repository}"
    links = [f"{place}/blob/{sha}" if sha else None for sha in (base.sha, context.head_sha)]
    diff = diff_of_pull(records, f"{place}/pull/{context.pr_number}/files", (links[0], links[1]))
    # the files of a pull request in a stack are those that changed since the layer below
    if elsewhere := (base.sha or "")[:12] if base.distance or context.stacked else job.settings.baseline_ref:
        diff = of_another_start(diff, elsewhere)
    if isinstance(tree, TreeRecord):
        diff = with_files(diff, tree)
    else:
        diff = with_gap(diff, _gap("commit_files_unlisted", tree))
    if base.sha is None:
        return diff
    try:
        return _with_texts(diff, job, base.sha, job.measured_commit)
    except GitHubError as error:
        return with_gap(diff, _gap("changed_files_unread", error))


def repository_sources(job: Job, commit: str, tree: TreeRecord | GitHubError) -> dict[str, str]:
    """Return the texts of the sources of a commit that can load each other, by path.

    There are none if GitHub does not return them, or if more than 1,000 files would take too many requests.
    """
    entries = () if isinstance(tree, GitHubError) else tree.tree
    places = [(commit, entry.path) for entry in entries if entry.type == "blob" and is_graphed(entry.path)]
    try:
        return {path: text for (_, path), text in job.client.texts_at(places if len(places) <= 1000 else ()).items()}
    except GitHubError:
        return {}


def _gap(case: str, error: GitHubError) -> Reason:
    return Reason(ReasonCode.DIFF_INCOMPLETE, {"case": case, "text": str(error)})


def _with_texts(diff: SourceDiff, job: Job, *commits: str) -> SourceDiff:
    """Return the diff with the texts of the changed files at both commits."""
    places = list[tuple[str, str]]()
    for commit, paths in zip(commits, wanted_texts(diff), strict=True):
        places += [(commit, path) for path in paths]
    found = job.client.texts_at(places)
    texts: dict[str, dict[str, str]] = {commit: {} for commit in commits}
    for (commit, path), text in found.items():
        texts[commit][path] = text
    return replace(diff, texts=SourceTexts(texts[commits[0]], texts[commits[1]]))
