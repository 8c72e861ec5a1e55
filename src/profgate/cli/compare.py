"""The commands ``profgate compare`` and ``profgate report``, which merges the reports of shards."""

import hashlib
import sys
from collections.abc import Sequence
from io import BufferedReader
from pathlib import PurePath
from typing import cast

import click

from profgate import api
from profgate.api import Report
from profgate.cli import options as opt
from profgate.cli.main import Commands
from profgate.cli.sides import GivenSides, diff_option, sides_arguments
from profgate.decide.judge.machines import joined_by_machine
from profgate.decide.judge.shards import Shard, merge_reports
from profgate.errors import ProfgateError, SettingsError
from profgate.io.files import check_links
from profgate.io.terminal import show
from profgate.loading import load_diff, repository_sources
from profgate.model.claim import Claim
from profgate.model.links import Links
from profgate.model.policy import Policy, with_strategies
from profgate.model.reason import Parameter, Reason, ReasonCode
from profgate.model.record import replace
from profgate.model.source import SourceFile
from profgate.model.visible_text import visible
from profgate.pipeline import PipelineInput
from profgate.readers.reader import collection_paused
from profgate.report.json_report import REPORT_NAME, digest_of


@opt.command(
    "profgate compare old.folded new.folded",
    "profgate compare baseline/ target/ --output-dir profgate-report",
    "profgate compare HEAD~1:api HEAD:api --history .profgate",
)
@sides_arguments
@opt.policy_options
@opt.strategies_option
@opt.format_option("terminal", "json", "markdown")
@opt.output_option("comment.md, report.json and the flame graphs")
@click.option(
    "--interleaved",
    is_flag=True,
    help="The runs of both sides were recorded in alternating order, so that the total can also fail the gate.",
)
@diff_option
@opt.claim_options
@click.option(
    "--history",
    type=opt.DIRECTORY,
    metavar="DIR",
    help=f"Folder of the history, for sides named REV:WORKLOAD (default: {opt.FOLDER}) and to estimate the noise.",
)
@opt.executor_option
@opt.verbose_option()
@collection_paused()  # a report of many workloads consists of millions of objects, but no cycles
def compare(
    sides: GivenSides,
    policy: Policy,
    strategies: tuple[str, ...],
    output: str,
    output_dir: str | None,
    diff: str | None,
    claims: tuple[Claim, ...],
    history: str | None,
    executor: str | None,
    *,
    interleaved: bool,
    verbose: bool,
) -> int:
    """Compare the profiles of two builds and judge the difference.

    BASELINE and TARGET are files or folders of profiles, or REV:WORKLOAD, which names a workload of a commit in the
    history. The exit code is 0 if the gate passed or is only advisory, 1 if the gate failed, and 3 if something was not
    compared.
    """
    given = _input(sides, with_strategies(policy, strategies), history)
    given = replace(
        given,
        diff=None if diff is None else load_diff(diff),
        sources=repository_sources,
        interleaved=interleaved,
        claims=claims,
        verbose=verbose,
        pages=given.pages if output_dir else 0,  # pages are only written to a folder
    )
    report = api.compare_input(given, executor)
    if sides.baseline == sides.target or _same_files(given):
        paths: dict[str, Parameter] = {"baseline": sides.baseline, "target": str(sides.target)}
        warnings = (*report.data.warnings, Reason(ReasonCode.SAME_FILES, paths))
        report = replace(report, data=replace(report.data, warnings=warnings))
    return end_with(report, output_dir, output, verbose=verbose)


def end_with(report: api.Report, folder: str | None, output: str = "terminal", *, verbose: bool = False) -> int:
    """Write a report, print it as terminal text, JSON or Markdown, and return the exit code.

    The files are written to a folder, if one is given, and those that cannot be written are reported on stderr. Without
    report.json, the exit code is 2 unless the gate failed.
    """
    code = report.exit_code
    try:
        if folder:
            report.write(folder, _report_unwritten)
    except ProfgateError as error:
        _report_unwritten(error)
        code = 1 if code == 1 else error.exit_code
    if output == "terminal":
        show(report.lines(verbose=verbose, width=opt.width()), sys.stdout)
    else:
        sys.stdout.write(report.json() if output == "json" else report.markdown())
    return code


