"""The ``profgate measure`` command."""

import sys
from dataclasses import replace

import click

from profgate.api import Report
from profgate.cli import options as opt
from profgate.cli.compare import end_with
from profgate.cli.confirm import extent_options
from profgate.decide.judge.verdict import judge
from profgate.errors import ProfgateError
from profgate.io.files import check_writable
from profgate.io.git import commit_hash, merge_base
from profgate.measuring.decision import MeasuringLimits, decided_between
from profgate.measuring.init.recipes import record_command
from profgate.model.policy import Policy
from profgate.model.sides import Side
from profgate.pipeline import PipelineInput


@opt.command(
    "profgate measure main --setup 'pip install .' -- python bench/parse.py",
    "profgate measure main my-branch --budget 10m -- go test -run '^$' -bench . -benchtime 100x",
    cls=opt.Measuring,
)
@click.argument("base")
@click.argument("head", required=False)
@extent_options
@opt.policy_options
@opt.format_option("terminal", "json", "markdown", "csv")
@opt.output_option("comment.md, report.json and the flame graphs")
@opt.verbose_option()
def measure(
    base: str,
    head: str | None,
    extent: MeasuringLimits,
    policy: Policy,
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
    sh, make or npm, runs as it is and must store its profiles in that folder. The measurement stops when it is decided,
    at the latest when the budget ends. The exit code is 0 if the gate passed, and 1 if it failed.
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
    )
    decision = decided_between(baseline, target, record_command(program), extent, given)
    built = decision.built
    data = judge(replace(built.report, measurement=decision.measurement), policy)
    report = Report(data, built.pages, comparisons=built.comparisons)
    return end_with(report, output_dir, output, verbose=verbose)
