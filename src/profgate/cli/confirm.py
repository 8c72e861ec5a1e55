"""The ``profgate confirm`` command."""

import math
import os
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace

import click

from profgate.api import Report
from profgate.cli import options as opt
from profgate.cli.compare import write_report
from profgate.errors import ProfgateError
from profgate.io.files import scratch_folder
from profgate.io.processes import output_of
from profgate.io.terminal import show
from profgate.judge.confirmation import confirmed, suspects
from profgate.judge.verdict import policy_stated_in
from profgate.model.links import Links
from profgate.model.policy import Policy
from profgate.model.reason import Reason, ReasonCode
from profgate.model.report import Report as ReportData
from profgate.model.visible_text import visible
from profgate.remeasurement import FEWEST_RUNS, MOST_RUNS, Remeasurement, judged_again
from profgate.track.git_versions import worktree


@dataclass(frozen=True, slots=True)
class Checkouts:
    """The checkouts of both sides: either existing folders, or git worktrees that a shell command prepares."""

    baseline_dir: str | None
    target_dir: str | None
    setup: str | None
    timeout: float

    def prepared(self, report: ReportData, scratch: str, stack: ExitStack) -> dict[str, str]:
        """Return the folder of each side. Worktrees are removed when ``stack`` is closed.

        Raises ProfgateError if a checkout is not available, or if there is a setup command but no worktree to prepare.
        """
        if self.setup and self.baseline_dir and self.target_dir:
            what = "prepares git worktrees, but both folders are given; set them up before, and leave out --setup"
            raise ProfgateError("--setup", what)
        given = {"baseline": (self.baseline_dir, report.baseline.sha), "target": (self.target_dir, report.target.sha)}
        return {side: self._folder(side, *known, scratch, stack) for side, known in given.items()}

    def _folder(self, side: str, folder: str | None, sha: str | None, scratch: str, stack: ExitStack) -> str:
        if folder is not None:
            if not os.path.isdir(folder):  # noqa: PTH112 - the path is a string
                raise ProfgateError(f"--{side}-dir", f"{folder} is not a folder")
            return folder
        if not sha:
            raise ProfgateError(f"--{side}-dir", f"is missing, and the report names no commit of the {side}")
        place = stack.enter_context(worktree(sha, os.path.join(scratch, side)))  # noqa: PTH118 - the path is a string
        if self.setup:
            output_of(["sh", "-ec", self.setup], place, {"PROFGATE_SIDE": side}, self.timeout)
        return place


checkout_options: opt.Decorator = opt.bundled(
    "checkouts",
    Checkouts,
    click.option(
        "--baseline-dir", type=opt.DIRECTORY, metavar="DIR", help="Checkout of the baseline (default: a git worktree)."
    ),
    click.option(
        "--target-dir", type=opt.DIRECTORY, metavar="DIR", help="Checkout of the target (default: a git worktree)."
    ),
    click.option("--setup", metavar="TEXT", help="Shell command that prepares each git worktree."),
    click.option(
        "--timeout", type=opt.SECONDS, default=900.0, metavar="S", help="Maximum number of seconds for one run."
    ),
)


@opt.command(
    "profgate confirm profgate-report/report.json -- sh record.sh",
    "profgate confirm report.json --setup 'pip install .' --minutes 15 --fallback -o confirmed -- sh record.sh",
    cls=opt.Measuring,
)
@click.argument("report", type=opt.FILE)
@click.option(
    "--runs", type=opt.Number(FEWEST_RUNS, MOST_RUNS), default=5, metavar="N", help="Number of runs of each side."
)
@checkout_options
@click.option(
    "--minutes",
    type=opt.Number(0.001, 10_000.0),
    metavar="M",
    help="Time limit for all runs, which may reduce their number (default: no limit).",
)
@click.option("--fallback", is_flag=True, help="If the measurement fails, use only the first measurement.")
@opt.config_option
@opt.output_option("report.json, links.json and comment.md")
@click.option("--key", default="default", help="Key of the comment that the report belongs to.")
def confirm(
    report: str,
    runs: int,
    checkouts: Checkouts,
    minutes: float | None,
    policy: Policy,
    output_dir: str | None,
    key: str,
    program: tuple[str, ...],
    *,
    fallback: bool,
) -> int:
    """Measure both sides again, alternating between them, and withdraw findings that are not confirmed.

    REPORT is the report.json of the first measurement. COMMAND runs in the checkout of a side. PROFGATE_SIDE is
    baseline or target, PROFGATE_RUN is the number of the run, and PROFGATE_OUT is the folder for its profiles, whose
    names must be the same as in the first measurement. Run 0 of each side is a warm-up whose profiles are discarded.
    --config is the policy file with the rules for names and filters. The exit code is 0 if no regression remains, and 1
    if the gate failed.
    """
    if not program:
        raise ProfgateError("COMMAND", "is missing; write it after --: profgate confirm REPORT -- COMMAND")
    first = Report.load(report)
    result, stated = first.data, policy_stated_in(first.data)
    found = suspects(result, stated)
    deadline = math.inf if minutes is None else time.monotonic() + 60 * minutes
    if not found:
        sys.stderr.write("profgate: no finding fails the gate, so nothing is measured again\n")
    else:
        try:
            with ExitStack() as stack:
                scratch = stack.enter_context(scratch_folder())
                folders = checkouts.prepared(result, scratch, stack)
                profiles = Remeasurement(program, folders, scratch, runs, checkouts.timeout).profiles(deadline)
                result = judged_again(result, stated, found, profiles, replace(policy, source=stated.source))
        except ProfgateError as error:
            if not fallback:
                raise
            sys.stderr.write(f"profgate: {visible(str(error))}\nprofgate: only the first measurement is used\n")
            warning = Reason(ReasonCode.NOT_MEASURED_AGAIN, {"text": str(error)})
            result = confirmed(replace(result, warnings=(*result.warnings, warning)), stated, lambda _: None)
    # The links to the pages of the first measurement are kept, but not the link to its report.
    final = Report(result, links=replace(first.links or Links(), report=None), key=key)
    code = write_report(final, output_dir)
    show(final.lines(width=opt.width()), sys.stdout)
    return code
