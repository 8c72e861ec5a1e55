"""Store the history in an artifact or a branch after base runs, and read it for comparisons.

The branch has only one commit with one file, so that the repository does not grow. Histories are untrusted, because
other people may have written them. An error in the history never makes a run fail.
"""

import posixpath
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from profgate.action.baseline import baseline_commit, trusted_files
from profgate.action.job import Job
from profgate.attribution.reach import leaves_alone
from profgate.errors import GitHubError, ProfgateError
from profgate.github.artifact_source import later_set
from profgate.github.artifact_upload import upload_profiles
from profgate.github.records import WorkflowRun
from profgate.history.ancestry import ancestors, first_line, nearest
from profgate.history.false_alarms import UnchangedTrial, trials_at, with_false_alarms
from profgate.history.history_file import FILE, MAX_FILE_BYTES
from profgate.history.history_reader import HistoryReader, open_untrusted
from profgate.history.history_store import HistoryStore, open_history
from profgate.history.opening import open_any
from profgate.history.stored_profiles import readings, trend_rules, tried
from profgate.history.trend_report import trend_text, trends_summary
from profgate.history.trends import past_of, reported_texts, trends_along, unreported
from profgate.io.files import confined, read_bytes, scratch_folder, write_bytes
from profgate.io.profile_files import LocalSet
from profgate.model.history import Reading, Retention, StoredCommit, StoredJob, StoredVerdict
from profgate.model.manifest import Manifest
from profgate.model.policy import Policy
from profgate.pipeline import PipelineInput

FOLDER = "history"
RETENTION = Retention(profiles=0)
NEARBY = 2  # number of further histories to merge; they may contain readings from concurrent runs
LAST = 150  # number of newest commits to search for changes; earlier runs have reported older changes
ANNOTATED = 5  # maximum number of annotated trends in each direction; the summary lists more
MAX_BYTES = 50 << 20  # maximum file size in the branch; base64 adds a third, and GitHub's limit is 100 MB
TRIES = 3


def history_artifact(job: Job) -> str:
    """Return the name of the artifact in which a run stores its history."""
    return f"{job.settings.artifact}-history"


def extend_history(job: Job, profiles: LocalSet, manifest: Manifest, policy: Policy) -> None:
    """Add the readings of this run and the gate's verdicts on unchanged code to the history, and store the history.

    The histories of the nearest runs are merged, so that readings from concurrent runs are not lost.
    """
    if job.settings.history == "off":
        return
    folder = confined(posixpath.join(job.output_dir, FOLDER), job.output_dir)
    try:
        # the search includes this commit, because another run may have measured it too
        commit = replace(baseline_commit(job), sha=job.context.sha)
        with open_history(folder, write=True) as store:
            head = _merge_branch(job, store)
            # Artifacts may contain readings that are missing from the branch.
            for name, data in trusted_files(job, commit, history_artifact(job), FILE, 1 + NEARBY):
                with job.warning_on_failure(f"the history of {name} is left out", ProfgateError):
                    _merge(job, store, name, data)
            added = _add(job, store, profiles, manifest, policy)
            _report_trends(job, store, policy)
            if "/" in job.settings.history:
                with job.warning_on_failure(f"the history {job.settings.history} was not extended", ProfgateError):
                    _add_elsewhere(job, store, added)
            store.prune(RETENTION)
        if job.settings.history == "branch" and _stored_in_branch(job, folder, head):
            return
        data = read_bytes(posixpath.join(folder, FILE))
    except ProfgateError as error:
        # A token that cannot read runs causes no warning, because storing baselines does not need that permission.
        report = job.log if isinstance(error, GitHubError) else job.warn
        report(f"the history was not extended: {error}")
        return
    shown = posixpath.join(job.settings.output_dir, FOLDER)
    if warning := upload_profiles(job.uploads, history_artifact(job), {FILE: data}, shown, job.context.run_url):
        job.warn(warning)


