"""Upload pages, profiles and reports as artifacts of this run, or suggest a workflow step that uploads them."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from urllib.parse import urlsplit

from profgate.action.github.artifact_service import ArtifactService, NameTaken, UploadUnavailable
from profgate.flamegraph.pages import PageDocument
from profgate.model.links import Links
from profgate.model.record import replace

REPORT_PREFIX = "profgate-report-"


def upload_pages(
    connect: Callable[[], ArtifactService],
    pages: Sequence[PageDocument],
    *,
    key: str,
    attempt: int,
    folder: str,
    run_url: str,
) -> tuple[Links, str]:
    """Upload each page as an artifact that opens in the browser.

    Returns the links, and a warning that names ``folder`` if an upload failed.
    """
    links = Links(run=run_url)
    if not pages:
        return links, ""
    taken: set[str] = set()
    try:
        service = connect()
        for page in pages:
            stored = _stored_page(service, page, partial(page_name, key, page, attempt, taken))
            links = replace(links, pages={**links.pages, (page.workload, page.metric): stored})
    except UploadUnavailable as error:
        name = f"profgate-pages-{key}-{attempt}"
        step, command = upload_step(name, folder, run_url), fetch_command(name, run_url)
        warning = f"{error}\nThe pages are in {folder}; to store them add this step:\n{step}"
        warning += f"\nand fetch them with: {command}" if command else ""
        return replace(links, fetch=command or None), warning
    return links, ""


def _stored_page(service: ArtifactService, page: PageDocument, new_name: Callable[[], str]) -> str:
    """Upload the page under the first name that no other artifact of the run has."""
    data, kind = page.document.text.encode(), page.document.media_type
    for _ in range(2):
        with suppress(NameTaken):
            return service.upload_file(new_name(), data, kind)
    return service.upload_file(new_name(), data, kind)


def upload_profiles(
    connect: Callable[[], ArtifactService], name: str, files: Mapping[str, bytes], folder: str, run_url: str
) -> str | None:
    """Upload the files of an artifact. Return a warning if the upload fails, otherwise None."""
    error, step = store_report(connect, name, files)[1], upload_step(name, folder, run_url)
    return f"{error}\nThe profiles were not stored; to store them add this step:\n{step}" if error else None


def store_report(connect: Callable[[], ArtifactService], name: str, files: Mapping[str, bytes]) -> tuple[str, str]:
    """Upload the files of a report. Return a URL and a warning, one of which is empty."""
    try:
        return connect().upload_zip(name, files), ""
    except UploadUnavailable as error:
        return "", str(error)


def report_artifact(key: str, attempt: int) -> str:
    """Return the name of the artifact that contains the report of a shard."""
    return f"{REPORT_PREFIX}{key}-{attempt}"


def verdict_artifact(key: str, attempt: int) -> str:
    """Return the name of the artifact that contains a merged report."""
    return f"profgate-verdict-{key}-{attempt}"


def key_of_report(name: str) -> tuple[str, int] | None:
    """Return the key and the attempt from the artifact name of a report. Return None for any other name."""
    found = re.fullmatch(rf"{REPORT_PREFIX}([a-z0-9._-]{{1,60}})-([0-9]{{1,6}})", name)
    return (found[1], int(found[2])) if found else None


def page_name(key: str, page: PageDocument, attempt: int, taken: set[str]) -> str:
    """Return a unique artifact name for a page, and add the name to ``taken``."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", f"{page.workload}.{page.metric}").strip("-.")[:120] or "page"
    name, number = f"profgate-{key}-{plain}-{attempt}.html", 1
    while name.lower() in taken:
        number += 1
        name = f"profgate-{key}-{plain}-{number}-{attempt}.html"
    taken.add(name.lower())
    return name


def upload_step(name: str, folder: str, run_url: str = "") -> str:
    """Return a workflow step that uploads a folder. Newer versions than v3 do not work on GitHub Enterprise Server."""
    host = (urlsplit(run_url).hostname or "github.com").lower()
    own_server = host != "github.com" and not host.endswith(".ghe.com")
    return (
        f"- uses: actions/upload-artifact@{'v3' if own_server else 'v7'}\n"
        "  if: always()\n"
        "  with:\n"
        f"    name: {name}\n"
        f"    path: {folder}\n"
        "    include-hidden-files: true"
    )


def fetch_command(name: str, run_url: str) -> str:
    """Return a command that downloads an artifact of a run, or an empty string if the URL does not belong to a run."""
    found = re.fullmatch(r"https?://([^/]+)/([^/]+/[^/]+)/actions/runs/([0-9]+)", run_url)
    if found is None:
        return ""
    host, repository, number = found.groups()
    place = repository if host == "github.com" else f"{host}/{repository}"
    return f"gh run download {number} --repo {place} --name {name}"
