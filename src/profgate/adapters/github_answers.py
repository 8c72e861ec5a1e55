"""GitHub's JSON as records; an answer that is not as documented is an error, never an empty record."""

import base64
import binascii
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, TypeVar

from profgate.errors import GitHubError
from profgate.model.github_records import (
    ArtifactRecord,
    AssetRecord,
    CommentRecord,
    CommitRecord,
    FileRecord,
    MessageRecord,
    PullRecord,
    ReleaseRecord,
    RunRecord,
    TreeRecord,
)

Record = TypeVar("Record")
_STORING = timedelta(seconds=2)  # between the two times of a comment that nobody edited
_LINK = "120000"  # git's mode of a symbolic link, whose own text says nothing of the code it leads to


def parsed(where: str, parse: Callable[[Any], Record], answer: Any) -> Record:  # noqa: ANN401 - JSON
    """The record of an answer. Raises GitHubError that says what was missing."""
    try:
        return parse(answer)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        what = f"GitHub's answer is not as documented ({type(error).__name__}: {error}); check GITHUB_API_URL"
        raise GitHubError(where, what) from error


def text_of(value: object) -> str:
    """Text, or TypeError."""
    if not isinstance(value, str):
        raise TypeError(f"expected text, found {type(value).__name__}")
    return value


def number_of(value: object) -> int:
    """A whole number, or TypeError."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"expected a number, found {type(value).__name__}")
    return value


def commit_of(data: Mapping[str, Any]) -> CommitRecord:
    """A commit; dates have time zones."""
    details = data["commit"]
    date = (details["committer"] or details["author"])["date"]
    parents = tuple(text_of(parent["sha"]) for parent in data["parents"])
    return CommitRecord(text_of(data["sha"]), parents, datetime.fromisoformat(date))


def run_of(data: Mapping[str, Any]) -> RunRecord:
    """A workflow run; its path without the ref that GitHub sometimes appends."""
    head = data["head_repository"] or {}
    return RunRecord(
        id=number_of(data["id"]),
        event=text_of(data["event"]),
        status=data["status"] or "",
        conclusion=data["conclusion"],
        head_branch=data["head_branch"],
        head_sha=text_of(data["head_sha"]),
        head_repository_id=head.get("id"),
        head_repository=head.get("full_name"),
        repository_id=number_of(data["repository"]["id"]),
        path=text_of(data["path"]).partition("@")[0],
        attempt=data.get("run_attempt") or 1,
        created_at=datetime.fromisoformat(data["created_at"]),
        html_url=text_of(data["html_url"]),
    )


def artifact_of(data: Mapping[str, Any]) -> ArtifactRecord:
    """An artifact of a list."""
    run = data.get("workflow_run") or {}
    created = data.get("created_at")
    return ArtifactRecord(
        id=number_of(data["id"]),
        name=text_of(data["name"]),
        size=number_of(data["size_in_bytes"]),
        expired=bool(data["expired"]),
        digest=data.get("digest") or None,
        run_id=run.get("id"),
        head_sha=run.get("head_sha"),
        created_at=datetime.fromisoformat(created) if created else None,
    )


def pull_of(data: Mapping[str, Any]) -> PullRecord:
    """A pull request; the head repository is null after a fork was deleted."""
    head, base = data["head"], data["base"]
    head_repository = head["repo"] or {}
    return PullRecord(
        number=number_of(data["number"]),
        state=text_of(data["state"]),
        draft=bool(data.get("draft")),
        author=(data["user"] or {}).get("login", ""),
        head_sha=text_of(head["sha"]),
        head_ref=text_of(head["ref"]),
        head_repository_id=head_repository.get("id"),
        head_repository=head_repository.get("full_name"),
        base_sha=text_of(base["sha"]),
        base_ref=text_of(base["ref"]),
        base_repository_id=number_of(base["repo"]["id"]),
        labels=tuple(text_of(label["name"]) for label in data["labels"]),
    )


def file_of(data: Mapping[str, Any]) -> FileRecord:
    """A file of a pull request."""
    path, patch = text_of(data["filename"]), data.get("patch")
    return FileRecord(
        path=path,
        previous_path=data.get("previous_filename") or path,
        status=text_of(data["status"]),
        additions=number_of(data["additions"]),
        deletions=number_of(data["deletions"]),
        patch=None if patch is None else text_of(patch),
    )


def tree_of(data: Mapping[str, Any]) -> TreeRecord:
    """The files of a recursively listed tree, without folders, submodules and symbolic links."""
    files = (item for item in data["tree"] if item["type"] == "blob" and item["mode"] != _LINK)
    return TreeRecord(frozenset(text_of(item["path"]) for item in files), whole=data["truncated"] is False)


def place_of(data: Mapping[str, Any], path: str) -> tuple[str, int] | None:
    """SHA and size of a file in a tree, None where it has none of this name."""
    found = (one for one in data["tree"] if one["path"] == path and one["type"] == "blob" and one["mode"] != _LINK)
    item = next(found, None)
    return None if item is None else (text_of(item["sha"]), number_of(item["size"]))


def blob_of(data: Mapping[str, Any], size: int) -> bytes:
    """The bytes of a blob, which are as many as its tree says."""
    if data["encoding"] != "base64":
        raise ValueError(f"encoding is {data['encoding']!r}, not base64")
    content = base64.b64decode(data["content"])
    if len(content) != size:
        raise ValueError(f"{len(content):,} bytes came, {size:,} were announced")
    return content


def release_of(data: Mapping[str, Any]) -> ReleaseRecord:
    """A release with its files."""
    assets = tuple(
        AssetRecord(number_of(one["id"]), text_of(one["name"]), number_of(one["size"]), one.get("digest") or None)
        for one in data["assets"]
    )
    return ReleaseRecord(
        id=number_of(data["id"]),
        tag=text_of(data["tag_name"]),
        draft=bool(data["draft"]),
        prerelease=bool(data["prerelease"]),
        upload_url=text_of(data["upload_url"]),
        assets=assets,
    )


def comment_of(data: Mapping[str, Any]) -> CommentRecord:
    """A comment; the user is null after an account was deleted."""
    created, updated = (datetime.fromisoformat(data[f"{when}_at"]) for when in ("created", "updated"))
    return CommentRecord(
        id=number_of(data["id"]),
        author=(data["user"] or {}).get("login", ""),
        body=data.get("body") or "",
        html_url=text_of(data["html_url"]),
        edited=updated - created > _STORING,
        association=data.get("author_association") or "",
        node_id=text_of(data["node_id"]),
    )


def check_run_of(data: Mapping[str, Any], external_id: str) -> int | None:
    """The id of the check run that has this id of ours, None where none of the list has it."""
    return next((number_of(one["id"]) for one in data["check_runs"] if one.get("external_id") == external_id), None)


def message_of(data: Mapping[str, Any]) -> MessageRecord:
    """A commit's message."""
    return MessageRecord(text_of(data["sha"]), text_of(data["commit"]["message"]))


def content_of(data: Any, where: str) -> bytes:  # noqa: ANN401 - JSON
    """The bytes of a file. Raises GitHubError for what is no file or too large to be sent."""
    if isinstance(data, list) or data["type"] != "file":
        raise GitHubError(where, "is not a file; name a regular file of the repository")
    if data["encoding"] != "base64":
        raise GitHubError(where, "is too large to read through the API; keep it below 1 MB")
    try:
        return base64.b64decode(data["content"])
    except binascii.Error as error:
        raise ValueError("content is not base64") from error
