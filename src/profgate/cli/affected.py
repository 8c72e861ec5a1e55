"""The command profgate affected."""

import json
import sys

import click

from profgate.attribution.affected import Change
from profgate.cli import options as opt
from profgate.compare.readings import recorded_of
from profgate.errors import ProfgateError
from profgate.history.history_store import open_history
from profgate.io.git import commit_hash, is_shallow, merge_base
from profgate.io.terminal import show
from profgate.io.worktrees import source_patch
from profgate.loading import load_diff, parsed_diff, repository_sources
from profgate.model.history import Recorded
from profgate.model.reason import Reason, ReasonCode
from profgate.model.visible_text import name_text
from profgate.report.wording import reason_text
from profgate.source_parsing import changed_functions


@opt.command("profgate affected origin/main", "profgate affected origin/main parse render --format matrix")
@click.argument("base")
@click.argument("workloads", nargs=-1)
@click.option("--diff", type=opt.FILE, metavar="FILE", help="Unified diff of the change (default: git's from BASE).")
@opt.history_option
@opt.format_option("terminal", "json", "matrix")
def affected(base: str, workloads: tuple[str, ...], diff: str | None, history: str, output: str) -> int:
    """Show which workloads the change since BASE can reach, so that a job records only these.

    The change is the difference between HEAD and the commit where it left BASE. WORKLOADS are added to those that the
    history contains at this commit. A workload is left out only if its functions in the history and the imports of the
    sources prove that the change cannot reach it. The comparison decides this again.
    """
    start = merge_base(commit_hash(base), "HEAD")
    recorded = _recorded_at(start, history)
    names = sorted({*workloads, *recorded})
    if not names:
        what = f"are unknown, because the history has no run of {start[:12]}; name them after {base}"
        raise ProfgateError("WORKLOADS", what)
    source = load_diff(diff) if diff else parsed_diff(source_patch(".", start, "HEAD"), "git diff")
    change = Change(source, changed_functions(source), repository_sources)
    reasons: dict[str, Reason | None] = {}
    for name in names:
        if is_shallow():
            reasons[name] = Reason(ReasonCode.AFFECTED, {"case": "shallow"})
        elif name not in recorded:
            reasons[name] = Reason(ReasonCode.AFFECTED, {"case": "not_recorded"})
        else:
            reasons[name] = change.reaching(recorded[name])
    if output == "terminal":
        show("\n".join(_line(name, reason) for name, reason in reasons.items()), sys.stdout)
        return 0
    if output == "matrix":  # a matrix of GitHub must not be empty
        chosen = [name for name, reason in reasons.items() if reason is not None] or names[:1]
        document: dict[str, object] = {"include": [{"workload": name} for name in chosen]}
    else:
        found = [
            {"workload": name, "affected": reason is not None, "reason": reason and reason_text(reason, str)}
            for name, reason in reasons.items()
        ]
        document = {"base": start, "workloads": found}
    sys.stdout.write(json.dumps(document) + "\n")
    return 0


def _recorded_at(commit: str, history: str) -> dict[str, Recorded]:
    """Return the functions of each workload that the history contains for a commit; empty without a history."""
    try:
        with open_history(history) as store:
            readings = list(store.readings(commits=[commit]))
    except ProfgateError as error:
        sys.stderr.write(f"profgate: {error}\n")
        return {}
    found = {}
    for name in {reading.series.workload for reading in readings}:
        own = [reading for reading in readings if reading.series.workload == name]
        columns = [column for reading in own for column in reading.columns]
        found[name] = recorded_of(columns, truncated=any(reading.facts.truncated for reading in own))
    return found


def _line(name: str, reason: Reason | None) -> str:
    shown = name_text(name, 60)
    return f"{shown}: not affected" if reason is None else f"{shown}: affected, {reason_text(reason, name_text)}"
