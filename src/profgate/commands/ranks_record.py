"""``profgate ranks record``: keeps the durations of a test run as a file, for ``check`` and ``history``.

RESULTS are the files and folders that one run of the tests left. With --repeat, COMMAND runs the tests so often and
leaves its results below the folder that PROFGATE_OUT names ({out} in its words), or where --results says.
"""

import argparse
import hashlib
import os
import sys
import tempfile
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from glob import has_magic

from profgate.adapters.checkout import head_commit
from profgate.adapters.files import sources_under, write_text
from profgate.adapters.processes import run_command
from profgate.commands.inputs import folder, side
from profgate.commands.placeholders import filled, variables
from profgate.commands.rank_inputs import FOLDER, run_at
from profgate.errors import ProfgateError
from profgate.model.durations import DurationRun
from profgate.model.durations_text import durations_to_json
from profgate.report.numbers import counted

MOST_REPEATS = 100


def run(argv: Sequence[str]) -> int:
    """Exit code 0, or an error where there is nothing to keep. Raises ProfgateError."""
    words, command = _split(argv)
    arguments = _arguments(words, command)
    commit = arguments.commit if arguments.commit is not None else head_commit()
    if command:
        for number in range(1, arguments.repeat + 1):
            _keep(_repetition(command, arguments, commit, number), arguments.output_dir)
    else:
        moment = _now()
        _keep(run_at(arguments.results, arguments.label or moment, commit, moment), arguments.output_dir)
    return 0


def _repetition(command: Sequence[str], arguments: argparse.Namespace, commit: str, number: int) -> DurationRun:
    """Runs the command once and reads what it left."""
    moment = _now()
    label = f"{arguments.label or moment} ({number} of {arguments.repeat})"
    sys.stdout.write(f"run {number} of {arguments.repeat}: {' '.join(command)[:200]}\n")
    sys.stdout.flush()
    with tempfile.TemporaryDirectory(prefix="profgate-ranks-") as out:
        left, log = os.path.join(out, "results"), os.path.join(out, "log")  # noqa: PTH118 - doors pass plain paths
        os.mkdir(left)  # noqa: PTH102 - the same
        before = _written(place for place in arguments.results or () if os.path.exists(place) or has_magic(place))  # noqa: PTH110 - a question, not a path
        told = {"out": left}
        outcome = run_command(
            filled(command, told),
            folder=".",
            environment=os.environ | variables(told),
            log=log,
            timeout=arguments.timeout,
        )
        if outcome.problem and not arguments.keep_failed:
            raise ProfgateError("COMMAND", f"{outcome.problem}; mend it, or add --keep-failed to keep such a run too")
        if not arguments.results:
            if not sources_under(left):
                what = "left nothing below $PROFGATE_OUT; let it write its results there, or name them with --results"
                raise ProfgateError("COMMAND", what)
            return run_at([left], label, commit, moment)
        for path, moment_written in _written(arguments.results).items():
            if before.get(path) == moment_written:
                raise ProfgateError(path, "was there before COMMAND and is no result of it; remove it, or name others")
        return run_at(arguments.results, label, commit, moment)


def _written(places: Iterable[str]) -> dict[str, int]:
    """When each of the files was written, in nanoseconds."""
    found = (source.path for place in places for source in sources_under(place))
    return {path: os.stat(path).st_mtime_ns for path in found if path is not None}  # noqa: PTH116 - doors pass plain paths


def _keep(run: DurationRun, output_dir: str) -> None:
    text = durations_to_json(run)
    stamp = run.recorded.translate({ord("-"): None, ord(":"): None}).partition(".")[0]
    parts = [stamp, run.commit[:8], hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:6]]
    place = os.path.join(output_dir, "-".join(filter(None, parts)) + ".json")  # noqa: PTH118 - doors pass plain paths
    write_text(place, text)
    sys.stdout.write(f"kept {counted(len(run.values), 'duration')} in {place}\n")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


def _split(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """Our own words, and those of the command behind ``--``."""
    words = list(argv)
    if "--" not in words:
        return words, []
    place = words.index("--")
    return words[:place], words[place + 1 :]


def _arguments(words: Sequence[str], command: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="profgate ranks record",
        description=__doc__.replace("`", ""),
        usage="%(prog)s [options] RESULTS...\n       %(prog)s [options] [--results GLOB] --repeat 3 -- COMMAND",
    )
    parser.add_argument("files", metavar="RESULTS", nargs="*", type=side, help="files or folders of one run")
    parser.add_argument("--repeat", type=_repeats, metavar="K", help="run COMMAND so often, each time a baseline run")
    parser.add_argument(
        "--results",
        action="append",
        metavar="GLOB",
        type=side,
        help="where COMMAND leaves its results (default: PROFGATE_OUT; repeatable)",
    )
    parser.add_argument(
        "--keep-failed", action="store_true", help="keep runs of COMMAND that failed too (default: an error)"
    )
    parser.add_argument(
        "--timeout", type=float, default=7200.0, metavar="S", help="seconds for one run of COMMAND (default: 7200)"
    )
    parser.add_argument(
        "--output-dir",
        "-o",
        metavar="DIR",
        type=folder,
        default=FOLDER,
        help=f"where runs are kept (default: {FOLDER})",
    )
    parser.add_argument("--label", default="", help="a name for the run (default: its time)")
    parser.add_argument("--commit", help="the commit that was tested (default: the one checked out here)")
    arguments = parser.parse_args(words)
    if bool(command) != bool(arguments.repeat):
        parser.error("--repeat goes with a COMMAND behind --, and a COMMAND with --repeat; give both, or neither")
    if bool(arguments.files) == bool(command):
        parser.error("give RESULTS of a run, or a COMMAND behind -- that makes them")
    if arguments.results and not command:
        parser.error("--results goes with a COMMAND; name the files without it")
    if not command:
        arguments.results = arguments.files
    return arguments


def _repeats(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= MOST_REPEATS):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to {MOST_REPEATS}")
    return int(text)
