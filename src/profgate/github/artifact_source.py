"""Find stored profiles in artifacts and releases: the nearest trusted baseline, and more runs to estimate noise."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from profgate.errors import GitHubError, NotAllowed, ProfileError
from profgate.github.baseline_search import Candidate, Trust, candidates, distances, distrust, usable_artifact
from profgate.github.client import GitHubClient
from profgate.github.records import ArtifactRecord, CommitRecord, ReleaseRecord, Repository, RunRecord
from profgate.model.manifest import MANIFEST_NAME, Manifest, check_files, manifest_from_json
from profgate.model.reason import Parameter, Reason, ReasonCode
from profgate.model.source import SourceFile, source_of

LATEST = "latest-release"
LISTED = 100  # number of artifacts or commits in one response
ENOUGH = 50  # if as many commits are known, no further commits are requested
MOST_TRIES = 10  # candidates without a usable artifact before the search ends


@dataclass(frozen=True, slots=True)
class StoredSet:
    """The profiles that a run stored, with their manifest."""

    candidate: Candidate
    files: tuple[SourceFile, ...]
    manifest: Manifest | None


@dataclass(frozen=True, slots=True)
class Found:
    """The baseline (None if not found), the noise runs in order of distance, and the reasons why runs were skipped.

    ``later`` is the newest trusted run of the base branch after the baseline commit.
    """

    baseline: StoredSet | None
    noise: tuple[StoredSet, ...] = ()
    reasons: tuple[Reason, ...] = ()
    later: RunRecord | None = None

    @property
    def never_recorded(self) -> bool:
        """Whether no base run ever stored profiles.

        The value is False if stored profiles have expired or are unusable.
        """
        never = {ReasonCode.NO_TRUSTED_RUN, ReasonCode.NO_ARTIFACT}
        return self.baseline is None and {reason.code for reason in self.reasons} <= never


@dataclass(frozen=True, slots=True)
class Search:
    """The parameters of a search for stored profiles.

    ``start`` is the baseline commit. Runs of ``branches`` are listed in this order. ``base`` is the base branch, which
    is also searched for later runs. ``listed`` contains the commits that are already known.
    """

    start: str
    trust: Trust
    branches: Sequence[str | None]
    artifact: str
    base: str = ""
    listed: Sequence[CommitRecord] = ()


def find_stored(client: GitHubClient, search: Search, noise_beside: Callable[[StoredSet], int]) -> Found:
    """Find the nearest usable set, then as many further sets as ``noise_beside(nearest)`` returns.

    The nearest set needs three to five requests: for commits (unless known), runs (two if the first list lacks the
    baseline commit), artifacts, and the download. Each further set needs one download. If a run's artifacts are not
    among the newest 100, one more request lists them. Raises `GitHubError` if a request fails.
    """
    chain = _chain(client, search)
    runs = _runs(client, search, chain)
    ordered = candidates(runs, search.trust, search.start, chain)
    reasons: list[Reason] = []
    sets = _sets(client, ordered, search.artifact, reasons)
    baseline = next(sets, None)
    if baseline is None:
        parameters: dict[str, Parameter] = {"workflow": search.trust.workflow_path, "commits": len(chain)}
        reasons = reasons or [Reason(ReasonCode.NO_TRUSTED_RUN, parameters)]
        return Found(None, (), tuple(reasons), _later(runs, search, chain, 0))
    noise = tuple(islice(sets, noise_beside(baseline)))
    return Found(baseline, noise, tuple(reasons), _later(runs, search, chain, baseline.candidate.run.id))


def _chain(client: GitHubClient, search: Search) -> list[CommitRecord]:
    """Return the baseline commit and its ancestors. The commits are requested from GitHub if too few are known."""
    before = distances(search.start, search.listed)
    known = [commit for commit in search.listed if commit.sha in before]
    whole = bool(known) and len(search.listed) < LISTED
    return known if whole or len(known) >= ENOUGH else client.ancestors(search.start)


def later_set(client: GitHubClient, run: RunRecord, name: str) -> StoredSet:
    """Return the files of a run's artifact. Raises `GitHubError` or `ProfileError` if they cannot be used."""
    artifact, _ = usable_artifact(client.run_artifacts(run.id, name), name, run)
    if artifact is None:
        raise GitHubError(f"run {run.id}", f"has no artifact {name}, or it has expired; a later run stores a new one")
    return stored_set(Candidate(run, 0), client.artifact_files(artifact))


