"""GitHub Enterprise Server and networks of companies: other addresses, no upload service, own certificates, proxies."""

import base64
import select
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
import trustme

from action_stage import ARTIFACT, SLOWER, Stage, profiles
from fake_github import FakeGitHub
from profgate.report.comment import HELP
from slow_cases import quick_first

ASSET = f"{ARTIFACT}.zip"
VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


@pytest.fixture(autouse=True)
def _plain_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of this machine's own proxies and certificates."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


# GitHub Enterprise Server


@pytest.fixture
def enterprise(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Stage]:
    with FakeGitHub(in_process=True, enterprise=True) as fake:
        yield Stage(fake, tmp_path, capsys)


def test_addresses_are_those_of_the_server(enterprise: Stage) -> None:
    enterprise.push_jobs()
    enterprise.open_pull(files={"src/cart.py": b"def parse(text):\n    return text\n"})
    assert enterprise.compare(profiles(SLOWER, 77)) == 1
    paths = [one.path for one in enterprise.fake.requests if "/twirp/" not in one.path]
    assert any(path == "/graphql" for path in paths)  # as the fake knows it; it answers below /api alone
    place = f"{enterprise.fake.server_url}/octo-org/shop/"
    addresses = {part.partition(")")[0] for part in enterprise.comments[0].split("](")[1:]} - {HELP}
    assert addresses
    assert all(one.startswith(place) for one in addresses)
    assert "github.com" not in enterprise.comments[0]
    assert "/api/v3" not in enterprise.comments[0] + enterprise.summary


def test_missing_artifact_service_shows_step_and_command(enterprise: Stage) -> None:
    service = enterprise.fake.service_env
    enterprise.fake.service_env = lambda: service() | {"ACTIONS_RESULTS_URL": ""}  # type: ignore[method-assign]
    enterprise.push()
    assert enterprise.fake.state.artifacts == {}
    assert "- uses: actions/upload-artifact@v3" in enterprise.log.replace("%0A", "\n").splitlines()
    run = next(iter(enterprise.fake.state.runs))
    path = enterprise.log.partition("path: ")[2].partition("%0A")[0]
    folder = enterprise.workspace / path  # the folder that the suggested step uploads
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    enterprise.fake.add_artifact(run, ARTIFACT, {name: path.read_bytes() for name, path in files.items()})
    enterprise.open_pull()
    assert enterprise.compare(profiles(SLOWER, 77)) == 0
    assert enterprise.outputs["conclusion"] == "warn"
    host = enterprise.fake.server_url.removeprefix("http://")
    pages = "profgate-pages-default-1"
    command = f"gh run download {enterprise.pull_run} --repo {host}/octo-org/shop --name {pages}"
    assert all(command in text for text in (enterprise.log, enterprise.comments[0], enterprise.summary))
    assert f"name: {pages}" in enterprise.log
    assert enterprise.file("index.html")


def released(stage: Stage, *, digest: bool = True) -> None:
    """A release that keeps the profiles of the base, whose artifacts are gone."""
    stage.push()
    stage.fake.add_release("v1", stage.base, {})
    stage.compare_refs("latest-release", "v1")
    stage.attach("v1")
    stage.fake.state.artifacts.clear()
    stage.fake.state.release_digests = digest
    stage.open_pull()
    stage.inputs["baseline-ref"] = "v1"


@pytest.mark.parametrize("server", ["stage", "enterprise"])
def test_release_asset_is_read_with_and_without_redirect(server: str, request: pytest.FixtureRequest) -> None:
    stage: Stage = request.getfixturevalue(server)
    released(stage)
    assert stage.compare(profiles(SLOWER, 77)) == 0
    assert stage.outputs["conclusion"] == "warn"
    assert "parse" in stage.comments[0]
    assert stage.report["baseline"]["sha"] == stage.fake.state.tags["v1"]
    assert stage.fake.blobs.tokens_received == 0


@pytest.mark.parametrize(("digest", "message"), [(True, "do not match the digest"), (False, "the zip is broken")])
def test_truncated_release_asset_is_never_used(enterprise: Stage, *, digest: bool, message: str) -> None:
    released(enterprise, digest=digest)
    (release,) = enterprise.fake.state.releases.values()
    ((_, data),) = release.assets.values()
    enterprise.fake.fail("GET", "/releases/assets/", 200, times=99, body=data[:-40])
    assert enterprise.compare(profiles(SLOWER, 77)) == 2
    assert message in enterprise.log