def _report_unwritten(error: ProfgateError) -> None:
    sys.stderr.write(f"profgate: not written: {visible(str(error))}\n")


def _input(sides: GivenSides, policy: Policy, history: str | None) -> PipelineInput:
    """Return the pipeline input for both sides. Stored sides and earlier results are read from a history."""
    if history is None and ":" not in f"{sides.baseline}{sides.target}":
        return sides.read(policy)
    from profgate.history.history_store import open_history  # imported here because it loads pydantic
    from profgate.history.stored_sides import newest_past, stored_input, stored_name

    stored = sides.target is not None and any(map(stored_name, (sides.baseline, sides.target)))
    if not stored and history is None:
        return sides.read(policy)
    if history is None:
        check_links(opt.FOLDER)
    with open_history(history or opt.FOLDER) as store:
        if stored and sides.target is not None:
            given = stored_input(sides.baseline, sides.target, store, policy)
        else:
            given = replace(sides.read(policy), past=newest_past(store))
        past = given.past
        if past is None:
            return given
        held = {series.key: past(series.key) for series in store.series()}
    return replace(given, past=lambda key: held.get(key, ()))


def _same_files(given: PipelineInput) -> bool:
    """Return whether the files of both sides have the same contents. Stored readings have no files and differ."""
    if any(source.profile is not None for source in (*given.baseline, *given.target)):
        return False
    sizes = sorted(source.size for source in given.baseline)
    if sizes != sorted(source.size for source in given.target):  # most sides differ in it, and reading takes longer
        return False
    return sorted(map(_digest, given.baseline)) == sorted(map(_digest, given.target))


def _digest(source: SourceFile) -> bytes:
    with source.open(0, None) as stream:
        return hashlib.file_digest(cast("BufferedReader", stream), "sha256").digest()


@opt.command("profgate report merge linux/report.json mac/report.json", of=click.group, cls=Commands)
def report() -> None:
    """Work with finished reports."""


@opt.command("profgate report merge linux/report.json mac/report.json -o merged", of=report.command)
@click.argument("reports", nargs=-1, required=True, type=opt.FILE, metavar="REPORT...")
@opt.policy_options
@opt.format_option("terminal", "json", "markdown")
@opt.output_option("comment.md, report.json and links.json")
@opt.verbose_option()
def merge(reports: tuple[str, ...], policy: Policy, output: str, output_dir: str | None, *, verbose: bool) -> int:
    """Merge the reports of several shards, or of several machines, and judge them as one report.

    Each REPORT is a report.json; a links.json in the same folder is also read. Reports of profgate confirm are results
    of machines: they belong to the report with the same workloads, and a regression is red only if each machine shows
    it.
    """
    if len(set(reports)) < len(reports):
        raise SettingsError("REPORT", "contains the same file twice; name each report once")
    shards = []
    for place, name in _names(reports).items():
        loaded = Report.load(place)
        links = loaded.links or Links()
        shards.append(Shard(name, loaded.data, links, digest_of(loaded.data, links)))
    merged, links = merge_reports(joined_by_machine(shards, policy), policy)
    return end_with(Report(merged, links=links), output_dir, output, verbose=verbose)


def _names(places: Sequence[str]) -> dict[str, str]:
    """Map each path to a name: the fewest last parts of the path that make all names unique."""
    parts = {place: _distinctive(place) for place in places}
    for length in range(1, max(map(len, parts.values())) + 1):
        names = {place: "/".join(part[-length:]) for place, part in parts.items()}
        if len(set(names.values())) == len(places):
            return names
    return {place: place for place in places}


def _distinctive(place: str) -> tuple[str, ...]:
    """Return the parts of a path without the extension. The usual file name of a report is omitted."""
    path = PurePath(place)
    parts = path.parts[:-1] if path.name == REPORT_NAME else (*path.parts[:-1], path.stem)
    return parts or (path.stem,)
