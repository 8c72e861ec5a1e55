"""Merge the reports of a matrix, or judge one existing report; then publish one comment and one verdict."""

import posixpath
from collections.abc import Iterable, Sequence
from glob import has_magic

from profgate.action.baseline import baseline_commit, never_stored
from profgate.action.github.artifact_upload import key_of_report, verdict_artifact
from profgate.action.github.records import ArtifactRecord
from profgate.action.job import Job
from profgate.action.policy_file import accepted, claimed, last_proof, policy_at
from profgate.action.reporting import UNFINISHED, ReportResult, conclude, first_run, is_first_run, summarize
from profgate.decide.judge.machines import with_machines
from profgate.decide.judge.shards import Shard, merge_reports
from profgate.errors import GitHubError, ProfgateError, SettingsError
from profgate.io.files import exists, read_text, sources_under
from profgate.model.links import Links
from profgate.model.reason import NotCompared, Reason, ReasonCode
from profgate.model.record import replace
from profgate.model.report import Document
from profgate.report.explanation import EXPLANATION_NAME, explanation
from profgate.report.json_report import (
    LARGEST_REPORT,
    LINKS_NAME,
    REPORT_NAME,
    digest_of,
    from_json,
    links_from_json,
    to_json,
)
from profgate.report.receipt import RECEIPT_NAME, receipt_json
from profgate.report.view import View


def merge_shards(job: Job, shards: Sequence[Shard] | None = None, machines: Sequence[Shard] | None = None) -> int:
    """Merge this run's shard reports, judge the result under the base commit's policy, and return the exit code.

    ``machines`` are the results of the machines that measured the commits of the only shard again, or None if no
    machine was expected to.
    """
    if shards is None:
        shards = stored_shards(job)
    commit = baseline_commit(job)
    # the shards run the pull request's code, so their reports do not prove that nothing was ever stored
    first = bool(shards) and all(is_first_run(shard.report) for shard in shards)
    first = first and never_stored(job, commit)
    policy, refused = policy_at(job, commit.sha, first_run=first)
    if machines is not None:
        shards = [replace(shard, report=with_machines(shard, machines, policy)) for shard in shards]
    acceptances, unread = accepted(job, policy, shards[0].report.baseline) if shards else ((), ())
    failed = ", ".join(sorted(set(job.settings.shards_result) - {"success"}))
    reason = Reason(ReasonCode.SHARD_FAILED, {"results": failed})
    lost = [NotCompared("shards", None, "both", reason)] if failed else []
    report, links = merge_reports(shards, policy, lost, (*refused, *unread), acceptances, claimed(job))
    report = replace(report, proof=last_proof(job))  # not that of a shard, which runs code of the pull request
    job.write(Document(REPORT_NAME, "application/json", to_json(report)))
    if report.claims:
        job.write(Document(RECEIPT_NAME, "application/json", receipt_json(report)))
    name = verdict_artifact(job.settings.key, job.context.run_attempt)
    comment = first_run(job, report, policy) if first else None
    result = ReportResult(View(report), links, comment)
    job.write(Document(EXPLANATION_NAME, "text/markdown", explanation(result.view)))
    summarize(job, result, UNFINISHED)  # the run may be ended during the upload
    return conclude(job, result, name)


def stored_shards(job: Job) -> list[Shard]:
    """Return the reports of this run's shards, each from the shard's newest attempt, sorted by key."""
    if not job.settings.shards_result:
        what = (
            "give it, so that a lost shard does not pass: ${{ needs.JOB.result }}, where JOB is the job of the shards"
        )
        raise SettingsError("shards-result", what)
    chosen = newest_reports(job.client.run_artifacts(job.context.run_id), job.context.run_attempt)
    if not chosen:
        ended = ", ".join(sorted(set(job.settings.shards_result) - {"success"}))
        how = (
            f"the shards ended with {ended}, and their logs have the reason"
            if ended
            else "let its job run with mode: shard"
        )
        raise ProfgateError(f"run {job.context.run_id}", f"no shard stored a report; {how}")
    shards = []
    for key, artifact in sorted(chosen.items()):
        where, members = f"report of shard {key}", job.client.artifact_files(artifact)
        if set(members) != {REPORT_NAME, LINKS_NAME}:
            raise GitHubError(where, "contains other files than a shard stores; run the shard again")
        report, links = (members[name].decode("utf-8", "replace") for name in (REPORT_NAME, LINKS_NAME))
        shards.append(Shard(key, from_json(report, where), _own_links(job, links_from_json(links, where), where)))
        job.log(f"shard {key}: {artifact.name}")
    return shards


