"""The context of a run: the event that started it, its commits and the available services."""

from profgate.model.record import Record


class TriggeringRun(Record):
    """The finished run that triggered a ``workflow_run`` event. The id of a deleted head repository is None."""

    id: int
    event: str
    conclusion: str
    head_branch: str
    head_sha: str
    head_repository_id: int | None
    head_owner: str
    path: str


class RunContext(Record):
    """Facts about one workflow run. Missing strings are empty, and numbers that do not apply are None.

    ``head_sha`` is the pushed commit (not the test merge). ``sha`` is the value of GITHUB_SHA, which is the test merge
    in a pull request. If it is based on the branch of another pull request (``stacked``), ``base_ref`` and
    ``base_sha`` are those of the trunk, because the branch below is not trusted.
    """

    event_name: str
    repository: str = ""
    repository_id: int | None = None
    sha: str = ""
    ref: str = ""
    base_ref: str = ""
    head_ref: str = ""
    base_sha: str = ""
    head_sha: str = ""
    pr_number: int | None = None
    is_fork: bool = False
    is_dependabot: bool = False
    run_id: int = 0
    run_attempt: int = 1
    workflow_path: str = ""
    job: str = ""
    server_url: str = ""
    api_url: str = ""
    results_url: str = ""
    workspace: str = ""
    default_branch: str = ""
    before_sha: str = ""
    merge_group_base_sha: str = ""
    triggering_run: TriggeringRun | None = None
    stacked: bool = False
    description: str = ""  # text of the pull request, which is untrusted
    comment: str = ""  # text of a new comment, which is untrusted
    comment_id: int | None = None
    comment_author: str = ""
    runtime_token: str = ""

    def __repr__(self) -> str:
        """Return a few values only, because others are untrusted or secret."""
        return f"RunContext({self.event_name!r}, {self.repository!r}, {self.head_sha!r})"

    @property
    def run_url(self) -> str:
        """The URL of this run."""
        return f"{self.server_url}/{self.repository}/actions/runs/{self.run_id}"

    @property
    def base_branch(self) -> str:
        """Base branch of the pull request, or the pushed branch, or "" for other events."""
        ref = (self.base_ref or self.ref).removeprefix("refs/heads/")
        if not self.base_ref and ref.startswith("gh-readonly-queue/"):
            return ref.removeprefix("gh-readonly-queue/").rpartition("/pr-")[0]
        return "" if ref.startswith("refs/") else ref

    @property
    def concerns_pull(self) -> bool:
        """Whether this run belongs to a pull request, either directly or as its fork comment workflow."""
        return self.pr_number is not None and self.event_name in {"pull_request", "workflow_run"}

    @property
    def read_only(self) -> bool:
        """Whether GitHub gives this run a read-only token, regardless of the permissions set in the workflow."""
        return self.event_name == "pull_request" and (self.is_fork or self.is_dependabot)
