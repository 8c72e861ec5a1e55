"""``profgate check [REV]``: a commit's stored profiles against those of its nearest ancestor measured the same way."""

import argparse
import shutil
import sys
from collections.abc import Sequence

from profgate import wiring
from profgate.cli.sides_options import file, policy_of
from profgate.cli.stored_sides import add_history, add_last, commit_named, graph_before, past_before
from profgate.errors import ProfgateError
from profgate.history.ancestry import ancestors, in_order, nearest, reduced
from profgate.history.checks import Check, Checks, checks_json, checks_lines
from profgate.history.false_alarms import with_false_alarms
from profgate.history.history_store import HistoryStore, open_history
from profgate.history.stored_profiles import stored_sides
from profgate.io.terminal import show
from profgate.model.history import StoredCommit
from profgate.model.policy import FAIL_ON_ORDER, Policy
from profgate.model.report import Side
from profgate.pipeline import PipelineInput

FORMATS = ("terminal", "json")
LAST = 50  # commits that --all checks: one with 50 workloads takes seconds
Graph = dict[str, StoredCommit]


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="profgate check", description=__doc__.replace("`", ""))
    parser.add_argument("rev", metavar="REV", nargs="?", default="HEAD", help="the commit to check (default: HEAD)")
    parser.add_argument("--all", action="store_true", help="check REV and every measured commit before it")
    add_last(parser, LAST, "with --all: ")
    add_history(parser)
    parser.add_argument("--config", metavar="FILE", type=file, help="configuration file, like .github/profgate.yml")
    parser.add_argument("--strategy", action="append", metavar="NAME", help="only this strategy (repeatable)")
    parser.add_argument("--format", choices=FORMATS, default="terminal", help="what is printed (default: terminal)")
    parser.add_argument("--fail-on", choices=FAIL_ON_ORDER, help="severity that fails (default: degradation)")
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="show what each strategy reports, unchanged rows too"
    )
    return parser.parse_args(argv)


def run(argv: Sequence[str]) -> int:
    """Exit code: 0 passed or advisory, 1 the gate failed, 3 something was not compared. Raises ProfgateError."""
    arguments = _arguments(argv)
    policy = policy_of(arguments.config, arguments.fail_on)
    strategies = tuple(arguments.strategy) if arguments.strategy else None
    with open_history(arguments.history) as store:
        checker = _Checker(store, arguments.rev, policy, strategies, verbose=arguments.verbose)
        checks = checker.checks(arguments.last if arguments.all else None)
    if arguments.format == "json":
        sys.stdout.write(checks_json(checks))
    else:
        columns = shutil.get_terminal_size((100, 24)).columns
        show(checks_lines(checks, verbose=arguments.verbose, width=columns), sys.stdout)
    return checks.exit_code


class _Checker:
    """Checks commits against a history."""

    def __init__(
        self, store: HistoryStore, rev: str, policy: Policy, strategies: tuple[str, ...] | None, *, verbose: bool
    ) -> None:
        self.store = store
        self.target = commit_named(rev, store.commits())
        self.graph: Graph = graph_before(self.target, store)
        self.measured = store.measured_commits()
        self.series = {series.key: series for series in store.series()}
        self.policy = with_false_alarms(policy, store.verdicts())
        self.strategies, self.verbose = strategies, verbose

    def checks(self, last: int | None) -> Checks:
        """The check of this commit, or those of the ``last`` measured commits up to it, the oldest first."""
        before = [self.target] if last is None else [commit.sha for commit in ancestors(self.target, self.graph)]
        chosen = in_order(self.graph, [sha for sha in before if sha in self.measured])
        if not chosen:
            where = "at this commit" if last is None else "at this commit or before it"
            raise ProfgateError(
                self.target[:12], f"nothing was measured {where}; add profiles with 'profgate store add'"
            )
        newest = chosen[-(last or 1) :]
        checks, first = list[Check](), list[tuple[str, str]]()
        for sha in newest:
            groups, without = self._baselines(sha)
            checks += [self._check(sha, *baseline, keys) for baseline, keys in sorted(groups.items())]
            first += [(sha, self.series[key].workload) for key in without]
        drawn = {*newest, *(check.baseline for check in checks)} if last is None else newest
        return Checks(tuple(reduced(self.graph, drawn)), tuple(checks), tuple(first), len(chosen) - len(newest))

    def _baselines(self, target: str) -> tuple[dict[tuple[int, str], list[str]], list[str]]:
        """The series by distance and hash of their nearest measured ancestor, and those that have none."""
        groups: dict[tuple[int, str], list[str]] = {}
        without = []
        for key in sorted(self.measured[target]):
            measured = frozenset(sha for sha, keys in self.measured.items() if key in keys)
            found = nearest(target, self.graph, measured)
            if found is None:
                without.append(key)
            else:
                groups.setdefault((found.distance, found.sha), []).append(key)
        return groups, without

    def _check(self, target: str, distance: int, baseline: str, keys: Sequence[str]) -> Check:
        before, after = stored_sides(
            *(
                [one for key in keys for one in self.store.readings(key, [sha], profiles=True)]
                for sha in (baseline, target)
            )
        )
        given = PipelineInput(
            before,
            after,
            policy=self.policy,
            baseline_side=_side(baseline, self.graph, distance - 1),  # the parent stands for nothing but itself
            target_side=_side(target, self.graph),
            strategies=self.strategies,
            verbose=self.verbose,
            pages=0,
            past=past_before(self.store, self.graph, baseline),
        )
        return Check(baseline, target, distance, wiring.compare(given).report)


def _side(sha: str, graph: Graph, distance: int | None = None) -> Side:
    return Side(graph[sha].title[:60] if sha in graph else "", sha, distance=distance)
