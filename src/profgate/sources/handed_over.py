"""Profiles that a pull request's run handed over: data of strangers, each clause of trust checked before it is read."""

import hashlib
import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from profgate.errors import ProfileError
from profgate.model.github_records import ArtifactRecord, PullRecord
from profgate.model.manifest import MANIFEST_NAME, Manifest, manifest_from_json
from profgate.model.run_context import TriggeringRun
from profgate.model.source import SourceFile, source_of

# What a browser or GitHub would show: no profile has such a name, and nothing of a stranger is ever published.
SHOWN = frozenset({".css", ".htm", ".html", ".js", ".md", ".mjs", ".pdf", ".png", ".svg", ".xhtml"})


class Artifacts(Protocol):
    """What is needed of the client."""

    def run_artifacts(self, run_id: int, name: str | None = None) -> list[ArtifactRecord]: ...  # noqa: D102
    def artifact_files(self, artifact: ArtifactRecord) -> dict[str, bytes]: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class HandedOver:
    """A set of profiles with the manifest that lay beside it; what the manifest says is the author's word."""

    files: tuple[SourceFile, ...]
    manifest: Manifest


def handed_over(client: Artifacts, name: str, run: TriggeringRun) -> HandedOver | None:
    """The newest set of this name in the finished run, None where it stored none.

    Raises `ProfileError` for one that does not hold what it should, `GitHubError` where GitHub fails.
    """
    named = [one for one in client.run_artifacts(run.id, name) if one.name == name]
    mine = [one for one in named if one.run_id in {None, run.id} and one.head_sha in {None, run.head_sha}]
    if not mine:
        return None
    newest = max(mine, key=lambda one: one.id)
    return checked_set(client.artifact_files(newest), run)


def checked_set(members: Mapping[str, bytes], run: TriggeringRun) -> HandedOver:
    """The members of an artifact as sources. Raises `ProfileError` that names the first clause that does not hold."""
    if MANIFEST_NAME not in members:
        raise ProfileError(MANIFEST_NAME, "is missing beside the profiles; let profgate store them")
    manifest = manifest_from_json(members[MANIFEST_NAME])
    files = {name: data for name, data in members.items() if name != MANIFEST_NAME}
    listed = {file.path: file.sha256 for file in manifest.files}
    shown = next((name for name in sorted(files) if posixpath.splitext(name)[1].lower() in SHOWN), "")
    clauses = (
        (bool(files), "no profile was handed over"),
        (manifest.run_id == run.id, f"the manifest is of run {manifest.run_id}, not of run {run.id}"),
        (manifest.event == run.event, f"the manifest is of the event {manifest.event!r}, not of {run.event}"),
        (len(listed) == len(manifest.files), "the manifest lists a file twice"),
        (set(listed) == set(files), "the manifest lists other files than were handed over"),
        (not shown, f"{shown!r} is no profile, and nothing that a stranger wrote is published"),
    )
    for holds, reason in clauses:
        if not holds:
            raise ProfileError(f"artifact of run {run.id}", f"{reason}; nothing of it was read")
    for path, digest in listed.items():
        if hashlib.sha256(files[path]).hexdigest() != digest:
            raise ProfileError(path, "its bytes differ from the manifest; nothing of the artifact was read")
    return HandedOver(tuple(source_of(name, files[name]) for name in sorted(files)), manifest)


def pull_of_run(
    pulls: Iterable[PullRecord], run: TriggeringRun, repository_id: int | None, hint: str = ""
) -> PullRecord | None:
    """The open pull request whose head is exactly this run's, None where there is none (any more).

    Head commit, head repository and base repository must be equal. ``hint`` is a ref (``refs/pull/7/merge``) that only
    chooses among several that are; else the lowest number is taken.
    """
    found = [
        one
        for one in pulls
        if one.state == "open"
        and one.head_sha == run.head_sha
        and one.head_repository_id is not None
        and one.head_repository_id == run.head_repository_id
        and one.base_repository_id == repository_id
    ]
    return min(found, key=lambda one: (hint != f"refs/pull/{one.number}/merge", one.number), default=None)
