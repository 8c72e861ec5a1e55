from collections.abc import Iterator

import pytest

from fake_github import FakeGitHub
from profgate.action.github.artifact_service import ArtifactService
from profgate.action.github.artifact_upload import page_name, upload_pages
from profgate.flamegraph.pages import PageDocument
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


def test_names_are_plain_and_differ() -> None:
    taken: set[str] = set()
    names = [page_name("k", page(name), 1, taken) for name in ("a/b", "a b", "a:b", "A-b", "", "../..", "é" * 500)]
    assert names[:3] == ["profgate-k-a-b.cpu-1.html", "profgate-k-a-b.cpu-2-1.html", "profgate-k-a-b.cpu-3-1.html"]
    assert len({name.lower() for name in names}) == len(names)
    assert all(name.isascii() and "/" not in name and len(name) < 200 for name in names)
