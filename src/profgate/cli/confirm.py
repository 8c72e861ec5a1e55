"""``profgate confirm REPORT -- COMMAND``: measures both sides again, in turns, and withdraws what does not repeat.

COMMAND runs in the checkout of a side; PROFGATE_SIDE is baseline or target, PROFGATE_RUN the number of the run, and
PROFGATE_OUT the folder for its profiles, named as when they were recorded. Run 0 of each side is a warm-up whose
profiles are discarded; the others alternate: baseline, target, target, baseline, and so on.
"""

import argparse
import math
import os
import re
import shutil
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace

from profgate import wiring
from profgate.cli.sides_options import file, folder, policy_of
from profgate.compare.workloads import workload_name
from profgate.errors import ProfgateError
from profgate.io.files import exists, read_text, scratch_folder, sources_under, write_text
from profgate.io.processes import output_of
from profgate.io.terminal import show
from profgate.judge.confirmation import Suspect, confirmed, suspects
from profgate.judge.verdict import policy_stated_in
from profgate.model.comparison import Comparison
from profgate.model.links import Links
from profgate.model.manifest import MANIFEST_NAME
from profgate.model.policy import Policy
from profgate.model.reason import Reason, ReasonCode
from profgate.model.report import Report, Side
from profgate.model.second_measurement import Second
from profgate.model.source import SourceFile
from profgate.pipeline import PipelineInput
from profgate.report.comment import render_comment
from profgate.report.json_report import REPORT_NAME, from_json, to_json
from profgate.report.links_json import LINKS_NAME, links_from_json, links_to_json
from profgate.report.terminal_report import terminal_lines
from profgate.track.git_versions import worktree

LARGEST_REPORT = 256 << 20
SIDES = ("baseline", "target")
FEWEST, MOST = 3, 50


def _arguments(argv: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """The options and the command, which stands behind ``--``."""
    words = list(argv)
    place = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(
        prog="profgate confirm", description=__doc__.replace("`", ""), usage="%(prog)s [options] REPORT -- COMMAND ..."
    )
    parser.add_argument("report", metavar="REPORT", type=file, help="report.json of the first measurement")
    parser.add_argument("--runs", type=_runs, default=5, help=f"runs of each side, {FEWEST} to {MOST} (default: 5)")
    for side in SIDES:
        what = f"checkout of the {side} (default: a git worktree of the commit that the report names)"
        parser.add_argument(f"--{side}-dir", metavar="DIR", type=folder, help=what)
    parser.add_argument("--setup", metavar="TEXT", help="shell command that prepares each worktree made here")
    parser.add_argument("--timeout", metavar="SECONDS", type=float, default=900.0, help="for one run (default: 900)")
    parser.add_argument(
        "--minutes", type=_minutes, default=math.inf, help="for everything; fewer runs are made where it is short"
    )
    parser.add_argument(
        "--fallback", action="store_true", help="where measuring fails, the first measurement decides alone"
    )
    parser.add_argument("--config", metavar="FILE", type=file, help="configuration file, for its names and filters")
    parser.add_argument(
        "--output-dir", "-o", metavar="DIR", type=folder, help="write report.json, links.json and comment.md here"
    )
    parser.add_argument("--key", default="default", help="the key of the comment (default: default)")
    arguments = parser.parse_args(words[:place])
    command = words[place + 1 :]
    if not command:
        parser.error("the command to measure is missing; write it behind --")
    return arguments, command


def _runs(text: str) -> int:
    if not text.isdigit() or not FEWEST <= int(text) <= MOST:
        raise argparse.ArgumentTypeError(f"is no number from {FEWEST} to {MOST}")
    return int(text)


def _minutes(text: str) -> float:
    if not re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,3})?", text) or not float(text):
        raise argparse.ArgumentTypeError("is no number of minutes above 0")
    return float(text)


def run(argv: Sequence[str]) -> int:
    """Exit code of the confirmed report: 0 passed or withdrawn, 1 the gate failed. Raises ProfgateError."""
    arguments, command = _arguments(argv)
    report = from_json(read_text(arguments.report, LARGEST_REPORT), arguments.report)
    policy = policy_stated_in(report)
    asked = suspects(report, policy)
    if asked:
        try:
            report = _again(report, policy, asked, command, arguments)
        except ProfgateError as error:
            if not arguments.fallback:
                raise
            sys.stderr.write(f"{error}\nthe first measurement decides alone\n")
            warning = Reason(ReasonCode.NOT_MEASURED_AGAIN, {"text": str(error)})
            report = confirmed(replace(report, warnings=(*report.warnings, warning)), policy, lambda _: None)
    else:
        sys.stderr.write("nothing fails the gate, so nothing is measured again\n")
    if arguments.output_dir:
        links = _links_beside(arguments.report)
        for name, text in (
            (REPORT_NAME, to_json(report)),
            (LINKS_NAME, links_to_json(links)),
            ("comment.md", render_comment(report, key=arguments.key, links=links).text),
        ):
            write_text(os.path.join(arguments.output_dir, name), text)  # noqa: PTH118 - doors pass plain paths
    show(terminal_lines(report, width=shutil.get_terminal_size((100, 24)).columns), sys.stdout)
    return report.verdict.exit_code


