"""Find stored profiles in artifacts and releases: the nearest trusted baseline, and further runs to estimate noise.

The profiles that the run for a fork's pull request stored are untrusted. They are checked before use.
"""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice

from profgate.action.github.baseline_search import (
    NEEDS_APPROVAL,
    TRUSTED_EVENTS,
    UNFINISHED,
    CandidateRun,
    Trust,
    candidate_runs,
    distances,
    newest_artifact,
    usable_artifact,
    will_be_trusted,
)
from profgate.action.github.client import GitHubClient
from profgate.action.github.records import (
    ArtifactRecord,
    CommitRecord,
    PullRecord,
    ReleaseRecord,
    RepositoryRecord,
    WorkflowRun,
)
from profgate.action.github.requests import NotFoundError
from profgate.errors import GitHubError, NotAllowed, ProfileError
from profgate.io.profile_files import LocalSet
from profgate.model.levels import FEWEST_JOBS
from profgate.model.manifest import Manifest, check_files, manifest_from_json
from profgate.model.reason import Reason, ReasonCode, without_repeats
from profgate.model.record import Record
from profgate.model.run_context import TriggeringRun
from profgate.model.source import MANIFEST_NAME, SourceFile, source_of

LATEST = "latest-release"
LISTED = 100  # maximum number of artifacts, commits or runs in one response
MOST_TRIES = 10  # number of runs with an unusable artifact after which the search ends
# These file types are rendered by browsers or GitHub. Profiles do not use them.
SHOWN = frozenset({".css", ".htm", ".html", ".js", ".md", ".mjs", ".pdf", ".png", ".svg", ".xhtml"})


class StoredSet(Record):
    """The profiles that a run stored, with their manifest."""

    candidate: CandidateRun
    files: tuple[SourceFile, ...]
    manifest: Manifest | None


class Found(Record):
    """The baseline (or None), the runs for estimating noise (nearest first), and why runs were skipped.

    ``obstacle`` is the reason why no usable baseline is near enough for the gate to fail.
    """

    baseline: StoredSet | None
    noise: tuple[StoredSet, ...] = ()
    reasons: tuple[Reason, ...] = ()
    obstacle: Reason | None = None

    @property
    def never_recorded(self) -> bool:
        """Whether no base run has ever stored profiles, not even profiles that have expired or cannot be used."""
        never = {ReasonCode.NO_TRUSTED_RUN, ReasonCode.NO_ARTIFACT}
        return self.baseline is None and {reason.code for reason in self.reasons} <= never


class Search(Record):
    """The parameters of a search for stored profiles.

    ``start`` is the baseline commit. ``branches`` are searched in this order. ``listed`` are commits
    that are already known.
    """

    start: str
    trust: Trust
    branches: Sequence[str | None]
    artifact: str
    listed: Sequence[CommitRecord] = ()


