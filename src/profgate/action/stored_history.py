"""Store the history in an artifact of each base run, and read it for comparisons.

Histories are untrusted, because other people may have written them. An error in the history never makes a run fail.
"""

import posixpath
from collections.abc import Callable, Collection, Sequence

from profgate.action.baseline import baseline_commit, named_ref, trusted_files
from profgate.action.github.artifact_source import LATEST, later_set
from profgate.action.github.artifact_upload import upload_profiles
from profgate.action.github.records import WorkflowRun
from profgate.action.job import Job
from profgate.errors import GitHubError, ProfgateError
from profgate.history.ancestry import ancestry_of, first_line
from profgate.history.drift import drift_report, untested
from profgate.history.history_file import FILE, MAX_FILE_BYTES
from profgate.history.history_store import HistoryStore, open_history, open_untrusted
from profgate.history.stored_sides import readings
from profgate.history.trend_report import trend_text, trends_summary
from profgate.history.trends import past_of, reported, reported_texts, trends_along, unknown_of
from profgate.io.files import confined, read_stored, write_bytes
from profgate.io.profile_files import LocalSet
from profgate.io.scratch import scratch_folder
from profgate.model.history import Reading, Retention, StoredCommit
from profgate.model.manifest import Manifest
from profgate.model.policy import LAST_RELEASE, DriftRule, Policy
from profgate.model.record import Record, replace
from profgate.model.report import Report
from profgate.pipeline import PipelineInput

LAST = 150  # number of newest commits to search for changes; earlier runs have reported older changes
ANNOTATED = 5  # maximum number of annotated trends in each direction; the summary lists more


def history_artifact(job: Job) -> str:
    """Return the name of the artifact in which a run stores its history."""
    return f"{job.settings.artifact}-history"


def extend_history(job: Job, profiles: LocalSet, manifest: Manifest, policy: Policy) -> Report | None:
    """Add the readings of this run to the history, report new trends, and store the history as an artifact.

    Return the report on the drift of the branch if the policy limits it. The histories of the nearest runs are merged,
    so that readings from concurrent runs are not lost.
    """
    folder, report = confined(posixpath.join(job.output_dir, "history"), job.output_dir), None
    try:
        # the search includes this commit, because another run may have measured it too
        commit = replace(baseline_commit(job), sha=job.context.sha)
        with open_history(folder, write=True) as store:
            # two further histories may contain readings from concurrent runs
            for name, data in trusted_files(job, commit, history_artifact(job), FILE, 3):
                with job.warning_on_failure(f"the history of {name} is left out", ProfgateError):
                    _merge(job, store, name, data)
            _add(job, store, profiles, manifest, policy)
            _report_trends(job, store)
            report = _drift(job, store, policy.drift, policy) if policy.drift else None
            store.prune(Retention(profiles=0))
        data = read_stored(posixpath.join(folder, FILE), MAX_FILE_BYTES)
    except ProfgateError as error:
        # A token that cannot read runs causes no warning, because storing baselines does not need that permission.
        warn = job.log if isinstance(error, GitHubError) else job.warn
        warn(f"the history was not extended: {error}")
        return untested(str(error), job.context.sha, policy.drift, policy) if policy.drift else None
    shown = posixpath.join(job.settings.output_dir, "history")
    if warning := upload_profiles(job.uploads, history_artifact(job), {FILE: data}, shown, job.context.run_url):
        job.warn(warning)
    return report


def _merge(job: Job, store: HistoryStore, name: str, data: bytes) -> None:
    with scratch_folder() as folder:
        place = posixpath.join(folder, FILE)
        write_bytes(place, data)
        with open_untrusted(place) as other:
            added = store.merge(other)
    job.log(f"history of {name}: {added} readings")


def _add(job: Job, store: HistoryStore, profiles: LocalSet, manifest: Manifest, policy: Policy) -> None:
    """Store the readings of this run and its commit's ancestors."""
    context = job.context
    recorded_by = f"{context.run_id}/{context.run_attempt}/{context.job}"
    commits = job.client.ancestors(context.sha)
    with store.writing():
        store.add_commits(
            StoredCommit(commit.sha, commit.parents, int(commit.date.timestamp()), commit.title) for commit in commits
        )
        for reading in readings(profiles.files, policy, context.sha, recorded_by, keep=False):
            store.add([replace(reading, facts=manifest.facts_of(reading.name, reading.facts))])


def _drift(job: Job, store: HistoryStore, rule: DriftRule, policy: Policy) -> Report:
    """Return the report on the drift since the newest published release or another ref."""
    try:
        ref = named_ref(job, LATEST if rule.since == LAST_RELEASE else rule.since)
        fixed = [commit.sha for commit in job.client.ancestors(job.client.commit_sha(ref))]
        return drift_report(store, store.commits(), job.context.sha, fixed, replace(rule, since=ref), policy)
    except ProfgateError as error:
        return untested(str(error), job.context.sha, rule, policy)


def _report_trends(job: Job, store: HistoryStore) -> None:
    """Report persistent changes that no earlier run has reported, as annotations and in the step summary."""
    try:
        graph = store.commits()
        line = first_line(job.context.sha, graph)[-LAST:]
        new = unknown_of(trends_along(store, line), reported(store), line)
        store.add_reported_trends(reported_texts(store, new))
    except ProfgateError as error:
        job.warn(f"persistent changes were not searched for: {error}")
        return
    if not new:
        return
    for trend in [trend for trend in new if trend.worse][:ANNOTATED]:
        job.warn(trend_text(trend, graph), title="profgate: lasting regression")
    for trend in [trend for trend in new if not trend.worse][:ANNOTATED]:
        job.notice(trend_text(trend, graph), title="profgate: lasting improvement")
    job.commands.add_summary(trends_summary(new, graph).text)


class Known(Record):
    """The history before a baseline: the readings of a series, and the number of measured commits."""

    past: Callable[[str], Sequence[Reading]]
    commits: int

    def added_to(self, given: PipelineInput, read: Collection[str]) -> PipelineInput:
        """Return the input with the stored readings, but not those of the ``read`` commits."""

        def past(key: str) -> Sequence[Reading]:
            return [reading for reading in self.past(key) if reading.commit not in read]

        return replace(given, past=past)


def known_before(job: Job, run: WorkflowRun) -> Known | None:
    """Return the history before the commit of a run, from an artifact of the run, or None if it cannot be used."""
    try:
        stored = later_set(job.client, run, history_artifact(job))
        data = next((source.read(MAX_FILE_BYTES) for source in stored.files if source.name == FILE), b"")
        place = posixpath.join(job.connections.enter_context(scratch_folder()), FILE)
        write_bytes(place, data)
        store = job.connections.enter_context(open_untrusted(place))
        measured, graph = store.measured_commits(), store.commits()
        ancestry = ancestry_of(run.head_sha, graph)
    except ProfgateError as error:
        job.log(f"no history is used: {error}")
        return None
    before = len(measured.keys() & set(ancestry))
    job.log(f"history: {before} measured commits before the baseline")

    def past(key: str) -> Sequence[Reading]:
        try:
            return past_of(store, ancestry, key)
        except ProfgateError as error:
            job.warn(f"the history is left out: {error}")
            return ()

    return Known(past, before)
