"""``profgate compare BASELINE TARGET``: the report of two sides, its files and the gate's exit code."""

import argparse
import hashlib
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace

from profgate import wiring
from profgate.cli.sides_options import add_diff, add_sides, file, folder, pipeline_input, policy_of, sources_of
from profgate.cli.stored_sides import FOLDER, newest_past, stored_input, stored_name
from profgate.flamegraph.page import IndexRow, build_index
from profgate.history.history_store import open_history
from profgate.io.files import write_text
from profgate.io.terminal import reading, show
from profgate.model.links import Links
from profgate.model.policy import FAIL_ON_ORDER, Policy
from profgate.model.reason import Parameter, Reason, ReasonCode
from profgate.model.report import Document
from profgate.model.source import SourceFile
from profgate.pipeline import Built, PipelineInput
from profgate.report.comment import render_comment
from profgate.report.csv_report import to_csv
from profgate.report.json_report import to_json
from profgate.report.terminal_report import terminal_lines

FORMATS = ("terminal", "json", "markdown", "csv")


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="profgate compare", description=__doc__.replace("`", ""))
    add_sides(parser, target="?")
    parser.add_argument("--config", metavar="FILE", type=file, help="configuration file, like .github/profgate.yml")
    parser.add_argument("--strategy", action="append", metavar="NAME", help="only this strategy (repeatable)")
    parser.add_argument("--format", choices=FORMATS, default="terminal", help="what is printed (default: terminal)")
    parser.add_argument(
        "--output-dir", "-o", metavar="DIR", type=folder, help="write comment.md, report.json and the pages here"
    )
    parser.add_argument("--fail-on", choices=FAIL_ON_ORDER, help="severity that fails (default: degradation)")
    parser.add_argument(
        "--interleaved",
        action="store_true",
        help="the runs of both sides were recorded in turns: the total may fail too",
    )
    add_diff(parser)
    parser.add_argument(
        "--history",
        metavar="DIR",
        type=folder,
        help=f"folder of the history, for sides named REV:WORKLOAD (default: {FOLDER}); of files it tells the noise",
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="show unchanged rows too")
    return parser.parse_args(argv)


def _comment(built: Built) -> Document:
    """The comment as a pull request would get it, its links leading to the pages beside it."""
    pages = {(page.workload, page.metric): page.document.name for page in built.pages}
    return render_comment(built.report, links=Links(pages=pages, index="index.html" if pages else None))


def _documents(built: Built) -> list[Document]:
    """Everything the output folder gets: the comment, the report, the pages and their index."""
    documents = [_comment(built), Document("report.json", "application/json", to_json(built.report))]
    documents += [page.document for page in built.pages]
    if built.pages:
        rows = [IndexRow(page.document.name, page.workload, page.metric) for page in built.pages]
        documents.append(Document("index.html", "text/html", build_index(rows)))
    return documents


def _text(built: Built, chosen: str) -> str:
    if chosen == "json":
        return to_json(built.report)
    if chosen == "csv":
        return to_csv(built.report)
    return _comment(built).text


def _sides(arguments: argparse.Namespace, policy: Policy) -> PipelineInput:
    """Both sides; with a history their noise comes from there too."""
    names = (arguments.baseline, arguments.target)
    stored = not arguments.difference and names[1] is not None and any(map(stored_name, names))
    if not stored and arguments.history is None:
        return pipeline_input(*names, policy, difference=arguments.difference)
    with open_history(arguments.history or FOLDER) as store:
        if stored:
            given = stored_input(*names, store, policy)
        else:
            given = pipeline_input(*names, policy, difference=arguments.difference)
            given = replace(given, past=newest_past(store))
        past = given.past
        if past is None:
            return given
        held = {key: past(key) for key in {one.key for one in store.series()}}
    return replace(given, past=lambda key: held.get(key, ()))


def _same_files(given: PipelineInput) -> bool:
    """Whether both sides hold the same bytes, whatever their files are called; readings of a history hold none."""
    sides = (given.baseline, given.target)
    sizes = [sorted(source.size for source in side) for side in sides]
    if sizes[0] != sizes[1] or any(source.profile is not None for side in sides for source in side):
        return False
    digests = [sorted(_digest(source) for source in side) for side in sides]
    return digests[0] == digests[1]


def _digest(source: SourceFile) -> bytes:
    with source.open(0, None) as stream:
        digest = hashlib.sha256()
        while block := stream.read(1 << 20):
            digest.update(block)
        return digest.digest()


def run(argv: Sequence[str]) -> int:
    """Exit code: 0 passed or advisory, 1 the gate failed, 3 something was not. Raises ProfgateError."""
    arguments = _arguments(argv)
    policy = policy_of(arguments.config, arguments.fail_on)
    given = replace(_sides(arguments, policy), diff=sources_of(arguments))
    given = replace(given, interleaved=arguments.interleaved)
    if arguments.embed_source:
        given = replace(given, policy=replace(given.policy, embed_source=arguments.embed_source))
    strategies = tuple(arguments.strategy) if arguments.strategy else None
    with reading(sys.stderr, sum(source.size for source in (*given.baseline, *given.target))) as progress:
        built = wiring.compare(replace(given, strategies=strategies, verbose=arguments.verbose), progress=progress)
    if not arguments.difference and _same_files(given):
        sides: dict[str, Parameter] = {"baseline": arguments.baseline, "target": arguments.target}
        warnings = (*built.report.warnings, Reason(ReasonCode.SAME_FILES, sides))
        built = replace(built, report=replace(built.report, warnings=warnings))
    if arguments.output_dir:
        for document in _documents(built):
            write_text(os.path.join(arguments.output_dir, document.name), document.text)  # noqa: PTH118 - doors pass plain paths
    if arguments.format == "terminal":
        columns = shutil.get_terminal_size((100, 24)).columns
        show(terminal_lines(built.report, verbose=arguments.verbose, width=columns), sys.stdout)
    else:
        sys.stdout.write(_text(built, arguments.format))
    return built.report.verdict.exit_code
