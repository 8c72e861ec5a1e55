"""The GraphQL of profgate: many files of several commits in one request, minimised comments, moving a branch."""

from collections.abc import Mapping, Sequence
from typing import Any

MINIMIZED = "query($ids: [ID!]!) { nodes(ids: $ids) { ... on IssueComment { id isMinimized } } }"
MINIMIZE = (
    "mutation($id: ID!) { minimizeComment(input: {subjectId: $id, classifier: OUTDATED})"
    " { minimizedComment { isMinimized } } }"
)
MOVE_REF = (
    "mutation($repository: ID!, $updates: [RefUpdate!]!)"
    " { updateRefs(input: {repositoryId: $repository, refUpdates: $updates}) { clientMutationId } }"
)
_NOWHERE = "0" * 40  # as GitHub's schema says it: the reference does not exist
_FIELDS = "... on Blob { text isBinary isTruncated }"


def blob_query(repository: str, places: Sequence[tuple[str, str]]) -> tuple[str, dict[str, str]]:
    """A query for the texts of (commit, path) and its variables; paths are data, never part of the query."""
    owner, _, name = repository.partition("/")
    numbers = range(len(places))
    asked = " ".join(f"file{number}: object(expression: $file{number}) {{ {_FIELDS} }}" for number in numbers)
    declared = ", ".join(["$owner: String!", "$name: String!", *(f"$file{number}: String!" for number in numbers)])
    query = f"query({declared}) {{ repository(owner: $owner, name: $name) {{ {asked} }} }}"
    variables = {f"file{number}": f"{commit}:{path}" for number, (commit, path) in enumerate(places)}
    return query, {"owner": owner, "name": name, **variables}


def move(repository: str, branch: str, before: str | None, after: str) -> dict[str, Any]:
    """The variables that move a branch to a commit if it is where it was; ``before`` None = if it does not exist."""
    update = {"name": f"refs/heads/{branch}", "beforeOid": before or _NOWHERE, "afterOid": after, "force": True}
    return {"repository": repository, "updates": [update]}


def texts_of(answer: Mapping[str, Any], count: int) -> list[str | None]:
    """The texts in the order of the query, which asked for ``count``; None for what is missing, binary or cut off."""
    repository = answer["data"]["repository"]
    return [_text(repository[f"file{number}"]) for number in range(count)]


def _text(blob: Mapping[str, Any] | None) -> str | None:
    if blob is None or blob.get("isBinary") or blob.get("isTruncated"):
        return None
    text = blob.get("text")
    return text if isinstance(text, str) else None


def minimized_of(answer: Mapping[str, Any]) -> list[str]:
    """The node ids that are minimised; what is gone meanwhile is null and counts as such nowhere."""
    return [str(node["id"]) for node in answer["data"]["nodes"] if node and node.get("isMinimized") is True]
