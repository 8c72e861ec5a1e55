"""The shared state of one run of the action: settings, event, log, API client and artifact service."""

import posixpath
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from profgate.errors import GitHubError, NotAllowed, ProfgateError, SettingsError
from profgate.github.artifact_service import ArtifactService
from profgate.github.client import GitHubClient
from profgate.github.connections import RetryBudget, trusted_file
from profgate.github.records import FileRecord
from profgate.github.workflow_commands import WorkflowCommands
from profgate.io.environment import machine_facts
from profgate.io.files import scratch_folder
from profgate.model.manifest import Manifest
from profgate.model.run_context import RunContext
from profgate.settings.inputs import Settings
from profgate.version import VERSION


@dataclass(frozen=True, slots=True)
class Pace:
    """Pauses between requests and retries of failed requests; all times are in seconds.

    ``pauses`` are the pauses between requests and between writes. ``backoff`` and ``upload_pause`` are the first pauses
    before a retry. ``budget`` limits the total time of waits and failures, separately for the API, downloads and
    uploads.
    """

    pauses: tuple[float, float] = (0.25, 1.0)
    retries: int = 4
    backoff: float = 1.0
    upload_pause: float = 3.0
    budget: RetryBudget = field(default_factory=RetryBudget)


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
        self.output_dir = posixpath.join(context.workspace, settings.output_dir)
        self.connections = ExitStack()
        self.fork_profiles_stored = True
        self.bundle = _certificates(settings.ca_bundle, context.workspace)
        self._upload_budget = pace.budget.fresh()

    @contextmanager
    def warning_on_failure(self, what: str, kind: type[ProfgateError] = GitHubError) -> Iterator[None]:
        """Turn an error that the block raises into a warning that begins with ``what``."""
        try:
            yield
        except kind as error:
            self.warn(f"{what}: {error}")

    @cached_property
    def trusted(self) -> str | bool:
        """The path of a file with trusted certificates, or True for the public certificate authorities."""
        folder = self.connections.enter_context(scratch_folder())
        return trusted_file(self.bundle, self.environ, folder) or True

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
                pauses=self.pace.pauses,
                retries=self.pace.retries,
                backoff=self.pace.backoff,
                verify=self.trusted,
                budget=self.pace.budget.fresh(),
            )
        )

    @cached_property
    def pull_files(self) -> list[FileRecord]:
        """The files of the pull request, which are requested only once."""
        if self.context.pr_number is None:
            return []
        return self.client.pull_files(self.context.pr_number)

    @property
    def can_upload(self) -> bool:
        """Whether the runner has an artifact service, which GitHub Enterprise Server may lack."""
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

    def identity(self) -> Manifest:
        """Return a manifest that describes this run and its machine."""
        machine, context = machine_facts(self.environ), self.context
        return Manifest(
            commit=context.sha,
            ref=context.ref,
            event=context.event_name,
            run_id=context.run_id,
            attempt=context.run_attempt,
            job=context.job,
            os=machine.get("os", ""),
            architecture=machine.get("arch", ""),
            cpu_model=machine.get("cpu", ""),
            runner_image=machine.get("image", ""),
            profgate_version=VERSION,
        )


def _certificates(bundle: str, workspace: str) -> str:
    """Return the path of the certificate file, or "" if none is set. Raises `SettingsError` if it does not exist."""
    if not bundle:
        return ""
    place = posixpath.join(workspace, bundle)
    if not Path(place).is_file():
        raise SettingsError("ca-bundle", f"the file {bundle!r} does not exist; use a path below the workspace")
    return place
