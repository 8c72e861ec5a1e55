"""A published release: its profiles are kept with it, and compared with those of the release before."""

from dataclasses import replace

from profgate.action.baseline import latest_release, named_set
from profgate.action.job import Job
from profgate.action.publishing import set_outputs
from profgate.action.recording import described_set, write_set
from profgate.action.reporting import compare_and_report
from profgate.action.sides import against_ref
from profgate.errors import GitHubError, ProfgateError
from profgate.github.artifact_service import zip_files
from profgate.github.artifact_source import LATEST, asset_name
from profgate.github.records import ReleaseRecord
from profgate.io.documents import give_back
from profgate.io.profile_files import LocalSet, local_files
from profgate.model.manifest import Manifest
from profgate.model.report import Side

FAILED = 2


def keep_with_release(job: Job) -> int:
    """Attaches the tag's profiles, then compares them with the earlier release; gives the exit code."""
    tag = job.context.release_tag
    commit = job.client.commit_sha(tag)
    own = _own(job, tag, commit)
    code = 0 if _attached(job, tag, own) else FAILED
    before = _before(job, tag)
    if before is None:
        give_back(job.output_dir, job.context.workspace)
        set_outputs(job.commands)
        return code
    side = Side(tag, commit, tag, own.manifest.run_id if own.manifest else None, 0)
    return max(code, compare_and_report(job, against_ref(job, before, own, side)))


def _own(job: Job, tag: str, commit: str) -> LocalSet:
    """This build's profiles where it made any, else those that a run stored for the tag's commit."""
    local = local_files(job.settings.profiles, job.context.workspace)
    if local is not None:
        return LocalSet(local.files, described_set(job, local))
    found = named_set(job, tag, commit, lambda _: 0).baseline
    if found is None or found.candidate.distance:
        what = "has neither profiles of this build nor stored ones of its commit; record it on push, or build it here"
        raise ProfgateError(tag, what)
    return LocalSet(found.files, found.manifest or Manifest(commit=commit))


def _attached(job: Job, tag: str, own: LocalSet) -> bool:
    """Whether the release keeps the profiles now; the result is not lost where it does not."""
    manifest = own.manifest or Manifest()
    listed = manifest if manifest.files else described_set(job, own)
    stored = write_set(job, own, replace(listed, commit=manifest.commit), "baseline")
    name = asset_name(job.settings.artifact)
    try:
        job.client.attach(_release(job, tag), name, zip_files(stored))
    except GitHubError as error:
        job.commands.error(f"the release keeps no profiles: {error}", title="profgate")
        return False
    job.commands.log(f"release {tag} keeps {len(own.files)} profiles as {name}")
    return True


def _release(job: Job, tag: str) -> ReleaseRecord:
    release = job.client.release(tag)
    if release is None:
        raise GitHubError(f"release {tag}", "is not there any more; publish it again")
    return release


def _before(job: Job, tag: str) -> str | None:
    """The ref to compare with, None where there is no earlier release."""
    chosen = job.settings.baseline_ref
    if chosen and chosen != LATEST:
        return chosen
    before = latest_release(job, but=tag)
    if before is None:
        job.commands.notice(f"{tag} is the first release, so it is compared with none", title="profgate")
    return before
