import pytest

from profgate.action.github.client import GitHubClient
from profgate.action.github.records import TreeRecord
from profgate.errors import GitHubError


def files_of(answer: object, monkeypatch: pytest.MonkeyPatch) -> TreeRecord:
    connection = GitHubClient("token", "https://api.github.com", "o/r")
    monkeypatch.setattr(connection, "_call", lambda *_: ({}, answer))
    return connection.files_of_commit("a")


@pytest.mark.parametrize(
    "answer", [{}, [], {"tree": [{}], "truncated": False}, {"tree": [{"path": 3, "mode": "", "type": "blob"}]}]
)
def test_another_answer_is_no_empty_list_of_files(answer: object, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(GitHubError, match="not as documented"):
        files_of(answer, monkeypatch)


def test_only_regular_files_are_files_of_a_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    modes = {"a.py": "100644", "run": "100755", "link.py": "120000"}
    entries = [{"path": path, "mode": mode, "type": "blob"} for path, mode in modes.items()]
    entries += [{"path": "src", "mode": "040000", "type": "tree"}, {"path": "lib", "mode": "160000", "type": "commit"}]
    assert files_of({"tree": entries, "truncated": False}, monkeypatch).paths == {"a.py", "run"}
