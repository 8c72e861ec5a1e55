"""The gate tried on code that did not change, by the base runs: what is red there is a false alarm."""

from collections.abc import Callable, Iterator, Sequence

from profgate import wiring
from profgate.action.job import Job
from profgate.adapters.history_store import HistoryStore
from profgate.errors import GitHubError
from profgate.history.ancestry import nearest
from profgate.history.unchanged import Trial, leaves_alone, trials_at
from profgate.model.history import Reading, StoredVerdict
from profgate.model.policy import Policy

Past = Callable[[str], Callable[[str], Sequence[Reading]]]  # of a commit: what tells the noise of a series


def tried(job: Job, store: HistoryStore, made: Sequence[Reading], policy: Policy, past: Past) -> list[StoredVerdict]:
    """The gate's word on what this run's readings, which the store does not hold yet, can be held against."""
    if not made:
        return []
    return [wiring.tried(one, policy, past(one.baseline)) for one in _trials(job, store, made, policy)]


def _trials(job: Job, store: HistoryStore, made: Sequence[Reading], policy: Policy) -> Iterator[Trial]:
    commit, name = made[0].commit, made[0].job.identity
    yield from trials_at([one for one in store.readings(None, [commit]) if one.job.identity != name], made, name)
    found = nearest(commit, store.commits(), store.measured_commits())
    if found is not None and _leaves_alone(job, found.sha, commit, policy):
        yield Trial(found.sha, commit, name, list(store.readings(None, [found.sha])), made)


def _leaves_alone(job: Job, before: str, after: str, policy: Policy) -> bool:
    """Whether GitHub says that between these commits nothing changed of which the program is made."""
    try:
        paths = job.client.files_between(before, after)
    except GitHubError as error:
        job.commands.log(f"not known whether the code changed since {before}: {error}")
        return False
    return paths is not None and leaves_alone(paths, policy.unchanged_paths)
