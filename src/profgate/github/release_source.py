"""Profiles attached to a release: a baseline that outlives the artifacts of its run."""

from collections.abc import Sequence

from profgate.errors import ProfileError
from profgate.github.artifact_source import StoredSet, stored_set
from profgate.github.baseline_search import Candidate
from profgate.github.client import GitHubClient
from profgate.github.records import ReleaseRecord, Repository, RunRecord
from profgate.model.manifest import MANIFEST_NAME, manifest_from_json

LATEST = "latest-release"


def asset_name(artifact: str) -> str:
    """The name of the attached file with the contents of the artifact of this name."""
    return f"{artifact}.zip"


def attached_set(client: GitHubClient, tag: str, commit: str, artifact: str) -> StoredSet | None:
    """The profiles attached to the release of a tag, None where there is no such release or file.

    Raises `ProfileError` for a file that profgate did not attach, or that is of another commit than the tag.
    """
    release = client.release(tag)
    assets = release.assets if release else ()
    asset = next((asset for asset in assets if asset.name == asset_name(artifact)), None)
    if asset is None:
        return None
    members = client.asset_files(asset)
    if MANIFEST_NAME not in members:
        raise ProfileError(f"{asset.name} of release {tag}", f"holds no {MANIFEST_NAME}; let profgate attach it again")
    manifest = manifest_from_json(members[MANIFEST_NAME])
    run = RunRecord(manifest.run_id, manifest.event, "completed", None, tag, commit, None, Repository(0), "")
    return stored_set(Candidate(run, 0), members)


def latest(releases: Sequence[ReleaseRecord], but: str = "") -> str | None:
    """The tag of the newest published release that is no pre-release and not ``but``."""
    published = (release.tag_name for release in releases if not release.draft and not release.prerelease)
    return next((tag for tag in published if tag != but), None)
