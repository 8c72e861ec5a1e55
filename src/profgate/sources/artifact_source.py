"""Profiles from stored artifacts: the nearest trustworthy baseline, and further runs for noise."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from profgate.errors import GitHubError, NotAllowed, ProfileError
from profgate.model.github_records import ArtifactRecord, CommitRecord, RunRecord
from profgate.model.manifest import MANIFEST_NAME, Manifest, manifest_from_json
from profgate.model.source import SourceFile, source_of
from profgate.sources.baseline_search import Candidate, Trust, candidates, distances, distrust, usable_artifact

LISTED = 100  # artifacts of one name, or commits, that one request shows
ENOUGH = 50  # commits before the fair one, of which an earlier answer may serve
MOST_TRIES = 10  # candidates without usable artifact that are asked about before a baseline is given up


class Artifacts(Protocol):
    """What is needed of the client."""

    def ancestors(self, sha: str, limit: int = 100) -> list[CommitRecord]: ...  # noqa: D102 - as GitHubClient
    def workflow_runs(  # noqa: D102
        self, workflow_file: str, branch: str | None = None, event: str | None = None, head_sha: str | None = None
    ) -> list[RunRecord]: ...
    def run_artifacts(self, run_id: int, name: str | None = None) -> list[ArtifactRecord]: ...  # noqa: D102
    def named_artifacts(self, name: str) -> list[ArtifactRecord]: ...  # noqa: D102
    def artifact_files(self, artifact: ArtifactRecord) -> dict[str, bytes]: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class StoredSet:
    """The profiles one run stored."""

    candidate: Candidate
    files: tuple[SourceFile, ...]
    manifest: Manifest | None


@dataclass(frozen=True, slots=True)
class Found:
    """The baseline, None where there is none; noise runs in order of distance; what was passed over and why.

    ``later`` is the newest trusted run of the base branch beyond the fair commit.
    """

    baseline: StoredSet | None
    noise: tuple[StoredSet, ...] = ()
    reasons: tuple[str, ...] = ()
    later: RunRecord | None = None


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for: ``start`` is the fair commit, ``branches`` are asked for runs in this order.

    ``base`` is the branch whose later state is of interest, ``listed`` what is known of the commits before ``start``.
    """

    start: str
    trust: Trust
    branches: Sequence[str | None]
    artifact: str
    noise_runs: int = field(default=0)
    base: str = ""
    listed: Sequence[CommitRecord] = ()


def find_stored(client: Artifacts, search: Search, noise_beside: Callable[[StoredSet], int] | None = None) -> Found:
    """The nearest usable set, and up to ``noise_runs`` further ones. Raises `GitHubError` where GitHub fails.

    The nearest costs three to five requests: commits unless they are known, runs (twice where the first list does not
    show the fair commit), artifacts, and the download. Every further one costs its download. Only a run whose artifact
    is older than the newest hundred of its name is asked about by itself. ``noise_beside`` says, once the nearest is
    known, how many further ones are of use.
    """
    chain = _chain(client, search)
    runs = _runs(client, search, chain)
    ordered = candidates(runs, search.trust, search.start, chain)
    reasons: list[str] = []
    sets = _sets(client, ordered, search.artifact, reasons)
    baseline = next(sets, None)
    if baseline is None:
        reasons = reasons or [f"no trusted run of {search.trust.workflow_path} on the last {len(chain)} commits"]
        return Found(None, (), tuple(reasons), _later(runs, search, chain, 0))
    wanted = search.noise_runs if noise_beside is None else noise_beside(baseline)
    noise = tuple(one for _, one in zip(range(wanted), sets, strict=False))
    return Found(baseline, noise, tuple(reasons), _later(runs, search, chain, baseline.candidate.run.id))


def _chain(client: Artifacts, search: Search) -> list[CommitRecord]:
    """The fair commit and those before it; asked for where too few are known, as a long pull request fills a list."""
    before = distances(search.start, search.listed)
    known = [one for one in search.listed if one.sha in before]
    whole = bool(known) and len(search.listed) < LISTED
    return known if whole or len(known) >= ENOUGH else client.ancestors(search.start)


