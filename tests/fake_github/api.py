"""The REST endpoints: one function each, looking at the state and nothing else."""

import difflib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from fake_github.blobs import BlobHost
from fake_github.bodies import Bodies
from fake_github.description import Operation
from fake_github.state import Comment, Commit, Run, State
from profgate.model.record import replace

REPOSITORY = "/repos/{owner}/{repo}"
MAX_COMMENT = 65_536
MAX_STATUS_DESCRIPTION = 140


class RefusalError(Exception):
    """An answer of 4xx that GitHub gives on purpose."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = dict(headers or {})


@dataclass(frozen=True)
class Answer:
    """A status with a JSON value or nothing; ``total`` marks one page of a list and names all its items."""

    status: int
    value: Any = None
    location: str | None = None
    total: int | None = None
    outside_description: bool = False


@dataclass(frozen=True)
class Call:
    """A checked request."""

    operation: Operation
    query: Mapping[str, str]
    body: Any
    headers: Mapping[str, str]

    def __getitem__(self, name: str) -> str:
        return self.operation.values[name]


Item = TypeVar("Item")
Endpoint = Callable[[Call], Answer]


class Api:
    """The endpoints of one repository by ``METHOD template``."""

    def __init__(self, state: State, bodies: Bodies, blobs: BlobHost) -> None:
        self._state = state
        self._bodies = bodies
        self._blobs = blobs
        contents, actions = {"contents": "read"}, {"actions": "read"}
        talk = ({"issues": "read"}, {"pull_requests": "read"})
        speak = ({"issues": "write"}, {"pull_requests": "write"})
        pulls = {"pull_requests": "read"}
        # What each needs: one of the permissions listed with it is enough.
        self._endpoints: dict[str, tuple[Endpoint, tuple[dict[str, str], ...]]] = {
            f"GET {REPOSITORY}/commits/{{ref}}": (self._commit, (contents,)),
            f"GET {REPOSITORY}/commits": (self._commits, (contents,)),
            f"GET {REPOSITORY}/compare/{{basehead}}": (self._compare, (contents,)),
            f"GET {REPOSITORY}/contents/{{path}}": (self._contents, (contents,)),
            f"GET {REPOSITORY}/git/trees/{{tree_sha}}": (self._tree, (contents,)),
            f"GET {REPOSITORY}/releases": (self._releases, (contents,)),
            f"GET {REPOSITORY}/releases/tags/{{tag}}": (self._release, (contents,)),
            f"GET {REPOSITORY}/releases/assets/{{asset_id}}": (self._asset, (contents,)),
            f"GET {REPOSITORY}/actions/workflows/{{workflow_id}}/runs": (self._workflow_runs, (actions,)),
            f"POST {REPOSITORY}/actions/runs/{{run_id}}/rerun-failed-jobs": (self._rerun, ({"actions": "write"},)),
            f"GET {REPOSITORY}/actions/runs/{{run_id}}/artifacts": (self._run_artifacts, (actions,)),
            f"GET {REPOSITORY}/actions/artifacts": (self._artifacts, (actions,)),
            f"GET {REPOSITORY}/actions/artifacts/{{artifact_id}}/{{archive_format}}": (self._download, (actions,)),
            f"GET {REPOSITORY}/pulls": (self._pulls, (pulls,)),
            f"GET {REPOSITORY}/pulls/{{pull_number}}": (self._pull, (pulls,)),
            f"GET {REPOSITORY}/pulls/{{pull_number}}/files": (self._pull_files, (pulls,)),
            f"GET {REPOSITORY}/git/matching-refs/{{ref}}": (self._matching_refs, (contents,)),
            f"GET {REPOSITORY}/issues/{{issue_number}}/comments": (self._comments, talk),
            f"POST {REPOSITORY}/issues/{{issue_number}}/comments": (self._create_comment, speak),
            f"PATCH {REPOSITORY}/issues/comments/{{comment_id}}": (self._edit_comment, speak),
            f"DELETE {REPOSITORY}/issues/comments/{{comment_id}}": (self._delete_comment, speak),
            f"POST {REPOSITORY}/issues/comments/{{comment_id}}/reactions": (self._react, speak),
            f"GET {REPOSITORY}/collaborators/{{username}}/permission": (self._permission, ({"metadata": "read"},)),
            f"POST {REPOSITORY}/statuses/{{sha}}": (self._status, ({"statuses": "write"},)),
        }

    def answer(self, call: Call) -> Answer:
        """What GitHub answers; RefusalError for a 4xx."""
        endpoint, needed = self._endpoints[call.operation.key]
        if f"{call['owner']}/{call['repo']}" != self._state.repository:
            raise RefusalError(404, "Not Found")
        accepted = "; ".join(f"{name}={level}" for way in needed for name, level in way.items())
        headers = {"X-Accepted-GitHub-Permissions": accepted}
        if not any(self._holds(permission) for permission in needed):
            raise RefusalError(403, "Resource not accessible by integration", headers)
        try:
            return endpoint(call)
        except RefusalError as refusal:
            raise RefusalError(refusal.status, str(refusal), headers) from refusal

    def _holds(self, permission: Mapping[str, str]) -> bool:
        levels = ("none", "read", "write")
        held = self._state.permissions
        return all(levels.index(held.get(name, "none")) >= levels.index(level) for name, level in permission.items())

    # Commits and files

    def _commit(self, call: Call) -> Answer:
        return Answer(200, self._bodies.commit(self._known(call["ref"], 422)))

    def _commits(self, call: Call) -> Answer:
        start = self._known(call.query.get("sha", self._state.default_branch), 404)
        return _page(call, [self._bodies.commit(item) for item in self._state.ancestors(start.sha)])

    def _compare(self, call: Call) -> Answer:
        base, dots, head = call["basehead"].partition("...")
        if not dots:
            raise RefusalError(404, "Not Found")
        base_commit, head_commit = self._known(base, 404), self._known(head, 404)
        shared = self._state.merge_base(base_commit.sha, head_commit.sha)
        if shared is None:
            raise RefusalError(404, f"No common ancestor between {base} and {head}.")
        return Answer(200, self._bodies.comparison(base_commit, head_commit, shared))

    def _contents(self, call: Call) -> Answer:
        ref = call.query.get("ref", self._state.default_branch)
        files, path = self._known(ref, 404).files, call["path"]
        if path in files:
            return Answer(200, self._bodies.file(path, files[path], ref))
        inside = [name for name in files if name.startswith(f"{path}/")]
        if not inside:
            raise RefusalError(404, "Not Found")
        return Answer(200, self._bodies.folder(inside))

    def _tree(self, call: Call) -> Answer:
        commit = self._known(call["tree_sha"], 404)
        return Answer(200, self._bodies.tree(commit, recursive="recursive" in call.query))

    def _known(self, ref: str, status: int) -> Commit:
        commit = self._state.resolve(ref)
        if commit is None:
            raise RefusalError(status, f"No commit found for SHA: {ref}" if status == 422 else "Not Found")
        return commit

    # Releases

    def _release(self, call: Call) -> Answer:
        found = [item for item in self._state.releases.values() if item.tag == call["tag"]]
        if not found:
            raise RefusalError(404, "Not Found")
        return Answer(200, self._bodies.release(found[0]))

    def _releases(self, call: Call) -> Answer:
        newest = sorted(self._state.releases.values(), key=lambda one: -one.id)
        return _page(call, [self._bodies.release(one) for one in newest])

    def _asset(self, call: Call) -> Answer:
        number = int(call["asset_id"])
        for release in self._state.releases.values():
            if number in release.assets:
                name, data = release.assets[number]
                asked_for_bytes = call.headers.get("Accept") == "application/octet-stream"
                if asked_for_bytes and self._state.enterprise:
                    return Answer(200, data)
                if asked_for_bytes:
                    return Answer(302, location=self._blobs.offer(data, "application/octet-stream", name))
                return Answer(200, self._bodies.asset(number, name, data))
        raise RefusalError(404, "Not Found")

    # Runs and artifacts

    def _workflow_runs(self, call: Call) -> Answer:
        file = call["workflow_id"]
        if not (file.endswith((".yml", ".yaml")) or file.isdigit()):
            raise RefusalError(404, "Not Found")
        return self._list_runs(call, lambda run: run.path.partition("@")[0].endswith(f"/{file}"))

    def _list_runs(self, call: Call, matches: Callable[[Run], bool]) -> Answer:
        query = call.query
        found = [
            run
            for run in self._state.runs.values()
            if self._state.ignores_filters
            or (
                matches(run)
                and query.get("branch", run.head_branch) == run.head_branch
                and query.get("event", run.event) == run.event
                and query.get("head_sha", run.head_sha) == run.head_sha
                and query.get("status", run.status) in {run.status, run.conclusion}
            )
        ]
        found.sort(key=lambda run: -run.id)
        return _page(call, [self._bodies.run(run) for run in found], "workflow_runs")

    def _rerun(self, call: Call) -> Answer:
        run = _of(self._state.runs, call["run_id"])
        if run.status != "completed" or run.conclusion == "success":
            raise RefusalError(403, "This workflow run cannot be retried")
        self._state.reruns.append(run.id)
        self._state.runs[run.id] = replace(run, status="queued", conclusion=None, attempt=run.attempt + 1)
        return Answer(201, {})

    def _run_artifacts(self, call: Call) -> Answer:
        run = _of(self._state.runs, call["run_id"])
        return self._list_artifacts(call, run.id)

    def _artifacts(self, call: Call) -> Answer:
        return self._list_artifacts(call, None)

    def _list_artifacts(self, call: Call, run_id: int | None) -> Answer:
        name = call.query.get("name")
        found = [
            self._bodies.artifact(item)
            for item in self._state.artifacts.values()
            if run_id in {None, item.run_id} and name in {None, item.name}
        ]
        return _page(call, found[::-1] if run_id is None else found, "artifacts")

    def _download(self, call: Call) -> Answer:
        artifact = _of(self._state.artifacts, call["artifact_id"])
        if artifact.expired:
            raise RefusalError(410, "Artifact has expired")
        return Answer(302, location=self._blobs.offer(artifact.data, artifact.mime_type, artifact.file_name))

    # Pull requests and their comments

    def _pulls(self, call: Call) -> Answer:
        query = call.query
        found = [
            pull
            for pull in self._state.pulls.values()
            if query.get("state", "open") in {pull.state, "all"}
            and query.get("base", pull.base_ref) == pull.base_ref
            and query.get("head", "") in {"", f"{pull.head_repository.partition('/')[0]}:{pull.head_ref}"}
        ]
        answer = _page(call, [self._bodies.pull(pull, whole=False) for pull in found])
        odd = any(pull.head_repository_id is None for pull in found)
        return Answer(200, answer.value, total=answer.total, outside_description=odd)

    def _pull(self, call: Call) -> Answer:
        pull = _of(self._state.pulls, call["pull_number"])
        # The description forbids a missing head repository; after a fork was deleted there is none.
        odd = pull.head_repository_id is None
        return Answer(200, self._bodies.pull(pull, whole=True), outside_description=odd)

    def _pull_files(self, call: Call) -> Answer:
        pull = _of(self._state.pulls, call["pull_number"])
        head, base = self._state.commits[pull.head_sha].files, self._state.commits[pull.base_sha].files
        changed = sorted(path for path in {*head, *base} if head.get(path) != base.get(path))
        gone = {path: base[path] for path in changed if path not in head}
        former = {path: _similar(head[path], gone) for path in changed if path not in base}
        shown = []
        for path in changed:
            if path in former.values():
                continue
            old = former.get(path) or path
            body = self._bodies.changed_file(path, base.get(old), head.get(path))
            shown.append(body if old == path else body | {"status": "renamed", "previous_filename": old})
        return _page(call, shown)

    def _matching_refs(self, call: Call) -> Answer:
        prefix = call["ref"].removeprefix("heads/")
        found = {name: sha for name, sha in sorted(self._state.branches.items()) if name.startswith(prefix)}
        return Answer(200, [self._bodies.reference(name, sha) for name, sha in found.items()])

    def _comments(self, call: Call) -> Answer:
        number = _of(self._state.pulls, call["issue_number"]).number
        found = [item for item in self._state.comments.values() if item.pull == number]
        return _page(call, [self._bodies.comment(item) for item in found])

    def _create_comment(self, call: Call) -> Answer:
        pull = _of(self._state.pulls, call["issue_number"])
        _check_length(call.body["body"])
        comment = Comment(self._state.next_id(), pull.number, self._state.token_login, call.body["body"])
        self._state.comments[comment.id] = comment
        body = self._bodies.comment(comment)
        return Answer(201, body, location=body["url"])

    def _edit_comment(self, call: Call) -> Answer:
        comment = _of(self._state.comments, call["comment_id"])
        _check_length(call.body["body"])
        comment.body, comment.updated = call.body["body"], self._state.next_date()
        return Answer(200, self._bodies.comment(comment))

    def _delete_comment(self, call: Call) -> Answer:
        del self._state.comments[_of(self._state.comments, call["comment_id"]).id]
        return Answer(204)

    def _react(self, call: Call) -> Answer:
        comment, content = _of(self._state.comments, call["comment_id"]), call.body["content"]
        known = content in comment.reactions
        if not known:
            comment.reactions.append(content)
        return Answer(200 if known else 201, self._bodies.reaction(content))

    def _permission(self, call: Call) -> Answer:
        login = call["username"]
        return Answer(200, self._bodies.permission(login, self._state.collaborators.get(login, "read")))

    # Statuses

    def _status(self, call: Call) -> Answer:
        self._known(call["sha"], 422)
        if len(call.body.get("description") or "") > MAX_STATUS_DESCRIPTION:
            raise RefusalError(422, "Validation Failed: description is too long (maximum is 140 characters)")
        self._state.statuses.append({**call.body, "sha": call["sha"]})
        shown = {key: call.body[key] for key in ("state", "target_url", "description", "context") if key in call.body}
        body = self._bodies.status(self._state.next_id(), shown)
        return Answer(201, body, location=body["url"])


def error_body(status: int, message: str) -> bytes:
    """GitHub's shape of an error."""
    return json.dumps(
        {"message": message, "documentation_url": "https://docs.github.com/rest", "status": str(status)}
    ).encode()


def _similar(data: bytes, gone: Mapping[str, bytes]) -> str | None:
    """The file that went and holds half of the same lines, as git looks for renames."""
    lines = data.splitlines()
    alike = {path: difflib.SequenceMatcher(None, old.splitlines(), lines).ratio() for path, old in gone.items()}
    return next((path for path, ratio in sorted(alike.items()) if ratio >= 0.5), None)


def _of(things: Mapping[int, Item], number: str) -> Item:
    if int(number) not in things:
        raise RefusalError(404, "Not Found")
    return things[int(number)]


def _page(call: Call, items: list[Any], key: str | None = None) -> Answer:
    size, number = min(int(call.query.get("per_page", 30)), 100), int(call.query.get("page", 1))
    part = items[(number - 1) * size : number * size]
    return Answer(200, {"total_count": len(items), key: part} if key else part, total=len(items))


def _check_length(body: str) -> None:
    if len(body) > MAX_COMMENT:
        raise RefusalError(422, "Validation Failed: Body is too long (maximum is 65536 characters)")
