"""The command ``profgate replay``, which judges stored reports again under another policy."""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from decimal import Decimal
from functools import partial
from typing import Any

import click

from profgate.cli import options as opt
from profgate.decide.judge.replayed import FLOORS, Candidate, floors_of, replayed
from profgate.errors import ProfgateError, SettingsError
from profgate.io.executors import executor_named, results_of
from profgate.io.files import read_text, sources_under
from profgate.loading import strategy_options
from profgate.model.policy import Policy
from profgate.model.record import Record, replace
from profgate.model.report import Verdict
from profgate.model.visible_text import name_text, visible
from profgate.report.json_report import LARGEST_REPORT, REPORT_NAME, from_json
from profgate.report.markdown_text import limited
from profgate.report.text_table import aligned
from profgate.settings.config_file import KEYS, read_policy

MOST_STEPS = 100
CONCLUSIONS = ("fail", "warn", "inconclusive", "not_compared", "pass")
HEADINGS = ("policy", "fails", "review", "inconclusive", "not compared", "passed", "which fail")
# fields that act before a report is judged, so that its contents depend on them
BEFORE = ("ignore", "aliases", "carry", "machines", "owners", "own_baseline", "drift")
RANGE = re.compile(r"(\d{1,6}(?:\.\d{1,6})?)\.\.(\d{1,6}(?:\.\d{1,6})?)")


class Replayed(Record):
    """A report's name and verdicts: the stored one, and one for each candidate. ``error`` explains why it has none."""

    name: str
    verdicts: tuple[Verdict, ...] = ()
    error: str = ""


@opt.command(
    "profgate replay --policy stricter.yml reports/",
    "profgate replay --sweep fail-on=severe,degradation,maybe reports/",
    "profgate replay --sweep tot.floor=0.02..0.10 reports/*/report.json",
)
@click.argument("reports", nargs=-1, required=True, type=opt.PROFILES, metavar="REPORT...")
@click.option("--policy", "config", type=opt.FILE, metavar="FILE", help="Policy, as in .github/profgate.yml.")
@click.option(
    "--sweep",
    metavar="KEY=VALUES",
    help="Compare values of a policy key, or of METHOD.OPTION: A,B,C or FIRST..LAST in steps of the last digit.",
)
@opt.executor_option
def replay(reports: tuple[str, ...], config: str | None, sweep: str | None, executor: str | None) -> int:
    """Judge stored reports again under another policy, and count which would have failed.

    Each REPORT is a report.json, or a folder that contains any number of them. Without --policy, a sweep changes one
    key of the policy under which each report was judged. Reports of another format are named and left out.
    """
    candidates = _candidates(config, sweep)
    found = (
        source
        for place in reports
        for source in sources_under(place)
        if source.name.endswith(REPORT_NAME) or place.endswith(source.name)  # a file of any name may be given
    )
    texts = ((one.name, one.read(LARGEST_REPORT + 1).decode("utf-8", "replace")) for one in found)
    tasks = (partial(_judged, *text, candidates) for text in texts)
    with executor_named(executor) if executor else nullcontext() as started:
        results = [task() for task in tasks] if started is None else list(results_of(tasks, started))
    judged = [result for result in results if result.verdicts]
    left_out = [f"left out: {visible(result.error)}" for result in results if result.error]
    if not judged:
        raise ProfgateError("REPORT", "\n".join(["there is no report to judge", *left_out]))
    names = ["as judged", *(candidate.name for candidate in candidates)]
    rows = [(name, *_counts(judged, place)) for place, name in enumerate(names)]
    lines = aligned([HEADINGS, *rows], opt.width(), name=6, right=range(1, 6))
    if sweep is None:
        (_, failed, *_, which), (_, would, review, *_, which_would) = rows
        compared = (
            f"this policy would have failed {would}{f' ({which_would})' * bool(which_would)} and reviewed {review}"
        )
        present = f"the present one failed {failed}{f' ({which})' * bool(which)}"
        lines = [f"Of {len(judged)} reports, {compared}; {present}.", "", *lines]
    sys.stdout.write("".join(f"{line}\n" for line in (*lines, *_notes(candidates[0].policy), *left_out)))
    return 0