def _again(
    report: Report, policy: Policy, asked: Sequence[Suspect], command: list[str], arguments: argparse.Namespace
) -> Report:
    """The report judged with fresh profiles of both sides. Raises ProfgateError where they cannot be recorded."""
    latest = time.monotonic() + 60 * arguments.minutes
    with ExitStack() as stack:
        scratch = stack.enter_context(scratch_folder())
        places = _places(arguments, report, scratch, stack)
        fresh = _measured(command, places, scratch, arguments, latest)
        read = replace(policy_of(arguments.config), source=policy.source)
        return _judged(report, policy, asked, fresh, read)


def _links_beside(report: str) -> Links:
    """The links to the pages of the first measurement; its report is another one than this."""
    place = os.path.join(os.path.dirname(report), LINKS_NAME)  # noqa: PTH118, PTH120 - doors pass plain paths
    return replace(links_from_json(read_text(place), place), report=None) if exists(place) else Links()


def _places(arguments: argparse.Namespace, report: Report, scratch: str, stack: ExitStack) -> dict[str, str]:
    """The checkout of each side."""
    given = {"baseline": arguments.baseline_dir, "target": arguments.target_dir}
    sides: dict[str, Side] = {"baseline": report.baseline, "target": report.target}
    places = {}
    for side in SIDES:
        sha = sides[side].sha
        if given[side] is None and not sha:
            raise ProfgateError(f"--{side}-dir", f"is missing, and the report names no commit of the {side}")
        places[side] = given[side] or stack.enter_context(worktree(sha or "", os.path.join(scratch, side)))  # noqa: PTH118
        if not os.path.isdir(places[side]):  # noqa: PTH112 - a question, not a path
            raise ProfgateError(f"--{side}-dir", f"{places[side]} is no folder")
        if arguments.setup and given[side] is None:
            output_of(["sh", "-ec", arguments.setup], places[side], {"PROFGATE_SIDE": side}, arguments.timeout)
    return places


def _measured(
    command: list[str], places: dict[str, str], scratch: str, arguments: argparse.Namespace, latest: float
) -> dict[str, list[SourceFile]]:
    """The fresh profiles of both sides, whose runs take turns after a warm-up; every other pair begins with the target.

    Runs that do not fit before ``latest`` (by the clock of ``time.monotonic``) are left out. Raises ProfgateError where
    fewer than three of each side fit.
    """
    found: dict[str, list[SourceFile]] = {side: [] for side in SIDES}

    def record(number: int) -> None:
        for side in SIDES if number % 2 else reversed(SIDES):
            what = f"run {number} of {arguments.runs}" if number else "warm-up"
            sys.stderr.write(f"measuring {what}, {side}\n")
            out = os.path.join(scratch, "out", side, str(number))  # noqa: PTH118 - doors pass plain paths
            os.makedirs(out)  # noqa: PTH103
            environ = {"PROFGATE_SIDE": side, "PROFGATE_RUN": str(number), "PROFGATE_OUT": out}
            output_of(command, places[side], environ, arguments.timeout)
            left = [one for one in sources_under(out) if one.name != MANIFEST_NAME]
            if not left:
                raise ProfgateError(f"run {number}, {side}", "left no profile in the folder that PROFGATE_OUT names")
            if number:
                found[side] += _as_run(left, number)

    start = time.monotonic()
    record(0)
    pair = time.monotonic() - start
    fit = math.inf if math.isinf(latest) else (latest - time.monotonic()) / pair
    if fit < FEWEST:
        what = f"leaves no time for {FEWEST} runs of each side, of which one pair takes {pair:.0f} seconds"
        raise ProfgateError("--minutes", f"{what}; give more minutes, or let the command do less")
    for number in range(1, int(min(arguments.runs, fit)) + 1):
        record(number)
    return found


def _as_run(sources: Sequence[SourceFile], number: int) -> list[SourceFile]:
    """Files of one run under names that say so: ``api.folded`` becomes a run of the workload api."""
    times: dict[tuple[str, str], int] = {}
    named = []
    for source in sources:
        workload, suffix = workload_name(source.name), source.name.rpartition("/")[2].partition(".")[2]
        times[workload, suffix] = place = times.get((workload, suffix), 0) + 1
        named.append(replace(source, name=f"{workload}/{1000 * number + place}{f'.{suffix}' if suffix else ''}"))
    return named


def _judged(
    report: Report, policy: Policy, asked: Sequence[Suspect], fresh: dict[str, list[SourceFile]], read: Policy
) -> Report:
    from profgate.detect.second_runs import second_measurement

    comparisons = wiring.overlays(PipelineInput(fresh["baseline"], fresh["target"], policy=read, pages=0))
    by_place: dict[tuple[str, str], Comparison] = {(one.workload, one.metric.name): one for one in comparisons}
    if not any((one.workload, one.metric) in by_place for one in asked):
        wanted = ", ".join(sorted({one.workload for one in asked}))
        left = ", ".join(sorted({one.workload for one in comparisons}))
        what = (
            f"got profiles of {left}; what fails is {wanted}: keep the names of files, and confirm legs before a merge"
        )
        raise ProfgateError("PROFGATE_OUT", what)

    def ask(suspect: Suspect) -> Second | None:
        comparison = by_place.get((suspect.workload, suspect.metric))
        if comparison is None:
            return None
        worse = 1 if suspect.lower_is_better else -1
        place = suspect.finding.location
        return second_measurement(comparison, place, total=suspect.total, subtree=suspect.subtree, worse=worse)

    return confirmed(report, policy, ask)
