"""Profiles from stored artifacts: the nearest trustworthy baseline, and further runs for noise."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from profgate.errors import GitHubError, NotAllowed, ProfileError
from profgate.model.github_records import ArtifactRecord, CommitRecord, RunRecord
from profgate.model.manifest import MANIFEST_NAME, Manifest, manifest_from_json
from profgate.model.source import SourceFile, source_of
from profgate.sources.baseline_search import Candidate, Trust, candidates, usable_artifact

MOST_TRIES = 10  # candidates without usable artifact that are asked about before a baseline is given up


class Artifacts(Protocol):
    """What is needed of the client."""

    def ancestors(self, sha: str, limit: int = 100) -> list[CommitRecord]: ...  # noqa: D102 - as GitHubClient
    def workflow_runs(  # noqa: D102
        self, workflow_file: str, branch: str | None = None, event: str | None = None, head_sha: str | None = None
    ) -> list[RunRecord]: ...
    def run_artifacts(self, run_id: int, name: str | None = None) -> list[ArtifactRecord]: ...  # noqa: D102
    def artifact_files(self, artifact: ArtifactRecord) -> dict[str, bytes]: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class StoredSet:
    """The profiles one run stored."""

    candidate: Candidate
    files: tuple[SourceFile, ...]
    manifest: Manifest | None


@dataclass(frozen=True, slots=True)
class Found:
    """The baseline, None where there is none; noise runs in order of distance; what was passed over and why."""

    baseline: StoredSet | None
    noise: tuple[StoredSet, ...] = ()
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for: ``start`` is the fair commit, ``branches`` are asked for runs in this order."""

    start: str
    trust: Trust
    branches: Sequence[str | None]
    artifact: str
    noise_runs: int = field(default=0)


def find_stored(client: Artifacts, search: Search) -> Found:
    """The nearest usable set, and up to ``noise_runs`` further ones. Raises `GitHubError` where GitHub fails."""
    chain = client.ancestors(search.start)
    ordered = candidates(_runs(client, search, chain), search.trust, search.start, chain)
    reasons: list[str] = []
    sets = _sets(client, ordered, search.artifact, reasons)
    baseline = next(sets, None)
    if baseline is None:
        reasons = reasons or [f"no trusted run of {search.trust.workflow_path} on the last {len(chain)} commits"]
        return Found(None, (), tuple(reasons))
    noise = tuple(one for _, one in zip(range(search.noise_runs), sets, strict=False))
    return Found(baseline, noise, tuple(reasons))


def _runs(client: Artifacts, search: Search, chain: Sequence[CommitRecord]) -> list[RunRecord]:
    """Runs of the branches in order, and of the fair commit itself where the lists do not show it."""
    workflow, found = search.trust.workflow_path, list[RunRecord]()
    for branch in search.branches:
        found += client.workflow_runs(workflow, branch=branch)
        if candidates(found, search.trust, search.start, chain):
            break
    if not any(run.head_sha == search.start for run in found):
        found += client.workflow_runs(workflow, head_sha=search.start)
    return found


def _sets(client: Artifacts, ordered: Sequence[Candidate], name: str, reasons: list[str]) -> Iterator[StoredSet]:
    """Usable sets, nearest first; a run that cannot serve is told in ``reasons`` and passed over."""
    failures = 0
    for candidate in ordered:
        if failures >= MOST_TRIES:
            return
        artifact, reason = usable_artifact(client.run_artifacts(candidate.run.id, name), name, candidate.run)
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
