"""The commands profgate measure and profgate confirm, which measure two commits in turns."""

import sys

import click

from profgate.api import Report
from profgate.cli import options as opt
from profgate.cli.compare import end_with
from profgate.decide.judge.shards import (
    is_open,
    needs_more_suspects,
    suspects_in,
    with_measurement,
    without_measurement,
)
from profgate.decide.judge.verdict import judge, policy_stated_in
from profgate.errors import ComparisonError, ProfgateError
from profgate.io.files import check_writable
from profgate.io.git import commit_hash, head_commit, merge_base, parents_of_head
from profgate.measuring.decision import MeasuringLimits, decided_between
from profgate.measuring.init.recipes import record_command
from profgate.model.claim import Claim
from profgate.model.links import Links
from profgate.model.policy import Policy
from profgate.model.reason import Side
from profgate.model.record import replace
from profgate.model.report import Report as ReportData
from profgate.model.visible_text import visible
from profgate.pipeline import PipelineInput
from profgate.report.json_report import digest_of

extent_options: opt.Decorator = opt.bundled(
    "extent",
    MeasuringLimits,
    click.option("--setup", metavar="TEXT", help="Shell command that prepares the checkout of each side."),
    click.option(
        "--budget",
        type=opt.DURATION,
        default="5m",
        metavar="TIME",
        help="Time for all measured runs together, such as 90s or 10m (default: 5m).",
    ),
    click.option(
        "--at-most",
        type=opt.DURATION,
        metavar="TIME",
        help="Limit for all runs if ten of each side exceed the budget (default: twice the budget).",
    ),
    click.option(
        "--timeout",
        type=opt.DURATION,
        default="15m",
        metavar="TIME",
        help="Limit for the setup of a side, and for one run (default: 15m).",
    ),
)


@opt.command(
    "profgate confirm profgate-report/report.json -- sh record.sh",
    "profgate confirm report.json --setup 'pip install .' --budget 10m --fallback -o confirmed -- sh record.sh",
    cls=opt.Measuring,
)
@click.argument("report", type=opt.FILE)
@extent_options
@click.option("--fallback", is_flag=True, help="If the measurement fails, write a report that says so.")
@opt.config_option
@opt.output_option("report.json, links.json and comment.md")
@click.option("--key", default="default", help="Key of the comment that the report belongs to.")
def confirm(
    report: str,
    extent: MeasuringLimits,
    policy: Policy,
    output_dir: str | None,
    key: str,
    program: tuple[str, ...],
    *,
    fallback: bool,
) -> int:
    """Measure both commits of a report in turns on this machine, and decide by the new runs alone.

    REPORT is the report.json of a comparison with stored baselines, which found suspects. COMMAND records one run. It
    runs in a checkout of each commit, with its own environment and build output, and stores its profiles in the folder
    PROFGATE_OUT, with the same names as in the first comparison. PROFGATE_RUN is the number of the run; run 0 of each
    side is a warm-up. A report that passed is not measured again. --config is the policy file with the aliases and
    the functions to ignore. The exit code is 0 if no regression is confirmed, 1 if the gate failed, and with --fallback
    3 if the measurement failed and nothing decides that the gate fails, as suspects under confirm: required do.
    """
    if not program:
        raise ProfgateError("COMMAND", "is missing; write it after --: profgate confirm REPORT -- COMMAND")
    if output_dir:  # before a measurement of minutes
        check_writable(output_dir)
    first = Report.load(report)
    stated = policy_stated_in(first.data)
    result = first.data
    measured = True
    if not is_open(result):
        sys.stderr.write(f"profgate: the verdict is {result.verdict.conclusion}, so nothing is measured again\n")
    else:
        try:
            commits = _commits(result)
            given = PipelineInput((), (), policy=policy_stated_in(result, policy), pages=0, claims=result.claims)
            listed, widen = suspects_in(result), needs_more_suspects(result)
            decision = decided_between(*commits, program, extent, given, listed, widen=widen)
            if commits[0] != result.baseline.sha:
                result = replace(result, baseline=replace(result.baseline, sha=commits[0], distance=0))
            result = with_measurement(result, decision.built.report, decision.measurement, stated)
        except ProfgateError as error:
            if not fallback:
                raise
            sys.stderr.write(f"profgate: {visible(str(error))}\n")
            measured = False
            result = without_measurement(result, str(error), getattr(error, "side", ""), stated)
    if is_open(first.data):
        result = replace(result, confirms=digest_of(first.data, first.links or Links()))
    # The links to the pages of the first comparison are kept, but not the link to its report.
    final = Report(result, links=replace(first.links or Links(), report=None), key=key)
    code = end_with(final, output_dir)
    return code if measured else code or ComparisonError.exit_code  # suspects that were not measured are no pass


