"""Complete answers: the official examples with our ids, names and addresses in place of theirs."""

import base64
import difflib
import hashlib
import json
from typing import Any

from fake_github.description import Description
from fake_github.state import Artifact, Comment, Commit, Pull, Release, Run, State

THEIR_REPOSITORIES = ("octocat/Hello-World", "octo-org/octo-repo", "octo-org/octo-docs", "github/hello-world")


class Bodies:
    """Builds one body for each kind of thing."""

    def __init__(self, description: Description, state: State, address: str) -> None:
        self._description = description
        self._state = state
        self._address = address
        self._seeds: dict[str, str] = {}

    def commit(self, commit: Commit) -> dict[str, Any]:
        body = self._first("commit-items")
        body |= {"sha": commit.sha, "url": f"{self._api}/commits/{commit.sha}"}
        person = {"name": commit.author, "email": f"{commit.author}@example.com", "date": commit.date}
        body["commit"] |= {"message": commit.message, "author": person, "committer": dict(person)}
        body["parents"] = [
            {"sha": sha, "url": f"{self._api}/commits/{sha}", "html_url": f"{self._html}/commit/{sha}"}
            for sha in commit.parents
        ]
        return body

    def comparison(self, base: Commit, head: Commit, merge_base: Commit) -> dict[str, Any]:
        body = self._seed("commit-comparison")
        known = {item.sha for item in self._state.ancestors(base.sha)}
        ahead = [item for item in self._state.ancestors(head.sha) if item.sha not in known][::-1]
        body |= {"base_commit": self.commit(base), "merge_base_commit": self.commit(merge_base)}
        body |= {
            "commits": [self.commit(one) for one in ahead],
            "files": self._changed(merge_base, head),
            "ahead_by": len(ahead),
        }
        return body | {"total_commits": len(ahead), "behind_by": int(base != merge_base), "status": "diverged"}

    def _changed(self, before: Commit, after: Commit) -> list[dict[str, Any]]:
        """The files that differ; GitHub lists 300 of them."""
        paths = sorted(before.files.keys() | after.files.keys())
        sides = [(path, before.files.get(path), after.files.get(path)) for path in paths]
        return [self.changed_file(*one) for one in sides if one[1] != one[2]][:300]

    def run(self, run: Run) -> dict[str, Any]:
        body = self._seed("workflow-run")
        body |= {"id": run.id, "event": run.event, "head_branch": run.head_branch, "head_sha": run.head_sha}
        body |= {"path": run.path, "status": run.status, "conclusion": run.conclusion, "run_attempt": run.attempt}
        body |= {"created_at": run.created_at, "updated_at": run.created_at, "pull_requests": []}
        body |= {"url": f"{self._api}/actions/runs/{run.id}", "html_url": f"{self._html}/actions/runs/{run.id}"}
        body["artifacts_url"] = f"{self._api}/actions/runs/{run.id}/artifacts"
        self._as_repository(body["repository"], run.repository_id or self._state.repository_id, self._state.repository)
        self._as_repository(body["head_repository"], run.head_repository_id, run.head_repository)
        return body

    def artifact(self, artifact: Artifact) -> dict[str, Any]:
        body = self._seed("artifact")
        run = self._state.runs[artifact.run_id]
        url = f"{self._api}/actions/artifacts/{artifact.id}"
        body |= {"id": artifact.id, "name": artifact.name, "size_in_bytes": len(artifact.data), "url": url}
        body |= {"archive_download_url": f"{url}/zip", "expired": artifact.expired, "digest": artifact.digest}
        body |= {"created_at": artifact.created_at, "updated_at": artifact.created_at}
        body["workflow_run"] = {
            "id": run.id,
            "repository_id": self._state.repository_id,
            "head_repository_id": run.head_repository_id,
            "head_branch": run.head_branch,
            "head_sha": run.head_sha,
        }
        return body

    def comment(self, comment: Comment) -> dict[str, Any]:
        body = self._seed("issue-comment")
        body |= {"id": comment.id, "body": comment.body, "url": f"{self._api}/issues/comments/{comment.id}"}
        body["node_id"] = comment.node_id
        body["html_url"] = f"{self._html}/pull/{comment.pull}#issuecomment-{comment.id}"
        body["issue_url"] = f"{self._api}/issues/{comment.pull}"
        body["author_association"] = comment.association
        body |= {"created_at": comment.created, "updated_at": comment.updated or comment.created}
        if comment.edited and not comment.updated:
            body["updated_at"] = "2026-12-20T08:00:00Z"
        body["user"] |= {"login": comment.author, "type": "Bot" if comment.author.endswith("[bot]") else "User"}
        return body

    def reaction(self, content: str) -> dict[str, Any]:
        body: dict[str, Any] = self._seed("reaction")
        return body | {"content": content}

    def pull(self, pull: Pull, *, whole: bool) -> dict[str, Any]:
        body = self._seed("pull-request") if whole else self._first("pull-request-simple-items")
        url = f"{self._api}/pulls/{pull.number}"
        body |= {"number": pull.number, "state": pull.state, "url": url, "html_url": f"{self._html}/pull/{pull.number}"}
        body |= {"requested_teams": [], "requested_reviewers": [], "assignee": None, "assignees": [], "milestone": None}
        body |= {"locked": False, "merged_at": None, "closed_at": None, "draft": pull.draft}
        body["labels"] = []
        body["user"]["login"] = pull.author
        body |= {"title": pull.title, "body": pull.body}
        body["stack"] = pull.stack
        self._side(body["head"], pull.head_ref, pull.head_sha, pull.head_repository_id, pull.head_repository)
        self._side(body["base"], pull.base_ref, pull.base_sha, self._state.repository_id, self._state.repository)
        return body

    def file(self, path: str, data: bytes, ref: str) -> dict[str, Any]:
        body = self._seed("content-file-response-if-content-is-a-file")
        large = len(data) > 1_000_000
        body |= {"path": path, "name": path.rpartition("/")[2], "size": len(data)}
        body |= {"encoding": "none" if large else "base64", "url": f"{self._api}/contents/{path}?ref={ref}"}
        body["content"] = "" if large else base64.encodebytes(data).decode()
        return body

    def folder(self, names: list[str]) -> list[dict[str, Any]]:
        seed = self._first("content-file-response-if-content-is-a-directory")
        return [seed | {"path": name, "name": name.rpartition("/")[2]} for name in names]

    def tree(self, commit: Commit, *, recursive: bool) -> dict[str, Any]:
        """Folders and files in order; those of folders only with ``recursive``, of which GitHub takes any value."""
        file, folder = self._seed("git-tree-default-response")["tree"][:2]
        folders = {path[:end] for path in commit.files for end, sign in enumerate(path) if sign == "/"}
        found = {path: folder | {"path": path, "url": f"{self._api}/git/trees/{commit.sha}"} for path in folders}
        for path, data in commit.files.items():
            sha = name_of(data)
            place = {"path": path, "sha": sha, "size": len(data), "url": f"{self._api}/git/blobs/{sha}"}
            found[path] = file | place
        shown = [found[path] for path in sorted(found) if recursive or "/" not in path]
        body = self._seed("git-tree-response-recursively-retrieving-a-tree")
        body |= {"sha": commit.sha, "url": f"{self._api}/git/trees/{commit.sha}"}
        most = self._state.most_listed
        return body | {"tree": shown[:most], "truncated": len(shown) > most}

    def release(self, release: Release) -> dict[str, Any]:
        body = self._seed("release")
        body |= {"id": release.id, "tag_name": release.tag, "name": release.tag, "target_commitish": release.sha}
        upload = f"{self._address}/repos/{self._state.repository}/releases/{release.id}"
        body |= {"draft": False, "prerelease": False, "upload_url": f"{upload}/assets{{?name,label}}"}
        return body | {"assets": [self.asset(number, *asset) for number, asset in release.assets.items()]}

    def asset(self, number: int, name: str, data: bytes) -> dict[str, Any]:
        body: dict[str, Any] = self._seed("release-asset")
        return body | {
            "id": number,
            "name": name,
            "size": len(data),
            "digest": f"sha256:{hashlib.sha256(data).hexdigest()}" if self._state.release_digests else None,
            "url": f"{self._api}/releases/assets/{number}",
        }

    def reference(self, name: str, sha: str) -> dict[str, Any]:
        body: dict[str, Any] = self._first("git-ref-items")
        body |= {"ref": f"refs/heads/{name}", "url": f"{self._api}/git/refs/heads/{name}"}
        body["object"] |= {"sha": sha, "type": "commit", "url": f"{self._api}/git/commits/{sha}"}
        return body

    def permission(self, login: str, role: str) -> dict[str, Any]:
        body = self._seed("repository-collaborator-permission-response-if-user-has-admin-permissions")
        body |= {"permission": role, "role_name": role}
        body["user"] |= {"login": login, "role_name": role}
        return body

    def changed_file(self, path: str, before: bytes | None, after: bytes | None) -> dict[str, Any]:
        """A file of a pull request; as GitHub does, the patch is left out for what is no text."""
        body: dict[str, Any] = self._first("diff-entry-items")
        body |= {"filename": path, "sha": hashlib.sha1(after or before or b"", usedforsecurity=False).hexdigest()}
        body["status"] = "added" if before is None else "removed" if after is None else "modified"
        old, new = ((side or b"").decode("utf-8", "surrogateescape").splitlines() for side in (before, after))
        lines = list(difflib.unified_diff(old, new, lineterm=""))[2:]
        came, went = (sum(line.startswith(mark) for line in lines) for mark in "+-")
        body |= {"additions": came, "deletions": went, "changes": came + went, "patch": "\n".join(lines)}
        if b"\0" in (before or b"") + (after or b""):
            body |= {"additions": 0, "deletions": 0, "changes": 0}
            del body["patch"]
        return body

    def status(self, number: int, values: dict[str, Any]) -> dict[str, Any]:
        body: dict[str, Any] = self._seed("status")
        return body | {"id": number, **values}

    @property
    def _api(self) -> str:
        return f"{self._address}/repos/{self._state.repository}"

    @property
    def _html(self) -> str:
        return f"{self._address}/{self._state.repository}"

    def _first(self, name: str) -> dict[str, Any]:
        """A copy of the first item of an example list."""
        items: list[dict[str, Any]] = json.loads(self._text(name))
        return items[0]

    def _seed(self, name: str) -> dict[str, Any]:
        """A copy of an example body."""
        body: dict[str, Any] = json.loads(self._text(name))
        return body

    def _text(self, name: str) -> str:
        if name not in self._seeds:
            text = json.dumps(self._description.example(name))
            for theirs in THEIR_REPOSITORIES:
                text = text.replace(theirs, self._state.repository)
            for host in ("https://api.github.com", "https://github.com"):
                text = text.replace(host, self._address)
            self._seeds[name] = text
        return self._seeds[name]

    def _as_repository(self, body: dict[str, Any], number: int, full_name: str) -> dict[str, Any]:
        owner, _, name = full_name.partition("/")
        body |= {"id": number, "full_name": full_name, "name": name}
        body["owner"] |= {"login": owner}
        return body

    def _side(self, body: dict[str, Any], ref: str, sha: str, number: int | None, full_name: str) -> None:
        body |= {"ref": ref, "sha": sha, "label": f"{full_name.partition('/')[0]}:{ref}"}
        if number is None:
            body["repo"] = None
        else:
            self._as_repository(body["repo"], number, full_name)


def name_of(data: bytes) -> str:
    """A SHA for these bytes."""
    return hashlib.sha1(data, usedforsecurity=False).hexdigest()
