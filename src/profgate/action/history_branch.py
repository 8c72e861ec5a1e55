"""The history as the only file of the only commit of a branch, so that nothing piles up in the repository."""

from collections.abc import Callable

from profgate.action.job import Job
from profgate.errors import GitHubError, ProfgateError
from profgate.history.history_file import FILE
from profgate.settings.inputs import Settings

MAX_BYTES = 50 << 20  # base64 makes it a third more, and GitHub gives a blob of at most 100 MB
TRIES = 3


def history_branch(settings: Settings) -> str:
    """The branch of the history; each key has its own."""
    return "profgate-history" if settings.key == "default" else f"profgate-history-{settings.key}"


def branch_history(job: Job) -> tuple[str | None, bytes | None]:
    """The commit of the branch and the history in it; None twice where there is no such branch.

    Raises GitHubError where the branch is something else: it is not ours then.
    """
    branch = history_branch(job.settings)
    head = job.client.branch_head(branch)
    if head is None:
        return None, None
    data = job.client.file_of_commit(head, FILE, max_bytes=MAX_BYTES)
    if data is None:
        raise GitHubError(f"branch {branch}", f"holds no {FILE}; rename the branch, and the next base run makes it")
    return head, data


def replace_branch(
    job: Job, head: str | ProfgateError | None, current: Callable[[], bytes], merge: Callable[[bytes], None]
) -> bool:
    """Writes the history to the branch; False, with a warning, where it has to be stored elsewhere.

    ``current`` returns its bytes, which hold what the branch held at ``head`` (an error: what is there cannot be read,
    and is left as it is). Where another run moved the branch meanwhile, ``merge`` adds what that run wrote.
    """
    branch = history_branch(job.settings)
    try:
        if isinstance(head, ProfgateError):
            raise head
        _replace(job, branch, head, current, merge)
    except ProfgateError as error:
        what = f"the history is stored as an artifact, not in the branch {branch}: {error}"
        job.commands.warning(what, title="profgate")
        return False
    job.commands.log(f"stored the history in the branch {branch}")
    return True


def _replace(
    job: Job, branch: str, head: str | None, current: Callable[[], bytes], merge: Callable[[bytes], None]
) -> None:
    for _ in range(TRIES):
        data = current()
        if len(data) > MAX_BYTES:
            raise ProfgateError(FILE, f"has {len(data):,} bytes, more than the {MAX_BYTES:,} that a branch may hold")
        if job.client.replace_branch(branch, head, FILE, data, f"History up to {job.context.sha}"):
            return
        head, stored = branch_history(job)
        if stored is not None:
            merge(stored)
    raise ProfgateError(branch, f"other runs moved it {TRIES} times meanwhile; the next run joins what is there")