def find_stored(
    client: GitHubClient,
    search: Search,
    noise_beside: Callable[[StoredSet], int],
    wait: Callable[[WorkflowRun], bool] = lambda _: False,
) -> Found:
    """Find the nearest usable set of profiles, then as many further sets as ``noise_beside(nearest)`` returns.

    If no run of the baseline commit has completed yet, ``wait`` is called with one that has not ended, unless it
    needs approval. The runs of the commit are requested again as long as ``wait`` returns True.

    Finding the nearest set usually takes three to five requests, and each further set one download. Raises
    `GitHubError` if a request fails.
    """
    chain = _chain(client, search)
    runs = _runs(client, search, chain)
    ordered = candidate_runs(runs, search.trust, search.start, chain)
    while True:
        waiting = (run for run in runs if run.status in UNFINISHED)
        running = next((run for run in waiting if will_be_trusted(run, search.trust, search.start)), None)
        if running is None or (ordered and not ordered[0].distance):
            break
        if running.status == NEEDS_APPROVAL or not wait(running):
            break
        others = [run for run in runs if run.head_sha != search.start]
        runs = others + _listed(client, search.trust, search.start, head_sha=search.start)
        ordered = candidate_runs(runs, search.trust, search.start, chain)
    reasons: list[Reason] = []
    known = client.named_artifacts(search.artifact) if ordered else []
    sets = _sets(client, ordered, search.artifact, known, reasons)
    baseline = next(sets, None)
    obstacle = next((reason for reason in reasons if reason.code is ReasonCode.ARTIFACT_UNUSABLE), None)
    if running is not None:
        obstacle = Reason(ReasonCode.BASELINE_RUNNING, {"run": running.id})
    if baseline is None:
        none = Reason(ReasonCode.NO_TRUSTED_RUN, {"workflow": search.trust.workflow_path, "commits": len(chain)})
        why = without_repeats(filter(None, (obstacle, *reasons))) or (none,)
        return Found(None, (), why, obstacle)
    if not baseline.candidate.distance:
        obstacle = None
    further = noise_beside(baseline)
    farther = ordered[ordered.index(baseline.candidate) + 1 :]
    usable = (usable_artifact(known, search.artifact, candidate.run)[0] for candidate in farther)
    client.start_downloads(islice(filter(None, usable), further))
    noise = tuple(islice(sets, further))
    unread = [reason for reason in reasons if reason.code is ReasonCode.ARTIFACT_UNUSABLE]
    if obstacle is None and len(noise) + 1 < FEWEST_JOBS <= len(noise) + 1 + len(unread):
        obstacle = unread[0]  # with the runs that could not be read, the gate could fail
    return Found(baseline, noise, tuple(reasons), obstacle)


def _chain(client: GitHubClient, search: Search) -> list[CommitRecord]:
    """Return the baseline commit and its ancestors. The commits are requested from GitHub if too few are known."""
    before = distances(search.start, search.listed)
    known = [commit for commit in search.listed if commit.sha in before]
    whole = bool(known) and len(search.listed) < LISTED
    # half a page of commits is enough to find a baseline
    return known if whole or len(known) >= LISTED // 2 else client.ancestors(search.start)


def later_set(client: GitHubClient, run: WorkflowRun, name: str) -> StoredSet:
    """Return the files of a run's artifact. Raises `GitHubError` or `ProfileError` if the files are unusable."""
    artifact, _ = usable_artifact(client.run_artifacts(run.id, name), name, run)
    if artifact is None:
        raise GitHubError(f"run {run.id}", f"has no artifact {name}, or it has expired; a later run stores a new one")
    return stored_set(CandidateRun(run, 0), client.artifact_files(artifact))


def _runs(client: GitHubClient, search: Search, chain: Sequence[CommitRecord]) -> list[WorkflowRun]:
    """Return runs of the first branch or, if none of them is trusted, also runs of the second branch.

    If no run of the baseline commit is among them, the runs of that commit are added.
    """
    trust, start, (first, *others) = search.trust, search.start, search.branches
    found = _listed(client, trust, start, branch=first)
    if others and not candidate_runs(found, trust, start, chain):
        return found + _listed(client, trust, start, branch=others[0])
    if not any(will_be_trusted(run, trust, start) for run in found):
        found += _listed(client, trust, start, head_sha=start)
    return found


def _listed(
    client: GitHubClient, trust: Trust, start: str, branch: str | None = None, head_sha: str | None = None
) -> list[WorkflowRun]:
    """Return the newest runs of a branch or commit.

    GitHub also lists the runs of forks that have a branch of the same name. If these runs fill the list, the runs of
    each trusted event, which forks cannot cause, are requested until a run of the commit ``start`` is found.
    """
    found = client.workflow_runs(trust.workflow_path, branch, head_sha=head_sha)
    if len(found) < LISTED or all(run.event in TRUSTED_EVENTS for run in found):
        return found
    for event in TRUSTED_EVENTS:
        found += client.workflow_runs(trust.workflow_path, branch, event, head_sha)
        if any(will_be_trusted(run, trust, start) for run in found):
            break
    return found


