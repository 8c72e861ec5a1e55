from collections.abc import Iterator

import pytest

from fake_github import FakeGitHub
from profgate.flamegraph.pages import PageDocument
from profgate.github.artifact_service import ArtifactService
from profgate.github.artifact_upload import page_name, upload_pages, upload_profiles
from profgate.model.report import Document

RUN = "https://github.com/octo-org/shop/actions/runs/99"


def page(workload: str, metric: str = "cpu") -> PageDocument:
    return PageDocument(workload, metric, Document("page.html", "text/html", "<p>"))


@pytest.fixture
def fake() -> Iterator[FakeGitHub]:
    with FakeGitHub(in_process=True) as server:
        server.start_run(server.add_commit(branch="main"))
        yield server


def service_of(fake: FakeGitHub) -> ArtifactService:
    return ArtifactService(fake.results_url, fake.runtime_token, "https://example.com/runs/1", pause=0)


def no_service() -> ArtifactService:
    return ArtifactService("", "", "https://example.com/runs/1")


def test_each_page_is_an_artifact_that_opens(fake: FakeGitHub) -> None:
    links, warning = upload_pages(
        lambda: service_of(fake),
        [page("api"), page("cli")],
        key="default",
        attempt=2,
        folder="out",
        run_url="https://example.com/runs/1",
    )
    stored = list(fake.state.artifacts.values())
    assert [one.name for one in stored] == ["profgate-default-api.cpu-2.html", "profgate-default-cli.cpu-2.html"]
    assert {one.mime_type for one in stored} == {"text/html"}
    assert warning == ""
    assert links.pages["api", "cpu"] == f"https://example.com/runs/1/artifacts/{stored[0].id}"
    assert links.run == "https://example.com/runs/1"


@pytest.mark.parametrize("lost", ["CreateArtifact", "FinalizeArtifact"])
def test_page_upload_survives_a_lost_answer(fake: FakeGitHub, lost: str) -> None:
    fake.fail("POST", lost, 502, stored=True)
    pages = [page("api"), page("cli")]
    links, warning = upload_pages(lambda: service_of(fake), pages, key="k", attempt=1, folder="out", run_url=RUN)
    assert warning == ""
    assert set(links.pages) == {("api", "cpu"), ("cli", "cpu")}
    names = {"CreateArtifact": "profgate-k-api.cpu-2-1.html", "FinalizeArtifact": "profgate-k-api.cpu-1.html"}
    assert [one.name for one in fake.state.artifacts.values()] == [names[lost], "profgate-k-cli.cpu-1.html"]


def test_repeatedly_taken_names_end_in_a_warning(fake: FakeGitHub) -> None:
    fake.fail("POST", "CreateArtifact", 409, body=b'{"msg": "already exists"}', times=99)
    _, warning = upload_pages(lambda: service_of(fake), [page("api")], key="k", attempt=1, folder="out", run_url=RUN)
    assert fake.count("POST", "CreateArtifact") == 3
    assert "whose answer was lost" in warning
    assert "actions/upload-artifact" in warning


@pytest.mark.parametrize(
    ("host", "action", "repository"),
    [
        ("github.com", "actions/upload-artifact@v7", "octo-org/shop"),
        ("git.example.org", "actions/upload-artifact@v3", "git.example.org/octo-org/shop"),
        ("octo.ghe.com", "actions/upload-artifact@v7", "octo.ghe.com/octo-org/shop"),
    ],
)
def test_upload_step_and_command_fit_the_host(host: str, action: str, repository: str) -> None:
    run = f"https://{host}/octo-org/shop/actions/runs/99"
    links, warning = upload_pages(no_service, [page("api")], key="k", attempt=1, folder="out", run_url=run)
    assert links.pages == {}
    assert links.fetch == f"gh run download 99 --repo {repository} --name profgate-pages-k-1"
    assert all(part in warning for part in (action, links.fetch, "path: out"))


def test_taken_name_ends_in_a_warning(fake: FakeGitHub) -> None:
    for _ in range(2):
        warning = upload_profiles(lambda: service_of(fake), "profgate-default", {"a.folded": b"a 1\n"}, "out", RUN)
    assert warning is not None
    assert "already" in warning


def test_names_are_plain_and_differ() -> None:
    taken: set[str] = set()
    names = [page_name("k", page(name), 1, taken) for name in ("a/b", "a b", "a:b", "A-b", "", "../..", "é" * 500)]
    assert names[:3] == ["profgate-k-a-b.cpu-1.html", "profgate-k-a-b.cpu-2-1.html", "profgate-k-a-b.cpu-3-1.html"]
    assert len({name.lower() for name in names}) == len(names)
    assert all(name.isascii() and "/" not in name and len(name) < 200 for name in names)
