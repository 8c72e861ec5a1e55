"""Write the commit status, and an optional check run with annotations on changed lines."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from profgate.errors import GitHubError
from profgate.github.client import GitHubClient
from profgate.model.report import Report, Verdict
from profgate.model.visible_text import cut, name_text, plain
from profgate.report.finding_text import Row, change_text, tag_of, why
from profgate.report.rows import CONCLUSIONS, grouped

LONGEST_DESCRIPTION = 140  # in characters; GitHub refuses longer descriptions of statuses
LONGEST_TITLE = 255
LONGEST_SUMMARY = 60_000  # in bytes; GitHub refuses summaries of more than 65,535 characters
LONGEST_MESSAGE = 2_000
MOST_ANNOTATIONS = 500
PAGE = 50  # maximum number of annotations that GitHub accepts in one request
_PLACE = re.compile(r"#diff-([0-9a-f]{64})R([0-9]{1,9})")
Annotation = dict[str, str | int]  # an annotation in the format of GitHub's API


def status_context(key: str) -> str:
    """Return the name of the status, which can be used in branch protection rules. GitHub ignores its case."""
    return f"profgate/{key}"


def check_name(key: str) -> str:
    """Return the name of the check run. A branch protection rule would require both if the status had the same name."""
    return f"profgate lines ({key})"


def publish_verdict(client: GitHubClient, sha: str, key: str, verdict: Verdict, text: str, url: str) -> None:
    """Set the commit status for a verdict. The policy determines whether "not compared" passes or fails."""
    parts = filter(None, (CONCLUSIONS[verdict.conclusion].word, text))
    _publish(client, sha, key, "failure" if verdict.fails else "success", ": ".join(parts), url)


def publish_failure(client: GitHubClient, sha: str, key: str, error: Exception, url: str) -> None:
    """Set the commit status of a run without a result, because a branch protection rule may require the status."""
    _publish(client, sha, key, "error", f"no result: {error}", url)


def _publish(client: GitHubClient, sha: str, key: str, state: str, text: str, url: str) -> None:
    if not sha:
        raise GitHubError("commit status", "the commit is not known; run on an event of a commit")
    client.set_status(sha, status_context(key), state, cut(plain(text), LONGEST_DESCRIPTION), url)


@dataclass(frozen=True, slots=True)
class CheckText:
    """The texts of a check run. ``summary`` is Markdown, and ``external_id`` identifies this run of profgate."""

    title: str
    summary: str
    external_id: str


def publish_check_run(
    client: GitHubClient, sha: str, key: str, verdict: Verdict, text: CheckText, notes: Sequence[Annotation]
) -> int:
    """Create a completed check run, with further requests for many annotations, and return the number of requests."""
    if not sha:
        raise GitHubError("check run", "the commit is not known; run on an event of a commit")
    summary = text.summary.encode()[:LONGEST_SUMMARY].decode(errors="ignore")
    output = {"title": text.title[:LONGEST_TITLE], "summary": summary}
    pages = [notes[start : start + PAGE] for start in range(0, len(notes), PAGE)] or [()]
    outputs = [{"output": {**output, "annotations": list(page)}} for page in pages]
    passed = "success" if verdict.conclusion == "pass" else "neutral"
    number = client.create_check_run(
        {
            "name": check_name(key),
            "head_sha": sha,
            "external_id": text.external_id,
            "status": "completed",
            "conclusion": "failure" if verdict.fails else passed,
            **outputs[0],
        }
    )
    for further in outputs[1:]:
        client.edit_check_run(number, further)
    return len(pages)


def annotations(report: Report, changed_paths: Iterable[str]) -> tuple[tuple[Annotation, ...], int]:
    """Return annotations for regressions in changed functions, worst first, and the number of omitted annotations.

    ``changed_paths`` are the files of the pull request, because a finding contains only a digest of its path.
    """
    paths = {hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest(): path for path in changed_paths}
    groups = grouped(report)
    found = (_annotation(report, row, paths) for row in (*groups.worse, *groups.related))
    notes = [note for note in found if note is not None]
    return tuple(notes[:MOST_ANNOTATIONS]), max(0, len(notes) - MOST_ANNOTATIONS)


def _annotation(report: Report, row: Row, paths: dict[str, str]) -> Annotation | None:
    place = _PLACE.search(row.finding.attribution.source_link or "")
    if row.finding.direction != "worse" or place is None or place[1] not in paths:
        return None
    where = f" in {name_text(row.workload)}" if len(report.workloads) > 1 else ""
    message = f"{change_text(row, name_text)}{where}: {'; '.join(why(row, name_text))}"
    line = max(1, int(place[2]))
    return {
        "path": paths[place[1]],
        "start_line": line,
        "end_line": line,
        "annotation_level": "failure" if row.finding.colour == "red" else "warning",
        "title": _basic(cut(plain(f"profgate: {tag_of(row.finding)}, {row.metric.name}"), LONGEST_TITLE)),
        "message": _basic(cut(plain(message), LONGEST_MESSAGE)),
    }


def _basic(text: str) -> str:
    """Replace characters above U+FFFF, because annotations do not fully support them."""
    return "".join(character if ord(character) <= 0xFFFF else "\N{REPLACEMENT CHARACTER}" for character in text)