def has_profiles(client: GitHubClient, search: Search) -> bool:
    """Return whether any trusted run stored profiles, under any name, even if they have expired."""
    chain = _chain(client, search)
    seen: set[str] = set()
    for candidate in candidate_runs(_runs(client, search, chain), search.trust, search.start, chain):
        for artifact in client.run_artifacts(candidate.run.id):
            if artifact.name in seen:
                continue
            seen.add(artifact.name)
            with suppress(ProfileError):  # of another tool, which stores what profgate does not read
                if artifact.expired or MANIFEST_NAME in client.artifact_files(artifact):
                    return True
    return False


def had_run(client: GitHubClient, trust: Trust, commit: str) -> bool:
    """Return whether any run of this commit is trusted, or will be trusted when it has completed."""
    return any(will_be_trusted(run, trust, commit) for run in _listed(client, trust, commit, head_sha=commit))


def newest_pull_run(client: GitHubClient, workflow: str, sha: str, repository_id: int | None) -> WorkflowRun | None:
    """Return the newest completed run of a workflow for the head of a pull request from a repository, or None."""
    runs = client.workflow_runs(workflow, event="pull_request", head_sha=sha)
    expected = (workflow, "pull_request", sha, repository_id)
    same = [run for run in runs if (run.workflow_path, run.event, run.head_sha, run.head_repository_id) == expected]
    return max((run for run in same if run.status == "completed"), key=lambda run: run.id, default=None)


def _sets(
    client: GitHubClient,
    ordered: Sequence[CandidateRun],
    name: str,
    known: Sequence[ArtifactRecord],
    reasons: list[Reason],
) -> Iterator[StoredSet]:
    """Yield the usable sets, nearest first. The reasons why runs are skipped are appended to ``reasons``."""
    failures = 0
    for candidate in ordered:
        if failures >= MOST_TRIES:
            return
        here = [artifact for artifact in known if artifact.run_id == candidate.run.id]
        if not here and (len(known) >= LISTED or any(artifact.run_id is None for artifact in known)):
            here = client.run_artifacts(candidate.run.id, name)
        artifact, reason = usable_artifact(here, name, candidate.run)
        if artifact is None:
            # a run that stored nothing is no failure: otherwise, ten such runs would be taken for a first run
            failures += reason.code is not ReasonCode.NO_ARTIFACT
            if len(reasons) < MOST_TRIES:
                reasons.append(reason)
            continue
        try:
            yield stored_set(candidate, client.artifact_files(artifact))
        except NotAllowed:
            raise
        except NotFoundError:  # the artifact expired or was deleted after it was listed
            reasons.append(Reason(ReasonCode.ARTIFACT_EXPIRED, {"run": candidate.run.id, "artifact": name}))
            failures += 1
        except (ProfileError, GitHubError) as error:
            reasons.append(Reason(ReasonCode.ARTIFACT_UNUSABLE, {"run": candidate.run.id, "text": str(error)}))
            failures += 1


def stored_set(candidate: CandidateRun, members: Mapping[str, bytes]) -> StoredSet:
    """Return the files of an artifact as a set of profiles. Raises `ProfileError` if they do not match the manifest."""
    files = {name: data for name, data in members.items() if name != MANIFEST_NAME}
    if not files:
        raise ProfileError(f"artifact of run {candidate.run.id}", "contains no profile; record the baseline again")
    manifest = manifest_from_json(members[MANIFEST_NAME]) if MANIFEST_NAME in members else None
    if manifest is not None:
        check_files(manifest, files)
        if manifest.commit != candidate.run.head_sha:
            raise ProfileError(MANIFEST_NAME, "is of another commit than its run; record the baseline again")
    return StoredSet(candidate, tuple(source_of(name, files[name]) for name in sorted(files)), manifest)


def asset_name(artifact: str) -> str:
    """Return the name of the release asset with the contents of this artifact."""
    return f"{artifact}.zip"


