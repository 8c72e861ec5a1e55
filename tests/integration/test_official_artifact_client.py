"""What profgate uploads, judged by GitHub's own artifact client, and what that client uploads, read by profgate."""

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from fake_github import FakeGitHub
from profgate.action.github.artifact_service import ArtifactService

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
    url = service_of(fake).upload_zip("profgate-cpu", PROFILES)
    (listed,) = official("list")
    assert (url.rpartition("/")[2], listed["name"]) == (str(listed["id"]), "profgate-cpu")
    for digest, differs in ((listed["digest"], False), ("sha256:" + "0" * 64, True)):
        got = official("download", listed["id"], official.folder / "out", digest)
        assert (got["digestMismatch"], got["files"]) == (differs, digests(PROFILES))


@pytest.mark.slow
def test_later_run_reads_page_and_profiles_through_the_api(fake: FakeGitHub, official: OfficialClient) -> None:
    data = hashlib.shake_256(b"profile").digest(9 * 1024 * 1024)  # does not pack, and needs two blocks
    service_of(fake).upload_zip("large", {"a.bin": data})
    service_of(fake).upload_file("page.html", PAGE, "text/html")
    fake.foreign_clients = True
    there = {"ARTIFACT_RUN": str(fake.state.current_run_id), "ARTIFACT_TOKEN": fake.token}
    listed = {one["name"]: one for one in official("list", **there)}
    for name, files in (("large", {"a.bin": data}), ("page.html", {"page.html": PAGE})):
        one = listed[name]
        got = official("download", one["id"], official.folder / name, one["digest"], **there)
        assert got == {"digestMismatch": False, "files": digests(files)}


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
    assert fake.client().download(page) == PAGE
