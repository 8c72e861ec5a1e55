"""What profgate uploads, judged by GitHub's own artifact client, and what that client uploads, read by profgate."""

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from action_stage import ARTIFACT, Stage, profiles
from fake_github import FakeGitHub
from profgate.github.artifact_service import ArtifactService
from profgate.model.source import MANIFEST_NAME

pytestmark = pytest.mark.sockets

HOME = Path(__file__).parents[2] / ".ci" / "artifact-client"
OLDEST_NODE = 20
PROFILES = {"api/1.folded": b"main;work 10\n", "api/2.folded": b"main;work 12\n", "\u00fcber.folded": b"main 1\n"}
PAGE = b"<!doctype html><title>worse</title>\n"


class OfficialClient:
    """``@actions/artifact`` in the environment of a step of the current run."""

    def __init__(self, fake: FakeGitHub, folder: Path) -> None:
        self.fake, self.folder = fake, folder

    def __call__(self, task: str, *words: object, **environ: str) -> Any:
        """The answer of one call; fails where the client does."""
        node = shutil.which("node")
        if node is None:
            pytest.skip("node is not installed")
        version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        if int(version.removeprefix("v").partition(".")[0]) < OLDEST_NODE:
            pytest.skip(f"GitHub's artifact client needs node {OLDEST_NODE}, and this is {version}")
        if not (HOME / "node_modules").is_dir():
            pytest.skip("GitHub's artifact client is not installed; npm ci --prefix .ci/artifact-client")
        service = self.fake.service_env() | {"GITHUB_SERVER_URL": "https://github.com"}  # elsewhere it refuses to work
        result = subprocess.run(
            [node, HOME / "client.mjs", task, *map(str, words)],
            env={**os.environ, **service, "GITHUB_WORKSPACE": str(self.folder), "NO_PROXY": "127.0.0.1", **environ},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert result.returncode == 0, result.stdout + result.stderr
        return json.loads(result.stdout.splitlines()[-1])


@pytest.fixture
def fake(fake: FakeGitHub) -> FakeGitHub:
    fake.start_run(fake.add_commit(branch="main"))
    return fake


@pytest.fixture
def official(fake: FakeGitHub, tmp_path: Path) -> OfficialClient:
    return OfficialClient(fake, tmp_path)


def service_of(fake: FakeGitHub) -> ArtifactService:
    return ArtifactService(fake.results_url, fake.runtime_token, "http://127.0.0.1:9/run", pause=0)


def digests(files: dict[str, bytes]) -> dict[str, str]:
    return {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}


def test_official_client_downloads_our_zip(fake: FakeGitHub, official: OfficialClient) -> None:
    ours = service_of(fake).upload_zip("profgate-cpu", PROFILES)
    (listed,) = official("list")
    assert (listed["id"], listed["name"], listed["size"]) == (ours.id, ours.name, ours.size)
    assert listed["digest"] == ours.digest
    got = official("download", ours.id, official.folder / "out", ours.digest)
    assert got == {"digestMismatch": False, "files": digests(PROFILES)}
    assert official("download", ours.id, official.folder / "out", "sha256:" + "0" * 64)["digestMismatch"] is True


@pytest.mark.slow
def test_official_client_reads_our_page(fake: FakeGitHub, official: OfficialClient) -> None:
    ours = service_of(fake).upload_file("profgate-cpu-1.html", PAGE, "text/html")
    assert [one["digest"] for one in official("list")] == [f"sha256:{hashlib.sha256(PAGE).hexdigest()}"]
    got = official("download", ours.id, official.folder / "out", ours.digest)
    assert got == {"digestMismatch": False, "files": digests({"profgate-cpu-1.html": PAGE})}


@pytest.mark.slow
def test_later_run_reads_it_through_the_api(fake: FakeGitHub, official: OfficialClient) -> None:
    ours = service_of(fake).upload_zip("profgate-cpu", PROFILES)
    fake.foreign_clients = True
    there = {"ARTIFACT_RUN": str(fake.state.current_run_id), "ARTIFACT_TOKEN": fake.token}
    (listed,) = official("list", **there)
    assert (listed["id"], listed["digest"]) == (ours.id, ours.digest)
    got = official("download", ours.id, official.folder / "out", ours.digest, **there)
    assert got == {"digestMismatch": False, "files": digests(PROFILES)}


@pytest.mark.slow
def test_recorded_profiles_match_their_manifest(stage: Stage, tmp_path: Path) -> None:
    stage.fake.start_run(stage.base)
    assert stage.run("push", profiles(), {"GITHUB_SHA": stage.base, "GITHUB_REF": "refs/heads/main"}, {}) == 0
    official = OfficialClient(stage.fake, tmp_path)
    (listed,) = official("list")
    assert listed["name"] == ARTIFACT
    got = official("download", listed["id"], tmp_path / "out", listed["digest"])
    manifest = json.loads((tmp_path / "out" / MANIFEST_NAME).read_text())
    assert {file["path"]: file["sha256"] for file in manifest["files"]} == digests(profiles())
    assert set(got["files"]) == {*profiles(), MANIFEST_NAME}


@pytest.mark.slow
def test_we_read_what_it_uploaded(fake: FakeGitHub, official: OfficialClient) -> None:
    for name, data in PROFILES.items():
        (official.folder / name).parent.mkdir(exist_ok=True)
        (official.folder / name).write_bytes(data)
    (official.folder / "page.html").write_bytes(PAGE)
    zipped = official("upload", "their-profiles", official.folder, *PROFILES)
    single = official("upload-raw", official.folder, "page.html")
    run = fake.state.current_run_id
    assert run is not None
    page, archive = fake.client().run_artifacts(run)
    assert (archive.id, archive.digest) == (zipped["id"], f"sha256:{zipped['digest']}")
    assert (page.id, page.name, page.digest) == (single["id"], "page.html", f"sha256:{single['digest']}")
    assert fake.client().artifact_files(archive) == PROFILES
    assert fake.client().artifact_files(page) == {"page.html": PAGE}


@pytest.mark.slow
def test_profile_beyond_a_block_is_complete(fake: FakeGitHub, official: OfficialClient) -> None:
    data = hashlib.shake_256(b"profile").digest(9 * 1024 * 1024)  # does not pack
    ours = service_of(fake).upload_zip("large", {"a.bin": data})
    got = official("download", ours.id, official.folder / "out", ours.digest)
    assert got["files"] == digests({"a.bin": data})
    (official.folder / "b.bin").write_bytes(data)
    official("upload", "theirs", official.folder, "b.bin")
    theirs = next(one for one in fake.state.artifacts.values() if one.name == "theirs")
    (record,) = fake.client().run_artifacts(theirs.run_id, "theirs")
    assert fake.client().artifact_files(record) == {"b.bin": data}