def _counts(judged: Sequence[Replayed], place: int) -> Iterator[str]:
    """Yield the numbers of reports with each conclusion, and the names of those that fail."""
    verdicts = [one.verdicts[place] for one in judged]
    counts = Counter[str]("fail" if verdict.fails else verdict.conclusion for verdict in verdicts)
    yield from (str(counts[conclusion]) for conclusion in CONCLUSIONS)
    failed = (name_text(one.name, 40) for one, verdict in zip(judged, verdicts, strict=True) if verdict.fails)
    yield ", ".join(limited(list(dict.fromkeys(failed)), 10, "report", ""))


def _notes(policy: Policy | None) -> Iterator[str]:
    """Yield a line on what a policy contains that only a new comparison applies."""
    if policy is not None:
        unlike = [part.replace("_", "-") for part in BEFORE if getattr(policy, part) != getattr(Policy(), part)]
        others = [f"degradation: {rule.method}" for rule in policy.rules if rule.keys or rule.options.keys() - FLOORS]
        if unlike or others:
            yield f"not judged again, because they act before a report is written: {', '.join([*unlike, *others])}"


def _candidates(config: str | None, sweep: str | None) -> list[Candidate]:
    """Return the policies of a file, or those of a sweep. Raises SettingsError."""
    policy = None if config is None else _policy(read_text(config), config)
    if sweep is None:
        if policy is None:
            raise SettingsError("replay", "needs another policy: give --policy FILE, or --sweep KEY=VALUES")
        return [Candidate("this policy", policy)]
    key, _, text = sweep.partition("=")
    candidates = []
    for value in _values(text):
        if method := key.rpartition(".")[0]:
            rule = f"{{method: {method}, options: {{{key.rpartition('.')[2]}: {value}}}}}"
            found = _policy(f"degradation: {{strategies: [{rule}]}}", "--sweep")
            if not all(map(floors_of, found.rules)):
                raise SettingsError("--sweep", f"{key} acts before a report is judged; compare the profiles again")
            changed: dict[str, Any] = {"rules": (*(policy.rules if policy else ()), *found.rules)}
        else:
            field = KEYS.get(key, "")
            changed = {field: getattr(_policy(f"gate: {{{key}: {value}}}", "--sweep"), field, None)}
            if field in BEFORE:
                raise SettingsError("--sweep", f"{key} acts before a report is judged; compare the profiles again")
        candidates.append(Candidate(f"{key}={value}", policy, changed))
    return candidates


def _policy(text: str, name: str) -> Policy:
    # the default of this key depends on the event, so a policy without it has the value that each report states
    return read_policy(text, name, strategy_options(), replace(Policy(), on_not_compared=None))


def _values(text: str) -> list[str]:
    """Return the values of a sweep: those of a list, or all numbers of a range in steps of its last digit."""
    found = RANGE.fullmatch(text)
    if found is None:
        return text.split(",")
    first, last = map(Decimal, found.groups())
    step = Decimal(1).scaleb(min(int(number.as_tuple().exponent) for number in (first, last)))
    count = int((last - first) / step) + 1
    if not 0 < count <= MOST_STEPS:
        raise SettingsError("--sweep", f"{text} has {count} values; use 1 to {MOST_STEPS}")
    return [str(first + number * step) for number in range(count)]


def _judged(name: str, text: str, candidates: Sequence[Candidate]) -> Replayed:
    try:
        report = from_json(text, name)
    except ProfgateError as error:
        return Replayed(name, error=str(error))
    label = report.target.label if report.target.label.startswith("#") else name
    return Replayed(label, (report.verdict, *(replayed(report, one).verdict for one in candidates)))
