import pytest

from profgate.adapters.github_answers import parsed, tree_of
from profgate.errors import GitHubError


def test_only_regular_files_are_files_of_a_commit() -> None:
    modes = {"a.py": "100644", "run": "100755", "link.py": "120000"}
    entries = [{"path": path, "mode": mode, "type": "blob"} for path, mode in modes.items()]
    entries += [{"path": "src", "mode": "040000", "type": "tree"}, {"path": "lib", "mode": "160000", "type": "commit"}]
    assert tree_of({"tree": entries, "truncated": False}).paths == {"a.py", "run"}


@pytest.mark.parametrize(
    "answer", [{}, [], {"tree": [{}], "truncated": False}, {"tree": [{"path": 3, "mode": "", "type": "blob"}]}]
)
def test_another_answer_is_no_empty_list_of_files(answer: object) -> None:
    with pytest.raises(GitHubError, match="not as documented"):
        parsed("files of commit", tree_of, answer)