def newest_reports(artifacts: Iterable[ArtifactRecord], attempt: int) -> dict[str, ArtifactRecord]:
    """Return the report artifact of the newest attempt for each key.

    Raises `GitHubError` if an artifact is named for an attempt after ``attempt``, the current one, or has expired.
    """
    newest: dict[str, tuple[tuple[int, int], ArtifactRecord]] = {}
    for artifact in artifacts:
        named = key_of_report(artifact.name)
        if named is None:
            continue
        key, age = named[0], (named[1], artifact.id)
        if named[1] > attempt:
            what = f"is named for attempt {named[1]} of a run that is in attempt {attempt}"
            raise GitHubError(artifact.name, f"{what}; only profgate may store artifacts of this name")
        if key not in newest or age > newest[key][0]:
            newest[key] = (age, artifact)
    for _, artifact in newest.values():
        if artifact.expired:
            raise GitHubError(artifact.name, "has expired; run the shards again")
    return {key: artifact for key, (_, artifact) in newest.items()}


def judge_report(job: Job) -> int:
    """Judge a report from an earlier step under the base commit's policy, publish it, and return the exit code."""
    if not job.settings.report:
        raise SettingsError("report", "is empty; mode report needs the path of a report.json of this run")
    name, *patterns = job.settings.report
    place = posixpath.join(job.context.workspace, name)
    if not exists(place):
        raise ProfgateError(name, "does not exist; the log of the step that writes it has the reason")
    report = from_json(read_text(place, LARGEST_REPORT), name)
    commit = report.target.sha
    if not commit or commit not in {job.context.head_sha, job.context.sha}:
        what = f"is of {commit or 'no commit'}, this run of {job.context.head_sha}; use a report of this run"
        raise ProfgateError(name, what)
    links, beside = Links(), posixpath.join(posixpath.dirname(place), LINKS_NAME)
    if exists(beside):
        where = posixpath.join(posixpath.dirname(name), LINKS_NAME)
        links = links_from_json(read_text(beside, 4 << 20), where)
        _own_links(job, links, where)
    digest = report.confirms or digest_of(report, links)
    shard = Shard(job.settings.key, report, replace(links, run=job.context.run_url), digest)
    machines = [*([shard] if report.confirms else []), *_machine_reports(job, patterns)]
    return merge_shards(job, [shard], machines if patterns or report.confirms else None)


def _machine_reports(job: Job, patterns: Iterable[str]) -> list[Shard]:
    """Return the results of the machines that wrote one."""
    found = []
    for pattern in patterns:
        place = posixpath.join(job.context.workspace, pattern)
        for source in sources_under(place) if has_magic(pattern) or exists(place) else ():
            if source.name.endswith(REPORT_NAME):
                text = source.read(LARGEST_REPORT).decode("utf-8", "replace")
                found.append(Shard(source.name, from_json(text, source.name)))
    return found


def _own_links(job: Job, links: Links, where: str) -> Links:
    """Return the links, which the comment will contain. Raises `ProfgateError` unless all are artifacts of this run."""
    for url in (*links.pages.values(), links.index, links.report):
        place, _, number = (url or "").rpartition("/")
        if url and not (place == f"{job.context.run_url}/artifacts" and number.isascii() and number.isdigit()):
            raise ProfgateError(where, f"contains {url[:80]!r}, which is no artifact of this run; compare again")
    return replace(links, run=job.context.run_url)
