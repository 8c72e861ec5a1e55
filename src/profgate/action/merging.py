"""The last job of a matrix: what its legs stored becomes one report, one comment and one verdict."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from profgate.action.acceptances import accepted
from profgate.action.baseline import fair_baseline
from profgate.action.job import Job
from profgate.action.policy import policy_at
from profgate.action.reporting import Result, conclude, first_run, is_first_run, with_stored_report
from profgate.errors import GitHubError, ProfgateError, SettingsError
from profgate.judge.legs import Leg, as_one
from profgate.judge.verdict import policy_stated_in
from profgate.model.github_records import ArtifactRecord
from profgate.model.report import Document, NotCompared
from profgate.publish.artifacts import key_of_report, verdict_artifact
from profgate.publish.files import write_documents
from profgate.report.json_report import REPORT_NAME, from_json, to_json
from profgate.report.links_json import LINKS_NAME, links_from_json

NO_RESULT = "give it, so that a lost leg is no pass: ${{ needs.JOB.result }}, JOB being the job of the legs"


def merge(job: Job, legs: Sequence[Leg] | None = None) -> int:
    """Judges the reports of this run's legs as one, under the policy of the base commit; gives the exit code."""
    if legs is None:
        legs = stored_legs(job)
    policy, refused = policy_at(job, fair_baseline(job).start)
    policy = replace(policy, unchanged=_false_alarms(legs))
    acceptances, unread = accepted(job, policy, legs[0].report.baseline) if legs else ((), ())
    report, links = as_one(legs, policy, _lost(job.settings.legs_result), (*refused, *unread), acceptances)
    write_documents(job.output_dir, [Document(REPORT_NAME, "application/json", to_json(report))])
    name = verdict_artifact(job.settings.key, job.context.run_attempt)
    first = first_run(job, report, policy) if is_first_run(report) else None
    return conclude(job, with_stored_report(job, Result(report, links, _base_runs(legs), first), name))


def _false_alarms(legs: Sequence[Leg]) -> tuple[int, int]:
    """What the histories of all legs say of the gate on unchanged code: reds and comparisons."""
    said = [policy_stated_in(leg.report).unchanged for leg in legs]
    return sum(reds for reds, _ in said), sum(trials for _, trials in said)


def _base_runs(legs: Sequence[Leg]) -> int:
    """The base runs of the leg that has the fewest."""
    metrics = [metric for leg in legs for workload in leg.report.workloads for metric in workload.metrics]
    known = [runs for metric in metrics if isinstance(runs := metric.calibration.get("base_jobs"), int)]
    return min(known, default=0)


def stored_legs(job: Job) -> list[Leg]:
    """What the legs of this run stored, by key; of a leg that ran again the newest attempt."""
    if not job.settings.legs_result:
        raise SettingsError("legs-result", NO_RESULT)
    chosen = newest_reports(job.client.run_artifacts(job.context.run_id), job.settings.legs)
    if not chosen:
        what = f"no leg whose key matches {job.settings.legs!r} stored a report; let its job run with mode: leg"
        raise ProfgateError(f"run {job.context.run_id}", what)
    legs = []
    for key, artifact in sorted(chosen.items()):
        where, members = f"report of leg {key}", job.client.artifact_files(artifact)
        if set(members) != {REPORT_NAME, LINKS_NAME}:
            raise GitHubError(where, "holds other files than a leg stores; run the leg again")
        report, links = (members[name].decode("utf-8", "replace") for name in (REPORT_NAME, LINKS_NAME))
        legs.append(Leg(key, from_json(report, where), links_from_json(links, where)))
        job.commands.log(f"leg {key}: {artifact.name}")
    return legs


def newest_reports(artifacts: Iterable[ArtifactRecord], wanted: str) -> dict[str, ArtifactRecord]:
    """The stored report of each key that the glob matches, from the latest attempt."""
    newest: dict[str, tuple[tuple[int, int], ArtifactRecord]] = {}
    for one in artifacts:
        said = key_of_report(one.name)
        if said is None or one.expired or not fnmatchcase(said[0], wanted):
            continue
        key, age = said[0], (said[1], one.id)
        if key not in newest or age > newest[key][0]:
            newest[key] = (age, one)
    return {key: one for key, (_, one) in newest.items()}


def _lost(results: Sequence[str]) -> list[NotCompared]:
    """An absence where a leg did not come to its end: whatever the others say, not everything was compared."""
    bad = sorted(set(results) - {"success"})
    reason = f"a leg ended with {', '.join(bad)}, so its workloads are missing; its log says why"
    return [NotCompared("legs", None, "both", reason)] if bad else []
