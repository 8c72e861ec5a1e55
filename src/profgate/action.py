"""The container's door: inputs and event in; report, pages, comment, summary, outputs and exit code out."""

import os
import posixpath
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property

from profgate import wiring
from profgate.activity import Activity, ActivityKind, Wishes, activity_for
from profgate.adapters.artifact_service import ArtifactService
from profgate.adapters.environment import machine_facts
from profgate.adapters.event import read_run_context
from profgate.adapters.files import read_text
from profgate.adapters.github_client import GitHubClient
from profgate.adapters.workflow_commands import WorkflowCommands, harmless
from profgate.attribute.pull_files import diff_of_pull, of_another_start, with_doubt, with_files
from profgate.compare.workloads import workload_name
from profgate.config_file import Catalogue, read_policy, tightened
from profgate.detect.registry import DEFAULTS
from profgate.errors import GitHubError, NotAllowed, ProfgateError, ProfileError, SettingsError
from profgate.model.attribution import SourceDiff
from profgate.model.links import Links
from profgate.model.manifest import MANIFEST_NAME, Manifest, manifest_to_json
from profgate.model.policy import Policy, Rule
from profgate.model.report import Document, Report, Side
from profgate.model.run_context import RunContext
from profgate.model.source import SourceFile
from profgate.pipeline import Built, PipelineInput
from profgate.publish.artifacts import Page, Uploads, upload_baseline, upload_pages
from profgate.publish.files import hand_over, write_documents, write_profiles
from profgate.publish.step_outputs import Published, outputs_of
from profgate.publish.sticky_comment import Texts, publish_comment
from profgate.report.comment import render_comment, render_quiet_comment
from profgate.report.first_run import render_first_run
from profgate.report.json_report import to_json
from profgate.report.page_index import IndexRow, build_index
from profgate.report.summary import render_summary
from profgate.settings import SETTINGS, Settings, input_variable, settings_from
from profgate.sources.artifact_source import Found, Search, find_stored
from profgate.sources.baseline_search import Trust
from profgate.sources.local import LocalSet, described, local_set
from profgate.version import VERSION

NOT_COMPARED = 3
_NO_START = "the pull request's diff does not start at the baseline ({}), so what it leaves alone may differ too"
CA_VARIABLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds between requests and between writes, how often and how slowly a failed call is repeated."""

    pauses: tuple[float, float] = (0.25, 1.0)
    retries: int = 4
    backoff: float = 1.0
    upload_pause: float = 3.0


def main(environ: Mapping[str, str] | None = None, pace: Pace = Pace()) -> int:
    """Runs the action and gives its exit code; errors become annotations, and every output is set."""
    given = os.environ if environ is None else environ
    commands = WorkflowCommands(
        sys.stdout,
        output_path=given.get("GITHUB_OUTPUT", ""),
        summary_path=given.get("GITHUB_STEP_SUMMARY", ""),
    )
    try:
        settings = settings_from({spec.name: given.get(input_variable(spec.name), "") for spec in SETTINGS})
        commands.mask(settings.token)
        _drop_missing_certificates(commands)
        return _Run(settings, read_run_context(given), commands, pace, given).act()
    except ProfgateError as error:
        _tell(error, commands)
        _set_outputs(commands, None, Published())
        commands.add_summary(
            f"### profgate could not do its job\n\n```text\n{str(error).replace('```', '` ` `')}\n```\n"
        )
        return ProfgateError.exit_code
    except Exception as error:
        commands.error(f"internal error ({type(error).__name__}), please report it with the lines of the log")
        _set_outputs(commands, None, Published())
        raise


def _tell(error: ProfgateError, commands: WorkflowCommands) -> None:
    """An annotation for each mistake, at its line where it has one."""
    for line in map(harmless, str(error).splitlines()):
        where, *rest = line.split(":", 3)
        if isinstance(error, SettingsError) and len(rest) == 3 and rest[0].isdigit() and rest[1].isdigit():
            commands.error(line, file=where, line=int(rest[0]), title="profgate")
        else:
            commands.error(line, title="profgate")


def _set_outputs(commands: WorkflowCommands, report: Report | None, published: Published) -> None:
    for name, value in outputs_of(report, published).items():
        commands.set_output(name, value)


def _drop_missing_certificates(commands: WorkflowCommands) -> None:
    """The runner hands over the host's variables, whose files may not exist in the container."""
    for name in CA_VARIABLES:
        if os.environ.get(name) and not os.path.exists(os.environ[name]):  # noqa: PTH110 - a question, not a path
            commands.notice(f"{name} names a file that does not exist here; it is ignored, use the input ca-bundle")
            del os.environ[name]


