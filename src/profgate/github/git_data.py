"""Access commits, trees, files and branches of a repository through GitHub's API."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import quote

from pydantic import AliasPath, Field

from profgate.errors import GitHubError
from profgate.github.records import CommitRecord, TreeRecord
from profgate.github.requests import PAGE, GitHubConnection, NotFoundError, parsed, undocumented

TEXTS = 50  # maximum number of files per GraphQL query; a query must finish in ten seconds


@dataclass(frozen=True, slots=True)
class _Ref:
    ref: str
    sha: Annotated[str, Field(validation_alias=AliasPath("object", "sha"))]


@dataclass(frozen=True, slots=True)
class _Content:
    encoding: str
    content: str


@dataclass(frozen=True, slots=True)
class _Text:
    text: str | None = None
    isBinary: bool | None = None  # noqa: N815 - the name in GraphQL
    isTruncated: bool | None = None  # noqa: N815


class GitRequests(GitHubConnection):
    """API requests for commits, files and branches."""

    def commit(self, ref: str) -> CommitRecord:
        """Return the commit for a SHA, branch or tag. This takes one request."""
        return self._get(f"/commits/{_quoted(ref)}", CommitRecord, per_page=1)

    def commit_sha(self, ref: str) -> str:
        """Return the full SHA for a branch, tag or abbreviated SHA. This takes one request."""
        return self.commit(ref).sha

    def merge_base(self, base: str, head: str) -> str:
        """Return the SHA of the merge base of ``base`` and ``head``. This takes one request."""
        return self._get(_pair(base, head), str, "merge_base_commit", "sha", per_page=1)

    def ancestors(self, sha: str) -> list[CommitRecord]:
        """Return a commit and its ancestors, at most 100 commits, in the order of ``git log``, in one request."""
        return self._get("/commits", list[CommitRecord], sha=sha, per_page=PAGE)

    def file_at(self, path: str, ref: str) -> bytes | None:
        """Return the content of a file of at most 1 MB at a ref, or None if there is no such file, in one request."""
        where = f"{path} at {ref}"
        try:
            answer = self._get(f"/contents/{quote(path)}", object, ref=ref)
        except NotFoundError:
            return None
        if not isinstance(answer, dict) or answer.get("type") != "file":
            raise GitHubError(where, "is not a file; name a regular file of the repository")
        content = parsed(where, _Content, answer)
        if content.encoding != "base64":
            raise GitHubError(where, "is too large to read through the API; keep it below 1 MB")
        return _decoded(where, content)

    def files_of_commit(self, sha: str) -> TreeRecord:
        """Return the list of a commit's files, in one request. GitHub limits the list to 100,000 entries and 7 MB."""
        return self._get(f"/git/trees/{_quoted(sha)}", TreeRecord, recursive=1)

    def texts_at(self, places: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
        """Return the texts of files by commit and path, in one GraphQL request per 50 files.

        Files that are missing, binary or truncated by GitHub are left out.
        """
        found: dict[tuple[str, str], str] = {}
        for start in range(0, len(places), TEXTS):
            group = places[start : start + TEXTS]
            answer = self._graphql(*_text_query(self._repository, group))
            texts = parsed("files by GraphQL", dict[str, _Text | None], answer, "data", "repository")
            for number, place in enumerate(group):
                text = texts.get(f"file{number}")
                if text is not None and text.text is not None and not (text.isBinary or text.isTruncated):
                    found[place] = text.text
        return found

    def branches_below(self, prefix: str) -> dict[str, str]:
        """Return the head commits of all branches whose names begin with ``prefix``; one request per 100 branches."""
        refs = self._items(f"/git/matching-refs/heads/{quote(prefix)}", _Ref, per_page=None)
        return {item.ref.removeprefix("refs/heads/"): item.sha for item in refs}


def _quoted(name: str) -> str:
    return quote(name, safe="")


def _pair(base: str, head: str) -> str:
    return f"/compare/{_quoted(base)}...{_quoted(head)}"


def _decoded(where: str, content: _Content) -> bytes:
    try:
        return base64.b64decode(content.content)
    except ValueError as error:
        raise undocumented(where, "its content is not base64") from error


def _text_query(repository: str, places: Sequence[tuple[str, str]]) -> tuple[str, dict[str, str]]:
    """Return a GraphQL query for files and the query's variables. Each of the ``places`` is a commit and a path."""
    owner, _, name = repository.partition("/")
    numbers = range(len(places))
    fields = "{ ... on Blob { text isBinary isTruncated } }"
    files = " ".join(f"file{number}: object(expression: $file{number}) {fields}" for number in numbers)
    declared = ", ".join(["$owner: String!", "$name: String!", *(f"$file{number}: String!" for number in numbers)])
    query = f"query({declared}) {{ repository(owner: $owner, name: $name) {{ {files} }} }}"
    variables = {f"file{number}": f"{commit}:{path}" for number, (commit, path) in enumerate(places)}
    return query, {"owner": owner, "name": name, **variables}