def later_set(client: Artifacts, run: RunRecord, name: str) -> StoredSet:
    """What a later run of the base branch stored. Raises `GitHubError` or `ProfileError` where it is not to be had."""
    artifact, reason = usable_artifact(client.run_artifacts(run.id, name), name, run)
    if artifact is None:
        raise GitHubError(f"run {run.id}", f"{reason}; it is of use only as long as it is stored")
    return stored_set(Candidate(run, 0), client.artifact_files(artifact))


def _later(runs: Sequence[RunRecord], search: Search, chain: Sequence[CommitRecord], oldest: int) -> RunRecord | None:
    """The newest run of the base branch that is newer than the baseline's and not of its history."""
    before = distances(search.start, chain)
    trust = replace(search.trust, branches=frozenset({search.base}))
    newer = [
        run
        for run in runs
        if run.id > oldest and run.head_sha not in before and not distrust(run, trust, {run.head_sha: 0})
    ]
    return max(newer, key=lambda run: run.id, default=None)


def _runs(client: Artifacts, search: Search, chain: Sequence[CommitRecord]) -> list[RunRecord]:
    """Runs of the first branch, and of the second where it has none; else of a fair commit that the list lacks.

    Two requests at most: a branch without trusted runs is seldom the one on which the fair commit was recorded.
    """
    workflow, (first, *others) = search.trust.workflow_path, search.branches
    found = client.workflow_runs(workflow, branch=first)
    if others and not candidates(found, search.trust, search.start, chain):
        return found + client.workflow_runs(workflow, branch=others[0])
    if not any(run.head_sha == search.start for run in found):
        found += client.workflow_runs(workflow, head_sha=search.start)
    return found


def _sets(client: Artifacts, ordered: Sequence[Candidate], name: str, reasons: list[str]) -> Iterator[StoredSet]:
    """Usable sets, nearest first; a run that cannot serve is told in ``reasons`` and passed over."""
    failures = 0
    known = client.named_artifacts(name) if ordered else []
    for candidate in ordered:
        if failures >= MOST_TRIES:
            return
        artifact, reason = usable_artifact(_of_run(client, candidate.run, name, known), name, candidate.run)
        if artifact is None:
            reasons.append(reason)
            failures += 1
            continue
        try:
            yield stored_set(candidate, client.artifact_files(artifact))
        except NotAllowed:
            raise
        except (ProfileError, GitHubError) as error:
            reasons.append(f"run {candidate.run.id}: {error}")
            failures += 1


def _of_run(client: Artifacts, run: RunRecord, name: str, known: Sequence[ArtifactRecord]) -> list[ArtifactRecord]:
    """The artifacts of a run, from the list of the newest ones where that is long enough to hold them."""
    mine = [one for one in known if one.run_id == run.id]
    return mine if mine or len(known) < LISTED else client.run_artifacts(run.id, name)


def stored_set(candidate: Candidate, members: Mapping[str, bytes]) -> StoredSet:
    """The members of an artifact as sources. Raises `ProfileError` where they are not what the manifest says."""
    files = {name: data for name, data in members.items() if name != MANIFEST_NAME}
    if not files:
        raise ProfileError(f"artifact of run {candidate.run.id}", "holds no profile; record the baseline again")
    manifest = manifest_from_json(members[MANIFEST_NAME]) if MANIFEST_NAME in members else None
    if manifest is not None:
        _check(manifest, files, candidate.run)
    return StoredSet(candidate, tuple(source_of(name, files[name]) for name in sorted(files)), manifest)


def _check(manifest: Manifest, files: Mapping[str, bytes], run: RunRecord) -> None:
    listed = {file.path: file.sha256 for file in manifest.files}
    if set(listed) != set(files):
        raise ProfileError(MANIFEST_NAME, "lists other files than the artifact holds; record the baseline again")
    for path, digest in listed.items():
        if hashlib.sha256(files[path]).hexdigest() != digest:
            raise ProfileError(path, "its bytes differ from the manifest; record the baseline again")
    if manifest.commit != run.head_sha:
        raise ProfileError(MANIFEST_NAME, "is of another commit than its run; record the baseline again")