@dataclass(frozen=True, slots=True)
class _Baseline:
    """Where the baseline comes from; ``start`` is the fair commit, None where both sides are local."""

    start: str | None
    label: str
    branches: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class _Sides:
    """Both sides as they were found; ``base_runs`` counts runs that were read, ``missing`` says why there is none."""

    given: PipelineInput
    base_runs: int
    warnings: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def first_run(self) -> bool:
        """Whether nothing was ever stored, as opposed to stored and lost."""
        return bool(self.missing) and all(
            reason.startswith("no trusted run") or "stored no artifact" in reason for reason in self.missing
        )


class _Run:
    """One run of the action."""

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
        self.pace = pace
        self.environ = environ
        self.output_dir = posixpath.join(context.workspace, settings.output_dir)
        self.connections = ExitStack()

    def act(self) -> int:
        """Does what the event asks for, and gives every connection back."""
        with self.connections:
            return self._acted()

    def _acted(self) -> int:
        activity = self._activity()
        self.commands.log(f"profgate {VERSION}: {activity.reason}")
        match activity.kind:
            case ActivityKind.REFUSED:
                raise SettingsError(f"event {self.context.event_name}", activity.reason)
            case ActivityKind.NOTHING:
                self.commands.notice(activity.reason, title="profgate")
                _set_outputs(self.commands, None, Published())
                return 0
            case ActivityKind.RECORD:
                return self._record()
            case ActivityKind.RELEASE:
                return self._report(self._release_sides())
            case ActivityKind.COMPARE:
                return self._report(self._compared_sides())

    def _activity(self) -> Activity:
        settings = self.settings
        wishes = Wishes(
            mode=settings.mode,
            has_baseline_profiles=bool(settings.baseline_profiles),
            has_target_ref=bool(settings.target_ref),
            has_baseline_ref=bool(settings.baseline_ref),
        )
        return activity_for(self.context, wishes)

    @cached_property
    def client(self) -> GitHubClient:
        """The API, connected when it is first needed."""
        if not self.settings.token:
            raise NotAllowed("token", "is empty, so GitHub cannot be asked; pass token: ${{ github.token }}")
        return self.connections.enter_context(
            GitHubClient(
                self.settings.token,
                self.context.api_url,
                self.context.repository,
                pauses=self.pace.pauses,
                retries=self.pace.retries,
                backoff=self.pace.backoff,
                verify=self.settings.ca_bundle or True,
            )
        )

    def _uploads(self) -> Uploads:
        return ArtifactService(
            self.context.results_url,
            self.context.runtime_token,
            self.context.run_url,
            mask=self.commands.mask,
            pause=self.pace.upload_pause,
            verify=self.settings.ca_bundle or True,
        )

    # Recording

    def _record(self) -> int:
        """Stores this build's profiles as a baseline, after each was read once: a baseline nobody can read is none."""
        target = local_set(self.settings.profiles, self.context.workspace)
        read = wiring.read_all(target.files)
        broken = [one for one in read if isinstance(one, ProfileError)]
        if broken:
            raise ProfileError("\n".join(str(one) for one in broken))
        said = [(one.configuration, one.facts) for one in read if not isinstance(one, ProfileError)]
        manifest = described(self._identity(), target.files, said)
        folder = posixpath.join(self.output_dir, "baseline")
        stored = write_profiles(folder, target.files)
        text = manifest_to_json(manifest)
        write_documents(folder, [Document(MANIFEST_NAME, "application/json", text)])
        shown = posixpath.join(self.settings.output_dir, "baseline")
        warning = upload_baseline(self._uploads, self.settings.artifact, stored | {MANIFEST_NAME: text.encode()}, shown)
        if warning:
            self.commands.warning(warning, title="profgate")
        else:
            self.commands.log(f"stored {len(stored)} profiles as {self.settings.artifact}")
        hand_over(self.output_dir, self.context.workspace)
        _set_outputs(self.commands, None, Published())
        return 0

    def _identity(self) -> Manifest:
        """This run and its machine."""
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

    # Both sides

    def _compared_sides(self) -> _Sides:
        target = local_set(self.settings.profiles, self.context.workspace)
        target_side = self._target_side()
        if self.settings.baseline_profiles:
            return self._local_sides(target, target_side)
        baseline = self._baseline()
        policy, refused = self._policy(baseline.start)
        found = self._found(baseline.start or "", baseline.branches, self.settings.baseline_runs)
        given = self._input(found, baseline.label, policy)
        given = replace(
            given, target=target.files, target_side=target_side, manifests=(given.manifests[0], self._own(target))
        )
        if found.baseline is None:
            return _Sides(given, 0, refused, missing=found.reasons)
        return _Sides(given, 1 + len(found.noise), refused)

    def _local_sides(self, target: LocalSet, target_side: Side) -> _Sides:
        """Both sides lie in the workspace; the API is asked for the policy only, and may be missing."""
        baseline = local_set(self.settings.baseline_profiles, self.context.workspace)
        start, told = None, tuple[str, ...]()
        if self.settings.token and self.context.event_name == "pull_request":
            try:
                start = self._baseline().start
            except GitHubError as error:
                told = (
                    f"the policy was read from this checkout, because GitHub did not tell the base commit: {error}",
                )
        policy, refused = self._policy(start)
        given = PipelineInput(
            baseline.files,
            target.files,
            policy=policy,
            baseline_side=Side(", ".join(self.settings.baseline_profiles), sha=start),
            target_side=target_side,
            manifests=(baseline.manifest or self._identity(), self._own(target)),
            pages=self.settings.pages,
        )
        return _Sides(given, 1, (*told, *refused))

    def _release_sides(self) -> _Sides:
        """The stored profiles of two refs."""
        starts = [self.client.commit_sha(ref) for ref in (self.settings.baseline_ref, self.settings.target_ref)]
        policy, refused = self._policy(starts[0])
        baseline = self._found(starts[0], None, self.settings.baseline_runs)
        target = self._found(starts[1], None, 0)
        for ref, found in ((self.settings.baseline_ref, baseline), (self.settings.target_ref, target)):
            if found.baseline is None:
                raise ProfgateError(ref, f"has no stored profiles ({'; '.join(found.reasons)}); record it first")
        given = self._input(baseline, self.settings.baseline_ref, policy)
        other = self._input(target, self.settings.target_ref, policy)
        given = replace(
            given,
            target=other.baseline,
            target_side=other.baseline_side,
            manifests=(given.manifests[0], other.manifests[0]),
        )
        distance = other.baseline_side.distance or 0
        told = (f"the target stands {distance} commits before {self.settings.target_ref}",) if distance else ()
        return _Sides(given, 1 + len(baseline.noise), (*told, *refused))

    def _own(self, target: LocalSet) -> Manifest:
        return target.manifest or self._identity()

    def _target_side(self) -> Side:
        context = self.context
        label = f"#{context.pr_number}" if context.pr_number else context.head_ref or context.ref
        return Side(
            label, sha=context.head_sha or context.sha, ref=context.head_ref or context.ref, run_id=context.run_id
        )

    def _input(self, found: Found, label: str, policy: Policy) -> PipelineInput:
        """The baseline half of the pipeline's input."""
        if found.baseline is None:
            return PipelineInput((), (), policy=policy, baseline_side=Side(label), pages=self.settings.pages)
        run = found.baseline.candidate.run
        self.commands.log(f"baseline: run {run.id} of {run.head_sha}, distance {found.baseline.candidate.distance}")
        side = Side(label, run.head_sha, run.head_branch, run.id, found.baseline.candidate.distance)
        noise = [_one_reading(one.files) for one in found.noise]
        return PipelineInput(
            found.baseline.files,
            (),
            noise=noise,
            policy=policy,
            baseline_side=side,
            manifests=(found.baseline.manifest, None),
            pages=self.settings.pages,
        )

    def _baseline(self) -> _Baseline:
        """The fair commit of the event, and the branches whose runs are trusted."""
        context, settings = self.context, self.settings
        if settings.baseline_ref:
            return _Baseline(self.client.commit_sha(settings.baseline_ref), settings.baseline_ref, None)
        base = _base_branch(context)
        branches = tuple(dict.fromkeys(name for name in (base, context.default_branch) if name))
        if context.event_name == "merge_group" and context.merge_group_base_sha:
            return _Baseline(context.merge_group_base_sha, base, branches)
        parents = self.client.commit(context.sha).parents
        if context.event_name == "pull_request":
            # A test merge has the base first and the head second; else the head itself was checked out.
            if len(parents) == 2 and parents[1] == context.head_sha:
                return _Baseline(parents[0], base, branches)
            return _Baseline(self.client.merge_base(base, context.head_sha), base, branches)
        start = context.before_sha or (parents[0] if parents else context.sha)
        return _Baseline(start, base, branches)

    def _found(self, start: str, branches: Sequence[str] | None, noise_runs: int) -> Found:
        context = self.context
        if context.repository_id is None:
            raise SettingsError("GITHUB_REPOSITORY_ID", "is missing; baselines cannot be trusted without it")
        workflow = self.settings.baseline_workflow
        path = f".github/workflows/{posixpath.basename(workflow)}" if workflow else context.workflow_path
        trusted = None if branches is None else frozenset(branches)
        search = Search(
            start=start,
            trust=Trust(context.repository_id, path, trusted, context.run_id),
            branches=[None] if branches is None else list(branches),
            artifact=self.settings.artifact,
            noise_runs=noise_runs,
        )
        found = find_stored(self.client, search)
        for reason in found.reasons:
            self.commands.log(f"passed over: {reason}")
        return found

    # Policy

    def _policy(self, commit: str | None) -> tuple[Policy, tuple[str, ...]]:
        """The policy at the baseline commit, made stricter by this run's wishes; what was refused is told."""
        catalogue: Catalogue = {name: one.options for one in wiring.strategies() for name in (one.name, one.short)}
        name, told = self.settings.config, []
        here = self._config_here()
        if commit is None:
            policy = Policy() if here is None else read_policy(here, name, catalogue)
        else:
            data = self.client.file_at(name, commit)
            text = None if data is None else data.decode("utf-8-sig", "replace")
            policy = Policy() if text is None else read_policy(text, name, catalogue)
            if here is not None and here != text and self.context.event_name == "pull_request":
                told.append(f"{name} is changed by this pull request; the change counts after the merge")
        unknown = [one for one in self.settings.strategies if one not in catalogue]
        if unknown:
            raise SettingsError("strategies", f"{', '.join(unknown)} unknown; known are {', '.join(catalogue)}")
        policy, refused = tightened(policy, self.settings.gate_requests(), self.settings.strategies)
        if self.settings.strategies and not policy.rules:
            policy = replace(policy, rules=tuple(Rule(one) for one in (*DEFAULTS, *self.settings.strategies)))
        return policy, (*told, *refused)

    def _config_here(self) -> str | None:
        place = posixpath.join(self.context.workspace, self.settings.config)
        return read_text(place) if os.path.isfile(place) else None  # noqa: PTH113 - a question, not a path

    # Reporting

    def _report(self, sides: _Sides) -> int:
        """Compares, writes every file, and only then publishes."""
        given = sides.given
        if given.baseline and given.target:
            given = replace(given, diff=self._diff(given.baseline_side))
        built = wiring.compare(given)
        report = _explained(built.report, sides)
        first = self._first_run(built, sides.given.policy) if sides.first_run else None
        self._write(report, built, first or self._comment(report, Links(run=self.context.run_url)))
        pages = [Page(page.workload, page.metric, page.document) for page in built.pages]
        uploaded = upload_pages(
            self._uploads,
            pages,
            key=self.settings.key,
            attempt=self.context.run_attempt,
            folder=self.settings.output_dir,
            run_url=self.context.run_url,
        )
        for warning in uploaded.warnings:
            self.commands.warning(warning, title="profgate")
        comment = first or self._comment(report, uploaded.links)
        write_documents(self.output_dir, [comment])
        url, note = self._publish_comment(report, comment, uploaded.links)
        summary = first or render_summary(report, links=uploaded.links, run_url=self.context.run_url, note=note)
        self.commands.add_summary(summary.text)
        write_documents(self.output_dir, [replace(summary, name="summary.md")])
        hand_over(self.output_dir, self.context.workspace)
        page_url = next(iter(uploaded.links.pages.values()), "")
        published = Published(posixpath.join(self.settings.output_dir, "report.json"), page_url, url, sides.base_runs)
        _set_outputs(self.commands, report, published)
        return self._exit(report)

    def _diff(self, base: Side) -> SourceDiff | None:
        """What the pull request changed in the sources, None where there is none; that it is missing fails nothing."""
        context = self.context
        if context.pr_number is None or context.event_name != "pull_request" or not self.settings.token:
            return None
        try:
            records = self.client.pull_files(context.pr_number)
        except GitHubError as error:
            return SourceDiff((), complete=False, reason=f"GitHub did not list the pull request's files: {error}")
        place = f"{context.server_url}/{context.repository}"
        commits = tuple(f"{place}/blob/{sha}" if sha else None for sha in (base.sha, context.head_sha))
        diff = diff_of_pull(records, f"{place}/pull/{context.pr_number}/files", (commits[0], commits[1]))
        if elsewhere := f"distance {base.distance}" if base.distance else self.settings.baseline_ref:
            diff = of_another_start(diff, _NO_START.format(elsewhere))
        try:
            return with_files(diff, self.client.files_of_commit(context.head_sha))
        except GitHubError as error:
            return with_doubt(diff, f"GitHub did not list the commit's files: {error}")

    def _exit(self, report: Report) -> int:
        """The gate's word as an exit code; nothing compared is neutral, which a job cannot say but with 0."""
        verdict = report.verdict
        reasons = harmless("; ".join(verdict.reasons))
        if verdict.conclusion == "fail" or verdict.exit_code == 1:
            self.commands.error(reasons or "the gate failed", title="profgate: the gate failed")
        elif verdict.conclusion == "not_compared":
            self.commands.warning(reasons or "nothing was compared", title="profgate: not compared")
        self.commands.log(f"verdict: {verdict.conclusion}")
        return 0 if verdict.exit_code == NOT_COMPARED else verdict.exit_code

    def _write(self, report: Report, built: Built, comment: Document) -> None:
        """Report, pages, their index and the comment without links, whatever happens afterwards."""
        documents = [
            Document("report.json", "application/json", to_json(report)),
            comment,
            *(page.document for page in built.pages),
        ]
        if built.pages:
            rows = [IndexRow(page.document.name, page.workload, page.metric) for page in built.pages]
            documents.append(Document("index.html", "text/html", build_index(rows)))
        write_documents(self.output_dir, documents)

    def _first_run(self, built: Built, policy: Policy) -> Document:
        return render_first_run(
            key=self.settings.key,
            workloads=len({one.name for one in built.report.not_compared if one.side == "target"}),
            base_branch=_base_branch(self.context) or None,
            run_url=self.context.run_url,
            head_sha=self.context.head_sha,
            policy=policy,
        )

    def _comment(self, report: Report, links: Links) -> Document:
        return render_comment(report, key=self.settings.key, links=links, run_url=self.context.run_url)

    def _publish_comment(self, report: Report, comment: Document, links: Links) -> tuple[str, str]:
        """The comment's address and why there is none; what keeps us from writing never changes the verdict."""
        context = self.context
        if context.pr_number is None or context.event_name != "pull_request" or self.settings.comment == "never":
            return "", ""
        if context.read_only or not self.settings.token:
            reason = "runs of forks and of Dependabot get a token that can only read"
            note = f"No comment was written: {reason if context.read_only else 'no token was given'}."
            self.commands.notice(note, title="profgate")
            return "", note
        calm = render_quiet_comment(report, key=self.settings.key, links=links, run_url=context.run_url)
        texts = Texts(comment.text, calm.text, worth=_worth_a_comment(report))
        try:
            outcome = publish_comment(
                self.client, context.pr_number, context.head_sha, self.settings.key, texts, self.settings.comment
            )
        except NotAllowed as error:
            self.commands.warning(f"no comment was written: {error}", title="profgate")
            return "", "No comment was written: the token may not. The log names the permission to add."
        except GitHubError as error:
            self.commands.warning(f"no comment was written: {error}", title="profgate")
            return "", "No comment was written: GitHub did not take it. The log says why."
        if outcome.skipped:
            self.commands.log(f"no comment was written: {outcome.skipped}")
        return outcome.url, ""


