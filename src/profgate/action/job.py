"""The shared state of one run of the action: settings, event, log, API client and artifact service."""

import posixpath
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path

from profgate.action.github.artifact_service import ArtifactService
from profgate.action.github.client import GitHubClient
from profgate.action.github.connections import RetryBudget, trusted_file
from profgate.action.github.workflow_commands import WorkflowCommands
from profgate.errors import GitHubError, NotAllowed, ProfgateError, SettingsError
from profgate.io.checkout import checked_out
from profgate.io.environment import machine_facts
from profgate.io.files import confined, write_bytes
from profgate.io.profile_files import LocalSet
from profgate.io.scratch import scratch_folder
from profgate.model.manifest import Manifest
from profgate.model.record import Record, field, replace
from profgate.model.report import Document
from profgate.model.run_context import RunContext
from profgate.settings.inputs import Settings
from profgate.source_maps import with_sources
from profgate.version import VERSION


class Pace(Record):
    """Settings for pauses between requests and for retries of failed requests, in seconds.

    ``write_pause`` is the shortest time between two writes. ``backoff`` and ``upload_pause`` come before the first
    retry. ``budget`` limits all waits and failed requests, separately for the API, downloads and uploads, and
    ``base_run_budget`` the waits for base runs that have not completed.
    """

    write_pause: float = 1.0
    retries: int = 4
    backoff: float = 1.0
    upload_pause: float = 3.0
    budget: RetryBudget = field(default_factory=RetryBudget)
    base_run_budget: RetryBudget = field(default_factory=lambda: RetryBudget(600.0))


ON_GITHUB = Pace()


class Job:
    """One run of the action. The context manager ``connections`` closes the API connections on exit."""

    def __init__(
        self,
        settings: Settings,
        context: RunContext,
        commands: WorkflowCommands,
        pace: Pace,
        environ: Mapping[str, str],
    ) -> None:
        self.settings = settings
        self.context = context
        self.commands = commands
        self.log, self.notice, self.warn = commands.log, commands.notice, commands.warning
        self.pace = pace
        self.environ = environ
        self.output_dir = confined(posixpath.join(context.workspace, settings.output_dir), context.workspace)
        self.connections = ExitStack()
        self.fork_profiles_stored = True
        self._unwritten: set[str] = set()
        self.bundle = settings.ca_bundle and posixpath.join(context.workspace, settings.ca_bundle)
        if self.bundle and not Path(self.bundle).is_file():
            what = f"the file {settings.ca_bundle!r} does not exist; use a path below the workspace"
            raise SettingsError("ca-bundle", what)
        self._upload_budget = pace.budget.fresh()
        self.base_run_budget = pace.base_run_budget.fresh()

    @contextmanager
    def warning_on_failure(self, what: str, kind: type[ProfgateError] = GitHubError) -> Iterator[None]:
        """Convert an error that the block raises to a warning that begins with ``what``."""
        try:
            yield
        except kind as error:
            self.warn(f"{what}: {error}")

    def write(self, *documents: Document) -> None:
        """Write documents to the output folder. Errors are handled as in `write_files`."""
        self.write_files({document.name: document.text.encode() for document in documents})

    def write_files(self, files: Mapping[str, bytes]) -> Collection[str]:
        """Write files, given by relative path, to the output folder, and return those that cannot be written.

        One warning names them all. Raises `ProfgateError` if a path leads out of the output folder through a link.
        """
        failed = {}
        for name, data in files.items():
            place = confined(posixpath.join(self.output_dir, name), self.output_dir)
            try:
                write_bytes(place, data)
            except ProfgateError as error:
                failed[name] = str(error)
        self._unwritten = (self._unwritten - set(files)) | set(failed)
        if failed:
            self.warn("\n".join(("Files could not be written. The verdict does not depend on them.", *failed.values())))
        return failed.keys()

    def written(self, name: str) -> str:
        """Return the path of a written file below the workspace, or "" if it could not be written."""
        return "" if name in self._unwritten else posixpath.join(self.settings.output_dir, name)

    @cached_property
    def trusted(self) -> str | bool:
        """The path of a file with trusted certificates, or True for the public certificate authorities."""
        return trusted_file(self.bundle, self.environ, lambda: self.connections.enter_context(scratch_folder())) or True

    @cached_property
    def client(self) -> GitHubClient:
        """The API client, created on first use."""
        if not self.settings.token:
            raise NotAllowed("token", "is empty, so GitHub's API cannot be used; pass token: ${{ github.token }}")
        return self.connections.enter_context(
            GitHubClient(
                self.settings.token,
                self.context.api_url,
                self.context.repository,
                write_pause=self.pace.write_pause,
                retries=self.pace.retries,
                backoff=self.pace.backoff,
                verify=self.trusted,
                budget=self.pace.budget.fresh(),
            )
        )

    @cached_property
    def measures_head(self) -> bool:
        """Whether a pull request was measured at its head. GITHUB_SHA contains the test merge in both cases."""
        context = self.context
        if context.event_name != "pull_request":
            return False
        commit = checked_out(context.workspace)
        if commit not in {None, context.sha, context.head_sha}:
            what = "neither the pull request's test merge nor its head"
            self.warn(f"the checked-out commit {commit} is {what}, so the profiles count as those of the test merge")
        return commit == context.head_sha

    @property
    def measured_commit(self) -> str:
        """The commit that was measured in this run, or in the finished run of a pull request."""
        context = self.context
        is_head = context.event_name == "workflow_run" or self.measures_head
        return context.head_sha if is_head else context.sha

    def with_sources(self, profiles: LocalSet) -> LocalSet:
        """Add the sources of built scripts, whose source maps are in the workspace, to the profiles of this job."""
        return replace(profiles, files=tuple(with_sources(profiles.files, self.context.workspace)))

    @property
    def can_upload(self) -> bool:
        """Whether the runner has an artifact service. On GitHub Enterprise Server, there may be none."""
        return bool(self.context.results_url and self.context.runtime_token)

    def uploads(self) -> ArtifactService:
        """Return the artifact service of this run."""
        return ArtifactService(
            self.context.results_url,
            self.context.runtime_token,
            self.context.run_url,
            mask=self.commands.mask,
            pause=self.pace.upload_pause,
            verify=self.trusted,
            budget=self._upload_budget,
        )

    def identity(self, profiles: LocalSet) -> Manifest:
        """Return a manifest that describes this run, its machine, and what the step that recorded profiles states."""
        machine, context = machine_facts(self.environ), self.context
        known = Manifest(
            commit=self.measured_commit,
            ref=context.ref,
            event=context.event_name,
            run_id=context.run_id,
            attempt=context.run_attempt,
            job=context.job,
            os=machine.get("os", ""),
            architecture=machine.get("arch", ""),
            cpu_model=machine.get("cpu", ""),
            image=machine.get("image", ""),
            kernel=machine.get("kernel", ""),
            folder=profiles.folder,
            profgate_version=VERSION,
        )
        return known.recorded(profiles.recording)
