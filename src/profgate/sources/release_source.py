"""Profiles kept with a release: a baseline that outlives the artifacts of its run."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Protocol

from profgate.errors import ProfileError
from profgate.model.github_records import AssetRecord, ReleaseRecord, RunRecord
from profgate.model.manifest import MANIFEST_NAME, manifest_from_json
from profgate.sources.artifact_source import StoredSet, stored_set
from profgate.sources.baseline_search import Candidate

LATEST = "latest-release"


class Releases(Protocol):
    """What is needed of the client."""

    def release(self, tag: str) -> ReleaseRecord | None: ...  # noqa: D102 - as GitHubClient
    def asset_files(self, asset: AssetRecord) -> dict[str, bytes]: ...  # noqa: D102


def asset_name(artifact: str) -> str:
    """The name of the file in which a release keeps what the artifact of this name holds."""
    return f"{artifact}.zip"


def kept_set(client: Releases, tag: str, commit: str, artifact: str) -> StoredSet | None:
    """What the release of a tag keeps, None where there is no such release or file.

    Raises `ProfileError` for what is not as profgate attaches it, or is of another commit than the tag.
    """
    release = client.release(tag)
    asset = next((one for one in release.assets if one.name == asset_name(artifact)), None) if release else None
    if asset is None:
        return None
    where = f"{asset.name} of release {tag}"
    members = client.asset_files(asset)
    if MANIFEST_NAME not in members:
        raise ProfileError(where, f"holds no {MANIFEST_NAME}; let profgate attach it again")
    manifest = manifest_from_json(members[MANIFEST_NAME])
    run = RunRecord(
        id=manifest.run_id,
        event=manifest.event,
        status="completed",
        conclusion=None,
        head_branch=tag,
        head_sha=commit,
        head_repository_id=None,
        head_repository=None,
        repository_id=0,
        path="",
        attempt=manifest.attempt,
        created_at=datetime.fromtimestamp(0, UTC),
        html_url="",
    )
    return stored_set(Candidate(run, 0), members)


def latest(releases: Sequence[ReleaseRecord], but: str = "") -> str | None:
    """The tag of the newest published release that is no pre-release and not ``but``."""
    return next((one.tag for one in releases if not one.draft and not one.prerelease and one.tag != but), None)