# Certificates


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def secured(tmp_path: Path, capsys: pytest.CaptureFixture[str], authority: trustme.CA) -> Iterator[Stage]:
    """A GitHub whose certificates an authority of its own signs."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    with FakeGitHub(certificate=context) as fake:
        yield Stage(fake, tmp_path, capsys)


def everything_works(stage: Stage) -> None:
    """Upload, baseline, download and comment over TLS."""
    stage.push_jobs()
    assert {one.name for one in stage.fake.state.artifacts.values()} == {ARTIFACT}, stage.log
    stage.open_pull()
    assert stage.compare(profiles(SLOWER, 77)) == 1, stage.log
    assert len(stage.comments) == 1
    assert stage.outputs["page-url"]


@pytest.mark.parametrize(
    "name", quick_first(["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"])
)
def test_an_authority_that_the_runner_names_is_trusted(secured: Stage, authority: trustme.CA, name: str) -> None:
    place = secured.folder / "authority.pem"
    authority.cert_pem.write_to_path(place)
    service = secured.fake.service_env
    secured.fake.service_env = lambda: service() | {name: str(place)}  # type: ignore[method-assign]
    everything_works(secured)


def test_unknown_authority_is_reported_and_not_retried(secured: Stage) -> None:
    secured.push()
    assert secured.fake.state.artifacts == {}
    assert "name the file of its authority in the input ca-bundle" in secured.log
    secured.open_pull()
    assert secured.compare(profiles(SLOWER, 77)) == 2
    assert "the certificate is not trusted" in secured.log
    assert "input ca-bundle" in secured.log
    assert secured.fake.requests == []


# Proxies


class Proxy:
    """A proxy that connects to loopback for whoever brings the right password."""

    def __init__(self, password: str) -> None:
        self._wanted = b"Basic " + base64.b64encode(f"runner:{password}".encode())
        self.connected: list[str] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        self._threads: list[threading.Thread] = []
        self._start(self._accept)

    def close(self) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        for thread in self._threads:
            thread.join(timeout=10)

    def _start(self, work: Callable[..., None], *arguments: object) -> None:
        self._threads.append(threading.Thread(target=work, args=arguments, daemon=True))
        self._threads[-1].start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                self._start(self._talk, self._server.accept()[0])

    def _talk(self, client: socket.socket) -> None:
        with client, suppress(OSError):
            head = b""
            while b"\r\n\r\n" not in head:
                head += client.recv(4096) or b"\r\n\r\n"
            if self._wanted not in head:
                client.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
                return
            target = head.split()[1].decode()
            self.connected.append(target)
            host, _, port = target.partition(":")
            with socket.create_connection((host, int(port))) as server:
                client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                while ready := select.select([client, server], [], [], 10)[0]:
                    data = ready[0].recv(65536)
                    if not data:
                        return
                    (server if ready[0] is client else client).sendall(data)


@contextmanager
def proxy_with(password: str) -> Iterator[Proxy]:
    with ExitStack() as stack:
        proxy = Proxy(password)
        stack.callback(proxy.close)
        yield proxy


@pytest.fixture
def behind_proxy(secured: Stage, authority: trustme.CA) -> Stage:
    place = secured.folder / "authority.pem"
    authority.cert_pem.write_to_path(place)
    secured.inputs["ca-bundle"] = str(place)
    return secured


def everything_shown(stage: Stage) -> str:
    written = [path for path in stage.workspace.rglob("*") if path.is_file()]
    return stage.log + "".join(stage.fake.comment_bodies(1)) + "".join(path.read_text() for path in written)


@pytest.mark.parametrize("name", quick_first(["HTTPS_PROXY", "https_proxy"]))
def test_all_requests_use_the_proxy_without_logging_password(
    behind_proxy: Stage, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    with proxy_with("pass-word-17") as proxy:
        monkeypatch.setenv(name, f"http://runner:pass-word-17@127.0.0.1:{proxy.port}")
        everything_works(behind_proxy)
        api, storage = behind_proxy.fake.api_url, behind_proxy.fake.blobs.address
        assert set(proxy.connected) == {api.removeprefix("https://"), storage.removeprefix("https://")}
    assert "pass-word-17" not in everything_shown(behind_proxy)


def test_refusing_proxy_is_reported_without_address(behind_proxy: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    with proxy_with("another") as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://runner:pass-word-17@127.0.0.1:{proxy.port}")
        behind_proxy.open_pull()
        assert behind_proxy.compare(profiles(SLOWER, 77)) == 2
        assert "the proxy answered 407; check HTTPS_PROXY and NO_PROXY" in behind_proxy.log
        log = everything_shown(behind_proxy)
        assert "pass-word-17" not in log
        assert str(proxy.port) not in log.replace(behind_proxy.fake.api_url, "")
