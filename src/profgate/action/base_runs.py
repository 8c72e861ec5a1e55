"""Store this build's profiles as a baseline for later runs, or for the fork comment workflow."""

import posixpath
from collections.abc import Sequence

from profgate import loading
from profgate.action.baseline import stored_files
from profgate.action.github.artifact_upload import upload_profiles
from profgate.action.job import Job
from profgate.action.policy_file import policy_at
from profgate.action.publishing import set_outputs
from profgate.action.reporting import conclude_drift
from profgate.action.stored_history import extend_history
from profgate.errors import ProfileError
from profgate.io.files import give_to_owner
from profgate.io.profile_files import LocalSet, local_set, manifest_of
from profgate.model.manifest import Manifest
from profgate.model.record import replace
from profgate.private_events import without_private_events
from profgate.report.markdown_text import code_span, short_sha
from profgate.report.numbers import counted
from profgate.report.templates import render_template
from profgate.settings.inputs import Settings


def record_baseline(job: Job) -> int:
    """Store the profiles of this build as a baseline, and return the exit code: 1 only if the branch drifted too far.

    Raises a `ProfileError` that names each unreadable file.
    """
    target = _local(job, job.settings.profiles)
    read = loading.read_sources(target.files)
    if broken := [str(result) for result in read if isinstance(result, ProfileError)]:
        raise ProfileError("\n".join(broken))
    facts = [(profile.configuration, profile.facts) for profile in read if not isinstance(profile, ProfileError)]
    manifest = manifest_of(job.identity(target), target.files, facts)
    stored = _store(job, target, job.settings.artifact, "baseline", manifest)
    summary = render_template(
        "markdown/recorded.md.j2",
        stored=stored,
        profiles=counted(len(target.files), "profile"),
        commit=code_span(short_sha(job.context.sha) or job.context.sha),
        artifact=code_span(job.settings.artifact),
    )
    job.commands.add_summary(summary)
    report = extend_history(job, target, manifest, policy_at(job, None)[0])
    if report is not None:
        return conclude_drift(job, report)
    set_outputs(job.commands)
    return 0


def store_for_comment(job: Job) -> int:
    """Store a pull request's profiles for the fork comment workflow, and return exit code 0."""
    store_target(job)
    set_outputs(job.commands)
    return 0


def store_target(job: Job) -> None:
    """Store the profiles of this build, with a manifest that names this run."""
    target = _local(job, job.settings.profiles)
    job.fork_profiles_stored = _store(job, target, target_artifact(job.settings), "target")


def target_artifact(settings: Settings) -> str:
    """Return the name of the artifact from which the fork comment workflow reads the profiles of a pull request."""
    return f"{settings.artifact}-target"


def _local(job: Job, entries: Sequence[str]) -> LocalSet:
    """Return the profiles of this job as they may be stored, because others can read artifacts."""
    found = job.with_sources(local_set(entries, job.context.workspace))
    files = tuple(without_private_events(source) for source in found.files)
    for before, after in zip(found.files, files, strict=True):
        if before is not after:
            job.log(f"{after.name}: only its samples are stored, no environment variables and command lines")
    return replace(found, files=files)


def _store(job: Job, profiles: LocalSet, name: str, subfolder: str, manifest: Manifest | None = None) -> bool:
    """Write the profiles and the manifest to the output folder, and upload them. Warn and return False if it fails."""
    stored = stored_files(profiles, manifest or manifest_of(job.identity(profiles), profiles.files))
    job.write_files({posixpath.join(subfolder, file): data for file, data in stored.items()})
    shown = posixpath.join(job.settings.output_dir, subfolder)
    warning = upload_profiles(job.uploads, name, stored, shown, job.context.run_url)
    if warning:
        job.warn(warning)
    else:
        job.log(f"stored {len(profiles.files)} profiles as {name}")
    give_to_owner(job.output_dir, job.context.workspace)
    return not warning
