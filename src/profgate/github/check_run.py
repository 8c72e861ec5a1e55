"""An optional check run: the comment's text at the commit, with annotations of changed lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from profgate.errors import GitHubError
from profgate.github.client import GitHubClient
from profgate.model.annotation import Annotation
from profgate.model.report import Verdict

PAGE = 50  # annotations that GitHub takes in one request
LONGEST_TITLE = 255
LONGEST_SUMMARY = 60_000  # bytes; GitHub refuses more than 65,535 characters


@dataclass(frozen=True, slots=True)
class CheckText:
    """What the check run shows; the summary is Markdown, ``external_id`` identifies this run of profgate."""

    title: str
    summary: str
    external_id: str


def check_name(key: str) -> str:
    """The check run's name, unlike the status: if equal, a branch rule would require both."""
    return f"profgate lines ({key})"


def publish_check_run(
    client: GitHubClient, sha: str, key: str, verdict: Verdict, text: CheckText, notes: Sequence[Annotation]
) -> int:
    """Writes the check run, complete from the first request on, and gives the number of requests."""
    if not sha:
        raise GitHubError("check run", "the commit is not known; run on an event of a commit")
    summary = text.summary.encode()[:LONGEST_SUMMARY].decode(errors="ignore")
    output = {"title": text.title[:LONGEST_TITLE], "summary": summary}
    pages = [notes[start : start + PAGE] for start in range(0, len(notes), PAGE)] or [()]
    values = {
        "name": check_name(key),
        "head_sha": sha,
        "external_id": text.external_id,
        "status": "completed",
        "conclusion": _conclusion(verdict),
        "output": output | {"annotations": [_body(note) for note in pages[0]]},
    }
    number = client.create_check_run(values)
    for page in pages[1:]:
        client.edit_check_run(number, {"output": output | {"annotations": [_body(note) for note in page]}})
    return len(pages)


def _conclusion(verdict: Verdict) -> str:
    if verdict.conclusion == "fail" or verdict.exit_code == 1:
        return "failure"
    return "success" if verdict.conclusion == "pass" else "neutral"


def _body(note: Annotation) -> dict[str, Any]:
    return {
        "path": note.path,
        "start_line": note.line,
        "end_line": note.line,
        "annotation_level": note.level,
        "title": note.title,
        "message": note.message,
    }
