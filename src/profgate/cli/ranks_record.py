"""``profgate ranks record``: stores the durations of a test run as a file, for ``check`` and ``history``.

RESULTS are the files and folders that one run of the tests left. With --repeat, COMMAND runs the tests so often and
leaves its results below the folder that PROFGATE_OUT names ({out} in its arguments), or where --results says.
"""

import argparse
import hashlib
import os
import sys
import tempfile
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from glob import has_magic
from pathlib import Path

from profgate.cli.arguments import number_in, whole_number
from profgate.cli.sides_options import folder, side
from profgate.errors import ProfgateError
from profgate.io.files import sources_under, write_text
from profgate.io.git import head_commit
from profgate.io.processes import filled, run_command, variables
from profgate.model.durations import DurationRun
from profgate.model.durations_text import durations_to_json
from profgate.ranks.rank_inputs import FOLDER, run_at
from profgate.report.numbers import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("files", metavar="RESULTS", nargs="*", type=side, help="files or folders of one run")
    parser.add_argument(
        "--repeat", type=whole_number(100), metavar="K", help="run COMMAND so often, each time a baseline run"
    )
    parser.add_argument(
        "--results",
        action="append",
        metavar="GLOB",
        type=side,
        help="where COMMAND leaves its results (default: PROFGATE_OUT; repeatable)",
    )
    parser.add_argument(
        "--keep-failed", action="store_true", help="store runs of COMMAND that failed too (default: an error)"
    )
    parser.add_argument(
        "--timeout",
        type=number_in(0.001, 10_000_000),
        default=7200.0,
        metavar="S",
        help="seconds for one run of COMMAND (default: 7200)",
    )
    parser.add_argument(
        "--output-dir",
        "-o",
        metavar="DIR",
        type=folder,
        default=FOLDER,
        help=f"where runs are stored (default: {FOLDER})",
    )
    parser.add_argument("--label", default="", help="a name for the run (default: its time)")
    parser.add_argument("--commit", help="the commit that was tested (default: the one checked out here)")


def run(parser: argparse.ArgumentParser, arguments: argparse.Namespace, command: Sequence[str]) -> int:
    """Exit code 0, or an error where there is nothing to store. Raises ProfgateError."""
    if bool(command) != bool(arguments.repeat):
        parser.error("--repeat goes with a COMMAND behind --, and a COMMAND with --repeat; give both, or neither")
    if bool(arguments.files) == bool(command):
        parser.error("give RESULTS of a run, or a COMMAND behind -- that makes them")
    if arguments.results and not command:
        parser.error("--results goes with a COMMAND; name the files without it")
    commit = arguments.commit if arguments.commit is not None else head_commit()
    for number in range(1, (arguments.repeat or 1) + 1):
        moment = datetime.now(UTC).isoformat(timespec="microseconds")
        label = arguments.label or moment
        if command:
            label = f"{label} ({number} of {arguments.repeat})"
            sys.stdout.write(f"run {number} of {arguments.repeat}: {' '.join(command)[:200]}\n")
            sys.stdout.flush()
            _store(_repetition(command, arguments, (label, commit, moment)), arguments.output_dir)
        else:
            _store(run_at(arguments.files, label, commit, moment), arguments.output_dir)
    return 0


def _repetition(command: Sequence[str], arguments: argparse.Namespace, facts: tuple[str, str, str]) -> DurationRun:
    """Runs the command once and reads what it left; ``facts`` are the label, the commit and the time."""
    with tempfile.TemporaryDirectory(prefix="profgate-ranks-") as scratch:
        out = Path(scratch, "results")
        out.mkdir()
        before = _written(place for place in arguments.results or () if Path(place).exists() or has_magic(place))
        values = {"out": str(out)}
        outcome = run_command(
            filled(command, values),
            folder=".",
            environment=os.environ | variables(values),
            log=str(Path(scratch, "log")),
            timeout=arguments.timeout,
        )
        if outcome.problem and not arguments.keep_failed:
            raise ProfgateError("COMMAND", f"{outcome.problem}; fix it, or add --keep-failed to store such a run too")
        if not arguments.results and not sources_under(str(out)):
            what = "left nothing below $PROFGATE_OUT; let it write its results there, or name them with --results"
            raise ProfgateError("COMMAND", what)
        for path, moment in _written(arguments.results or ()).items():
            if before.get(path) == moment:
                raise ProfgateError(path, "was there before COMMAND and is no result of it; remove it, or name others")
        return run_at(arguments.results or [str(out)], *facts)


def _written(places: Iterable[str]) -> dict[str, int]:
    """When each of the files was written, in nanoseconds."""
    found = (source.path for place in places for source in sources_under(place))
    return {path: Path(path).stat().st_mtime_ns for path in found if path is not None}


def _store(run: DurationRun, output_dir: str) -> None:
    text = durations_to_json(run)
    stamp = run.recorded.translate({ord("-"): None, ord(":"): None}).partition(".")[0]
    parts = [stamp, run.commit[:8], hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:6]]
    place = str(Path(output_dir, "-".join(filter(None, parts)) + ".json"))
    write_text(place, text)
    sys.stdout.write(f"stored {counted(len(run.values), 'duration')} in {place}\n")