def _later(runs: Sequence[RunRecord], search: Search, chain: Sequence[CommitRecord], oldest: int) -> RunRecord | None:
    """Return the newest later run of the base branch whose commit is not in the baseline's history, or None."""
    before = distances(search.start, chain)
    trust = replace(search.trust, branches=frozenset({search.base}))
    newer = [
        run
        for run in runs
        if run.id > oldest and run.head_sha not in before and not distrust(run, trust, {run.head_sha: 0})
    ]
    return max(newer, key=lambda run: run.id, default=None)


def _runs(client: GitHubClient, search: Search, chain: Sequence[CommitRecord]) -> list[RunRecord]:
    """Return runs of the first branch and, if none of them is trusted, also runs of the second branch.

    Otherwise, runs of the baseline commit are added if the list contains none. This takes at most two requests.
    """
    workflow, (first, *others) = search.trust.workflow_path, search.branches
    found = client.workflow_runs(workflow, branch=first)
    if others and not candidates(found, search.trust, search.start, chain):
        return found + client.workflow_runs(workflow, branch=others[0])
    if not any(run.head_sha == search.start for run in found):
        found += client.workflow_runs(workflow, head_sha=search.start)
    return found


def _sets(client: GitHubClient, ordered: Sequence[Candidate], name: str, reasons: list[Reason]) -> Iterator[StoredSet]:
    """Yield usable sets, nearest first, and append the reasons why runs were skipped to ``reasons``."""
    failures = 0
    known = client.named_artifacts(name) if ordered else []
    for candidate in ordered:
        if failures >= MOST_TRIES:
            return
        artifact, reason = usable_artifact(_of_run(client, candidate.run, name, known), name, candidate.run)
        if artifact is None:
            reasons.extend(filter(None, [reason]))
            failures += 1
            continue
        try:
            yield stored_set(candidate, client.artifact_files(artifact))
        except NotAllowed:
            raise
        except (ProfileError, GitHubError) as error:
            reasons.append(Reason(ReasonCode.ARTIFACT_UNUSABLE, {"run": candidate.run.id, "text": str(error)}))
            failures += 1


def _of_run(client: GitHubClient, run: RunRecord, name: str, known: Sequence[ArtifactRecord]) -> list[ArtifactRecord]:
    """Return the artifacts of a run, which are requested only if the list ``known`` may lack them."""
    found = [artifact for artifact in known if artifact.workflow_run and artifact.workflow_run.id == run.id]
    return found if found or len(known) < LISTED else client.run_artifacts(run.id, name)


def stored_set(candidate: Candidate, members: Mapping[str, bytes]) -> StoredSet:
    """Return the files of an artifact as sources. Raises `ProfileError` if they do not match the manifest."""
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

    Raises `ProfileError` if profgate did not attach the file, or if it belongs to another commit than the tag.
    """
    release = client.release(tag)
    assets = release.assets if release else ()
    asset = next((asset for asset in assets if asset.name == asset_name(artifact)), None)
    if asset is None:
        return None
    members = client.asset_files(asset)
    if MANIFEST_NAME not in members:
        raise ProfileError(
            f"{asset.name} of release {tag}", f"contains no {MANIFEST_NAME}; attach it again with profgate"
        )
    manifest = manifest_from_json(members[MANIFEST_NAME])
    run = RunRecord(manifest.run_id, manifest.event, "completed", None, tag, commit, None, Repository(0), "")
    return stored_set(Candidate(run, 0), members)


def latest(releases: Sequence[ReleaseRecord], but: str) -> str | None:
    """Return the tag of the newest published release that is no pre-release; the tag ``but`` is skipped."""
    published = (release.tag_name for release in releases if not release.draft and not release.prerelease)
    return next((tag for tag in published if tag != but), None)
