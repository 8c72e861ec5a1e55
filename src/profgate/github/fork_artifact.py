"""Read the profiles that the run for a fork's pull request stored. The untrusted files are checked before use."""

import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from profgate.errors import ProfileError
from profgate.github.baseline_search import newest_artifact
from profgate.github.client import GitHubClient
from profgate.github.records import PullRecord
from profgate.io.profile_files import LocalSet
from profgate.model.manifest import Manifest, check_files, manifest_from_json
from profgate.model.run_context import TriggeringRun
from profgate.model.source import MANIFEST_NAME, source_of

# These file types are rendered by browsers or GitHub. Profiles do not use them.
SHOWN = frozenset({".css", ".htm", ".html", ".js", ".md", ".mjs", ".pdf", ".png", ".svg", ".xhtml"})


@dataclass(frozen=True, slots=True)
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
