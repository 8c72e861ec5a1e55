"""A local commit of what ``profgate init`` wrote, from which the user opens a pull request."""

from collections.abc import Sequence

from profgate.errors import ProfgateError
from profgate.io.git import git

BRANCH = "profgate"
COMMITTED = f"""\
Committed on the new local branch {BRANCH}; nothing was pushed. To open a pull request:
  git push --set-upstream origin {BRANCH}
  gh pr create --fill
"""


def commit(top: str, paths: Sequence[str], result: str) -> None:
    """Create a branch and commit these files on it. The message contains the result of the trial recording.

    Other changes of the working tree are not committed. Raises ProfgateError if the branch exists or git fails.
    """
    try:
        git(["switch", "--quiet", "--create", BRANCH], top, settings={})  # with the user's hooks, as are the next ones
    except ProfgateError as error:
        raise ProfgateError("--pull-request", f"{error.what}; delete or rename the branch {BRANCH}") from error
    git(["add", "--force", "--", *paths], top, settings={})
    message = f"Measure the performance of pull requests\n\n{result}".strip()
    git(["commit", "--quiet", "--only", "--message", message, "--", *paths], top, settings={})
