"""``profgate report merge REPORT...``: reports of several legs become one, judged as if one job had compared all."""

import argparse
import posixpath
import shutil
import sys
from collections.abc import Sequence
from pathlib import PurePath

from profgate.cli.sides_options import file, folder, policy_of
from profgate.errors import SettingsError
from profgate.io.files import exists, read_text, write_text
from profgate.io.terminal import show
from profgate.judge.shards import Shard, merge_reports
from profgate.model.links import Links
from profgate.model.policy import FAIL_ON_ORDER
from profgate.report.comment import render_comment
from profgate.report.csv_report import to_csv
from profgate.report.json_report import REPORT_NAME, from_json, to_json
from profgate.report.links_json import LINKS_NAME, links_from_json, links_to_json
from profgate.report.terminal_report import terminal_lines

FORMATS = ("terminal", "json", "markdown", "csv")
LARGEST = 64 << 20  # bytes of a report


def run(argv: Sequence[str]) -> int:
    """Exit code: 0 passed or advisory, 1 the gate failed, 3 something was not. Raises ProfgateError."""
    arguments = _arguments(argv)
    policy = policy_of(arguments.config, arguments.fail_on)
    report, links = merge_reports(_legs(arguments.reports), policy)
    comment = render_comment(report, links=links)
    if arguments.output_dir:
        documents = {comment.name: comment.text, REPORT_NAME: to_json(report), LINKS_NAME: links_to_json(links)}
        for name, text in documents.items():
            write_text(posixpath.join(arguments.output_dir, name), text)
    if arguments.format == "terminal":
        columns = shutil.get_terminal_size((100, 24)).columns
        show(terminal_lines(report, verbose=arguments.verbose, width=columns), sys.stdout)
    else:
        texts = {"json": to_json(report), "csv": to_csv(report), "markdown": comment.text}
        sys.stdout.write(texts[arguments.format])
    return report.verdict.exit_code


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="profgate report", description=__doc__.replace("`", ""))
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    merge = actions.add_parser("merge", help="one report of several", description=__doc__.replace("`", ""))
    merge.add_argument(
        "reports", nargs="+", type=file, metavar="REPORT", help="report.json files; links.json is read from beside them"
    )
    merge.add_argument("--config", metavar="FILE", type=file, help="configuration file, like .github/profgate.yml")
    merge.add_argument("--format", choices=FORMATS, default="terminal", help="what is printed (default: terminal)")
    merge.add_argument(
        "--output-dir", "-o", metavar="DIR", type=folder, help="write comment.md, report.json and links.json here"
    )
    merge.add_argument("--fail-on", choices=FAIL_ON_ORDER, help="severity that fails (default: degradation)")
    merge.add_argument("-v", "--verbose", action="store_true", help="show unchanged rows too")
    return parser.parse_args(argv)


def _legs(places: Sequence[str]) -> list[Shard]:
    """A leg for each file, named by the shortest end of its path that tells it from the others."""
    if len(set(places)) < len(places):
        raise SettingsError("REPORT", "a file is given twice; give each report once")
    return [
        Shard(name, from_json(read_text(place, LARGEST), place), _links(place))
        for place, name in _names(places).items()
    ]


def _names(places: Sequence[str]) -> dict[str, str]:
    parts = {place: _telling(place) for place in places}
    for length in range(1, max(map(len, parts.values())) + 1):
        names = {place: "/".join(part[-length:]) for place, part in parts.items()}
        if len(set(names.values())) == len(places):
            return names
    return {place: place for place in places}


def _telling(place: str) -> tuple[str, ...]:
    """The parts of a path without its extension, and without the name that every report has."""
    path = PurePath(place)
    parts = path.parts[:-1] if path.name == REPORT_NAME else (*path.parts[:-1], path.stem)
    return parts or (path.stem,)


def _links(place: str) -> Links:
    beside = posixpath.join(posixpath.dirname(place), LINKS_NAME)
    return links_from_json(read_text(beside, LARGEST), beside) if exists(beside) else Links()