def _merge(job: Job, store: HistoryStore, name: str, data: bytes) -> None:
    with scratch_folder() as folder:
        place = posixpath.join(folder, FILE)
        write_bytes(place, data)
        with open_untrusted(place) as other:
            added = store.merge(other)
    job.log(f"history of {name}: {added} readings")


def _merge_branch(job: Job, store: HistoryStore) -> str | ProfgateError | None:
    """Merge the history from the branch. Return the branch's head, or the error if it cannot be read."""
    if job.settings.history != "branch":
        return None
    try:
        head, data = _branch_history(job)
        if data is not None:
            _merge(job, store, f"commit {head}", data)
    except ProfgateError as error:
        return error
    return head


def _branch(job: Job) -> str:
    """Return the name of the history branch. There is a separate branch for each key."""
    key = job.settings.key
    return "profgate-history" if key == "default" else f"profgate-history-{key}"


def _branch_history(job: Job) -> tuple[str | None, bytes | None]:
    """Return the head of the history branch and the content of its file. Both are None if there is no such branch.

    Raises GitHubError if the branch contains no history file, because profgate did not create such a branch.
    """
    branch = _branch(job)
    head = job.client.branch_head(branch)
    if head is None:
        return None, None
    data = job.client.file_of_commit(head, FILE, max_bytes=MAX_BYTES)
    if data is None:
        raise GitHubError(
            f"branch {branch}", f"contains no {FILE}; rename the branch, and the next base run creates it"
        )
    return head, data


def _stored_in_branch(job: Job, folder: str, head: str | ProfgateError | None) -> bool:
    """Write the history to the branch, and return whether this succeeded. A failure causes a warning.

    ``head`` is the head of the branch when it was read, or the error if it could not be read; then the branch is not
    changed. If another run has changed the branch in the meantime, its history is merged.
    """
    branch = _branch(job)
    try:
        if isinstance(head, ProfgateError):
            raise head
        for _ in range(TRIES):
            data = read_bytes(posixpath.join(folder, FILE))
            if len(data) > MAX_BYTES:
                what = f"has {len(data):,} bytes, more than the {MAX_BYTES:,} that a branch may hold"
                raise ProfgateError(FILE, what)  # noqa: TRY301
            if job.client.replace_branch(branch, head, FILE, data, f"History up to {job.context.sha}"):
                job.log(f"stored the history in the branch {branch}")
                return True
            head, stored = _branch_history(job)
            if stored is not None:
                with open_history(folder, write=True) as store:
                    _merge(job, store, "another run", stored)
                    store.prune(RETENTION)
        what = f"other runs moved it {TRIES} times meanwhile; the next run merges their histories"
        raise ProfgateError(branch, what)  # noqa: TRY301
    except ProfgateError as error:
        job.warn(f"the history is stored as an artifact, not in the branch {branch}: {error}")
        return False


def _add(job: Job, store: HistoryStore, profiles: LocalSet, manifest: Manifest, policy: Policy) -> list[Reading]:
    """Store this run's readings, its commit's ancestors and verdicts on unchanged code. Return the readings."""
    context = job.context
    who = StoredJob(f"{context.run_id}/{context.run_attempt}/{context.job}", context.ref, context.event_name)
    added = [
        replace(reading, facts=manifest.facts_of(reading.name, reading.facts))
        for reading in readings(profiles.files, policy, context.sha, who, keep=False)
    ]
    commits = job.client.ancestors(context.sha)
    store.add_commits(StoredCommit(commit.sha, commit.parents, int(commit.date.timestamp())) for commit in commits)
    trials = _trials(job, store, added, policy) if added else ()
    verdicts = [tried(trial, policy, _past(job, store, trial.baseline)) for trial in trials]
    with store.writing():
        store.add(added)
        store.add_verdicts(verdicts)
    return added