def _explained(report: Report, sides: _Sides) -> Report:
    """The report with what only the door knows: refused wishes, and why there is no baseline."""
    report = replace(report, warnings=(*report.warnings, *sides.warnings, *sides.missing[1:]))
    if not sides.missing:
        return report
    reason = f"no baseline: {sides.missing[0]}"
    return replace(
        report,
        not_compared=tuple(replace(one, reason=reason) if one.side == "target" else one for one in report.not_compared),
        verdict=replace(report.verdict, reasons=(reason, *report.verdict.reasons)),
    )


def _one_reading(files: Sequence[SourceFile]) -> tuple[SourceFile, ...]:
    """The first run of each workload: what one job recorded five times is one independent reading of the noise."""
    first: dict[tuple[str, str], SourceFile] = {}
    for source in files:
        first.setdefault((workload_name(source.name), source.name.rpartition(".")[2]), source)
    return tuple(first.values())


def _worth_a_comment(report: Report) -> bool:
    found = [one for workload in report.workloads for metric in workload.metrics for one in metric.findings]
    return report.verdict.conclusion != "pass" or any(one.direction != "none" for one in found)


def _base_branch(context: RunContext) -> str:
    """The branch that is merged into, or the one that was pushed to."""
    if context.base_ref:
        return context.base_ref.removeprefix("refs/heads/")
    ref = context.ref.removeprefix("refs/heads/")
    if ref.startswith("gh-readonly-queue/"):
        return ref.removeprefix("gh-readonly-queue/").rpartition("/pr-")[0]
    return "" if ref.startswith("refs/") else ref