def attached_set(client: GitHubClient, tag: str, commit: str, artifact: str) -> StoredSet | None:
    """Return the profiles attached to the release of a tag, or None if there is no such release or file.

    Raises `ProfileError` if the file was not written by profgate, or if it does not belong to the commit of the tag.
    """
    release = client.release(tag)
    assets = release.assets if release else ()
    asset = next((asset for asset in assets if asset.name == asset_name(artifact)), None)
    if asset is None:
        return None
    members = client.asset_files(asset)
    if MANIFEST_NAME not in members:
        raise ProfileError(
            f"{asset.name} of release {tag}", f"contains no {MANIFEST_NAME}; attach the file that profgate wrote"
        )
    manifest = manifest_from_json(members[MANIFEST_NAME])
    run = WorkflowRun(manifest.run_id, manifest.event, "completed", None, tag, commit, None, RepositoryRecord(0), "")
    return stored_set(CandidateRun(run, 0), members)


def latest(releases: Sequence[ReleaseRecord], but: str) -> str | None:
    """Return the tag of the newest published release that is not a pre-release. The tag ``but`` is skipped."""
    published = (release.tag_name for release in releases if not release.draft and not release.prerelease)
    return next((tag for tag in published if tag != but), None)


class ForkArtifact(LocalSet):
    """Profiles with their manifest. All contents are controlled by the author of the pull request."""

    manifest: Manifest


def fork_artifact(client: GitHubClient, name: str, run: TriggeringRun) -> ForkArtifact | None:
    """Return the profiles in the newest artifact of this name in the finished run, or None if there is no artifact.

    Raises `ProfileError` if the artifact fails a check, and `GitHubError` if a request fails.
    """
    newest = newest_artifact(client.run_artifacts(run.id, name), name, run.id, run.head_sha)
    return None if newest is None else checked_set(client.artifact_files(newest), run)


def checked_set(members: Mapping[str, bytes], run: TriggeringRun) -> ForkArtifact:
    """Check the files of an artifact and return them. Raises a `ProfileError` that describes the first failed check."""
    if MANIFEST_NAME not in members:
        raise ProfileError(MANIFEST_NAME, "is missing beside the profiles; store them with profgate")
    manifest = manifest_from_json(members[MANIFEST_NAME])
    files = {name: data for name, data in members.items() if name != MANIFEST_NAME}
    shown = next((name for name in sorted(files) if posixpath.splitext(name)[1].lower() in SHOWN), "")
    checks = (
        (bool(files), "it contains no profile"),
        (manifest.run_id == run.id, f"the manifest is of run {manifest.run_id}, not of run {run.id}"),
        (manifest.event == run.event, f"the manifest is of the event {manifest.event!r}, not of {run.event}"),
        (not shown, f"{shown!r} is no profile, and untrusted pages are never published"),
    )
    for holds, reason in checks:
        if not holds:
            raise ProfileError(f"artifact of run {run.id}", f"{reason}; no part of it was read")
    check_files(manifest, files)
    return ForkArtifact(tuple(source_of(name, files[name]) for name in sorted(files)), manifest)


def pull_of_run(
    pulls: Iterable[PullRecord], run: TriggeringRun, repository_id: int | None, hint: str = ""
) -> PullRecord | None:
    """Return the open pull request with the same head as this run, or None.

    The head commit, the head repository and the base repository must match. Of several pull requests, the one that the
    ref ``hint`` names (such as ``refs/pull/7/merge``) is preferred, then the lowest number.
    """
    found = [
        pull
        for pull in pulls
        if pull.state == "open"
        and pull.head.sha == run.head_sha
        and pull.head_repository_id is not None
        and pull.head_repository_id == run.head_repository_id
        and pull.base.repo is not None
        and pull.base.repo.id == repository_id
    ]
    return min(found, key=lambda pull: (hint != f"refs/pull/{pull.number}/merge", pull.number), default=None)
