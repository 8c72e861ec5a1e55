"""Recording: this build's profiles become a baseline for later runs."""

import posixpath

from profgate import wiring
from profgate.action.job import Job
from profgate.action.telling import set_outputs
from profgate.errors import ProfileError
from profgate.model.manifest import MANIFEST_NAME, manifest_to_json
from profgate.model.report import Document
from profgate.publish.artifacts import upload_baseline
from profgate.publish.files import hand_over, write_documents, write_profiles
from profgate.publish.step_outputs import Published
from profgate.sources.local import described, local_set


def record(job: Job) -> int:
    """Stores this build's profiles as a baseline, after each was read once: a baseline nobody can read is none."""
    settings, commands = job.settings, job.commands
    target = local_set(settings.profiles, job.context.workspace)
    read = wiring.read_all(target.files)
    broken = [one for one in read if isinstance(one, ProfileError)]
    if broken:
        raise ProfileError("\n".join(str(one) for one in broken))
    said = [(one.configuration, one.facts) for one in read if not isinstance(one, ProfileError)]
    manifest = described(job.identity(), target.files, said)
    folder = posixpath.join(job.output_dir, "baseline")
    stored = write_profiles(folder, target.files)
    text = manifest_to_json(manifest)
    write_documents(folder, [Document(MANIFEST_NAME, "application/json", text)])
    shown = posixpath.join(settings.output_dir, "baseline")
    warning = upload_baseline(job.uploads, settings.artifact, stored | {MANIFEST_NAME: text.encode()}, shown)
    if warning:
        commands.warning(warning, title="profgate")
    else:
        commands.log(f"stored {len(stored)} profiles as {settings.artifact}")
    hand_over(job.output_dir, job.context.workspace)
    set_outputs(commands, None, Published())
    return 0