def _add_elsewhere(job: Job, store: HistoryStore, added: Sequence[Reading]) -> None:
    """Add the readings of this run to the history that the input names. It is only written, so that it can be large."""
    place = job.settings.history
    address = place if "://" in place else posixpath.join(job.context.workspace, place)
    with open_any(address, write=True) as other, other.writing():
        other.add_commits(store.commits().values())
        number = other.add(added)
    job.log(f"{place}: {number} readings added")


def _trials(job: Job, store: HistoryStore, added: Sequence[Reading], policy: Policy) -> Iterator[UnchangedTrial]:
    """Yield comparisons of this run's readings, which are not yet stored, with earlier readings of unchanged code."""
    commit, name = added[0].commit, added[0].job.identity
    earlier = [reading for reading in store.readings(None, [commit]) if reading.job.identity != name]
    yield from trials_at(earlier, added, name)
    before = nearest(commit, store.commits(), store.measured_commits())
    if before is None:
        return
    try:
        paths = job.client.files_between(before.sha, commit)
    except GitHubError as error:
        job.log(f"not known whether the code changed since {before.sha}: {error}")
        return
    if leaves_alone(paths or (), policy.unchanged_paths):
        yield UnchangedTrial(before.sha, commit, name, list(store.readings(None, [before.sha])), added)


def _report_trends(job: Job, store: HistoryStore, policy: Policy) -> None:
    """Report persistent changes that no earlier run has reported, as annotations and in the step summary."""
    try:
        graph = store.commits()
        line = first_line(job.context.sha, graph)[-LAST:]
        new = unreported(store, trends_along(store, line, trend_rules(policy)), line)
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


@dataclass(frozen=True, slots=True)
class Known:
    """The history before a baseline: readings by series, verdicts on unchanged code, number of measured commits."""

    past: Callable[[str], Sequence[Reading]]
    unchanged: Sequence[StoredVerdict]
    commits: int

    def added_to(self, given: PipelineInput, read: Collection[str]) -> PipelineInput:
        """Return the input with the gate's false alarms and the stored readings, but not those of ``read`` commits."""

        def past(key: str) -> Sequence[Reading]:
            return [reading for reading in self.past(key) if reading.commit not in read]

        return replace(given, policy=with_false_alarms(given.policy, self.unchanged), past=past)


def known_before(job: Job, run: WorkflowRun) -> Known | None:
    """Return the history before the commit of a run, from the branch or else from an artifact of the run.

    Returns None if the history is switched off or cannot be used.
    """
    if job.settings.history == "off":
        return None
    try:
        data = _branch_history(job)[1] if job.settings.history == "branch" else None
        if data is None:
            stored = later_set(job.client, run, history_artifact(job))
            data = next((source.read(MAX_FILE_BYTES) for source in stored.files if source.name == FILE), b"")
        place = posixpath.join(job.connections.enter_context(scratch_folder()), FILE)
        write_bytes(place, data)
        store = job.connections.enter_context(open_untrusted(place))
        measured, graph = store.measured_commits(), store.commits()
        before = [commit.sha for commit in ancestors(run.head_sha, graph) if commit.distance and commit.sha in measured]
        unchanged = store.verdicts()
    except ProfgateError as error:
        job.log(f"no history is used: {error}")
        return None
    job.log(f"history: {len(before)} measured commits before the baseline")
    return Known(_past(job, store, run.head_sha), unchanged, len(before))


def _past(job: Job, store: HistoryReader, baseline: str) -> Callable[[str], Sequence[Reading]]:
    """Return a function that returns the readings of a series, given its key, at the ancestors of the baseline."""
    ancestry = [commit.sha for commit in ancestors(baseline, store.commits()) if commit.distance]

    def past(key: str) -> Sequence[Reading]:
        try:
            return past_of(store, ancestry, key)
        except ProfgateError as error:
            job.warn(f"the history is left out: {error}")
            return ()

    return past
