"""The history in the action: base runs carry it on from run to run in an artifact or a branch, comparisons read it.

Both are what somebody wrote: they are opened as a stranger's file. What is wrong with the history never fails a
run: it is told, and the run goes on without.
"""

import posixpath
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from profgate import wiring
from profgate.action.baseline import fair_baseline, trusted_files
from profgate.action.history_branch import branch_history, keep_in_branch
from profgate.action.job import Job
from profgate.action.trends import tell_trends
from profgate.action.unchanged import tried
from profgate.adapters.files import read_bytes, scratch_folder, write_bytes
from profgate.adapters.history_file import FILE
from profgate.adapters.history_reader import MAX_FILE_BYTES, HistoryReader, open_untrusted
from profgate.adapters.history_store import HistoryStore, open_history
from profgate.errors import GitHubError, ProfgateError
from profgate.history.ancestry import ancestors
from profgate.history.false_alarms import with_false_alarms
from profgate.history.past import past_of
from profgate.model.github_records import RunRecord
from profgate.model.history import Reading, Retention, StoredCommit, StoredJob, StoredVerdict
from profgate.model.manifest import Manifest
from profgate.model.policy import Policy
from profgate.pipeline import PipelineInput
from profgate.publish.artifacts import upload_profiles
from profgate.sources.artifact_source import later_set
from profgate.sources.local import LocalSet

FOLDER = "history"
KEPT = Retention(profiles=0)
FARTHER = 2  # histories beside the nearest that are looked into for what runs at the same time added


def history_artifact(job: Job) -> str:
    """The name under which a run stores its history."""
    return f"{job.settings.artifact}-history"


def carry_on(job: Job, profiles: LocalSet, manifest: Manifest, policy: Policy) -> None:
    """Adds this run to the history of the runs before it and stores it; a comparison of equal code is tried on the way.

    The histories of the nearest runs are put together, so that what two runs added at the same time is kept.
    """
    if job.settings.history == "off":
        return
    folder = posixpath.join(job.output_dir, FOLDER)
    try:
        # from this commit on: another run may have measured it
        fair = replace(fair_baseline(job), start=job.context.sha)
        with open_history(folder, write=True) as store:
            head = _join_branch(job, store)
            # also beside a branch: there is what was kept before it, and what could not be written to it
            for name, data in trusted_files(job, fair, history_artifact(job), FILE, 1 + FARTHER):
                try:
                    _take_over(job, store, name, data)
                except ProfgateError as error:
                    job.commands.warning(f"the history of {name} is left out: {error}", title="profgate")
            _add(job, store, profiles, manifest, policy)
            tell_trends(job, store, policy)
            store.prune(KEPT)
        if job.settings.history == "branch" and _kept_in_branch(job, folder, head):
            return
        data = read_bytes(posixpath.join(folder, FILE))
    except GitHubError as error:  # a token that cannot read runs; baselines are stored without it as well
        job.commands.log(f"the history was not carried on: {error}")
        return
    except ProfgateError as error:
        job.commands.warning(f"the history was not carried on: {error}", title="profgate")
        return
    shown = posixpath.join(job.settings.output_dir, FOLDER)
    if warning := upload_profiles(job.uploads, history_artifact(job), {FILE: data}, shown, job.context.run_url):
        job.commands.warning(warning, title="profgate")


def _take_over(job: Job, store: HistoryStore, name: str, data: bytes) -> None:
    with scratch_folder() as folder:
        place = posixpath.join(folder, FILE)
        write_bytes(place, data)
        with open_untrusted(place) as other:
            added = store.merge(other)
    job.commands.log(f"history of {name}: {added} readings")


def _join_branch(job: Job, store: HistoryStore) -> str | ProfgateError | None:
    """The commit of the branch whose history the store holds now; the error where it cannot be read."""
    if job.settings.history != "branch":
        return None
    try:
        head, data = branch_history(job)
        if data is not None:
            _take_over(job, store, f"commit {head}", data)
    except ProfgateError as error:
        return error
    return head


def _kept_in_branch(job: Job, folder: str, head: str | ProfgateError | None) -> bool:
    def join(data: bytes) -> None:
        with open_history(folder, write=True) as store:
            _take_over(job, store, "another run", data)
            store.prune(KEPT)

    return keep_in_branch(job, head, lambda: read_bytes(posixpath.join(folder, FILE)), join)


def _add(job: Job, store: HistoryStore, profiles: LocalSet, manifest: Manifest, policy: Policy) -> None:
    """This run's readings and the commits before it."""
    context = job.context
    who = StoredJob(f"{context.run_id}/{context.run_attempt}/{context.job}", context.ref, context.event_name)
    made = [
        replace(one, facts=manifest.facts_of(one.name, one.facts))
        for one in wiring.readings(profiles.files, policy, context.sha, who, keep=False)
    ]
    commits = [
        StoredCommit(one.sha, one.parents, int(one.date.timestamp())) for one in job.client.ancestors(context.sha)
    ]
    store.add_commits(commits)
    verdicts = tried(job, store, made, policy, lambda commit: _past(job, store, commit))
    with store.writing():
        store.add(made)
        store.add_verdicts(verdicts)


@dataclass(frozen=True, slots=True)
class Known:
    """What a history says of the time before a baseline; ``commits`` were measured then."""

    past: Callable[[str], Sequence[Reading]]
    unchanged: Sequence[StoredVerdict]
    commits: int

    def beside(self, given: PipelineInput, read: Collection[str]) -> PipelineInput:
        """The input with noise of the commits that were not read already, and the false alarms."""

        def past(key: str) -> Sequence[Reading]:
            return [one for one in self.past(key) if one.commit not in read]

        return replace(given, policy=with_false_alarms(given.policy, self.unchanged), past=past)


def known_before(job: Job, run: RunRecord) -> Known | None:
    """What the history in the branch, else the one that a run stored, says of the time before that run's commit.

    None where it cannot be used.
    """
    if job.settings.history == "off":
        return None
    try:
        data = branch_history(job)[1] if job.settings.history == "branch" else None
        if data is None:
            stored = later_set(job.client, run, history_artifact(job))
            data = next((source.read(MAX_FILE_BYTES) for source in stored.files if source.name == FILE), b"")
        place = posixpath.join(job.connections.enter_context(scratch_folder()), FILE)
        write_bytes(place, data)
        store = job.connections.enter_context(open_untrusted(place))
        measured, graph = store.measured_commits(), store.commits()
        before = [one.sha for one in ancestors(run.head_sha, graph) if one.distance and one.sha in measured]
        unchanged = store.verdicts("unchanged")
    except ProfgateError as error:
        job.commands.log(f"no history is used: {error}")
        return None
    job.commands.log(f"history: {len(before)} measured commits before the baseline")
    return Known(_past(job, store, run.head_sha), unchanged, len(before))


def _past(job: Job, store: HistoryReader, baseline: str) -> Callable[[str], Sequence[Reading]]:
    """What gives the readings of a baseline's ancestors by the key of a series, back to the last lasting change."""
    way_back = [one.sha for one in ancestors(baseline, store.commits()) if one.distance]

    def past(key: str) -> Sequence[Reading]:
        try:
            return past_of(store, way_back, key)
        except ProfgateError as error:
            job.commands.warning(f"the history is left out: {error}", title="profgate")
            return ()

    return past