def _commits(report: ReportData) -> tuple[str, str]:
    """Return the commits to measure. Raises ProfgateError if the report does not state both.

    In a pull request's job, the checked-out commit merges the target of the report into the base branch. This merge was
    recorded, so it is measured against its first parent: the difference is exactly what would be merged.
    """
    for name, side in (("baseline", report.baseline), ("target", report.target)):
        if not side.sha:
            what = f"names no commit of the {name}; measure commits with: profgate measure BASE HEAD -- COMMAND"
            raise ProfgateError("REPORT", what)
    parents = parents_of_head()
    if parents[1:] == (report.target.sha,):
        return parents[0], head_commit()
    return str(report.baseline.sha), str(report.target.sha)


@opt.command(
    "profgate measure main --setup 'pip install .' -- python bench/parse.py",
    "profgate measure main --claim 'parse -10%' -- python bench/parse.py",
    "profgate measure main my-branch --budget 10m -- go test -run '^$' -bench . -benchtime 100x",
    cls=opt.Measuring,
)
@click.argument("base")
@click.argument("head", required=False)
@extent_options
@opt.policy_options
@opt.claim_options
@opt.format_option("terminal", "json", "markdown")
@opt.output_option("comment.md, report.json and the flame graphs")
@opt.verbose_option()
def measure(
    base: str,
    head: str | None,
    extent: MeasuringLimits,
    policy: Policy,
    claims: tuple[Claim, ...],
    output: str,
    output_dir: str | None,
    program: tuple[str, ...],
    *,
    verbose: bool,
) -> int:
    """Measure two commits in turns on this machine: is this branch slower?

    BASE and HEAD are branches, tags or hashes; the baseline is the commit where HEAD left BASE. Without HEAD, the
    working tree is measured as it is. COMMAND is the program to measure. It runs below a profiler for its language in
    a checkout of each commit, which has its own environment and build output. A command that contains PROFGATE_OUT, and
    sh, make or npm, runs as it is and must store its profiles in that folder. Both sides are set up at the same time.
    The measurement stops when it is decided, at the latest when the budget ends. The exit code is 0 if the gate passed,
    and 1 if it failed.
    """
    if not program:
        raise ProfgateError("COMMAND", "is missing; write it after --: profgate measure BASE -- COMMAND")
    if output_dir:  # before a measurement of minutes
        check_writable(output_dir)
    baseline, target = commit_hash(base), None if head is None else commit_hash(head)
    if target is None:
        sys.stderr.write("profgate: HEAD is not given, so the working tree is measured, with uncommitted changes\n")
    if (start := merge_base(baseline, target or "HEAD")) != baseline:
        sys.stderr.write(f"profgate: {base} has other commits too, so the baseline is {start[:12]}, where they part\n")
        baseline = start
    sides = Side(base, baseline), Side(head or "working tree", target)
    given = PipelineInput(
        (),
        (),
        policy=policy,
        baseline_side=sides[0],
        target_side=sides[1],
        verbose=verbose,
        pages=10 if output_dir else 0,
        claims=claims,
    )
    decision = decided_between(baseline, target, record_command(program), extent, given)
    built = decision.built
    data = judge(replace(built.report, measurement=decision.measurement), policy)
    report = Report(data, built.pages)
    return end_with(report, output_dir, output, verbose=verbose)
