"""The ``profgate check`` command."""

import sys

import click

from profgate.cli import options as opt
from profgate.history.checks import checks_json, checks_lines
from profgate.history.history_store import open_history
from profgate.history.stored_sides import checks_at
from profgate.io.terminal import progress, show
from profgate.model.policy import Policy, with_strategies
from profgate.pipeline import PipelineInput


@opt.command("profgate check", "profgate check v1.2 --fail-on severe", "profgate check --all --last 20")
@click.argument("rev", default="HEAD")
@click.option("--all", "every", is_flag=True, help="Check REV and every measured commit before it.")
@opt.last_option(50, "Use with --all. ")  # each check can take seconds
@opt.history_option
@opt.policy_options
@opt.strategies_option
@opt.format_option("terminal", "json")
@opt.verbose_option("Show the results of each strategy, including unchanged rows.")
def check(
    rev: str,
    last: int,
    history: str,
    policy: Policy,
    strategies: tuple[str, ...],
    output: str,
    *,
    every: bool,
    verbose: bool,
) -> int:
    """Compare the stored profiles of commit REV (default: HEAD) with those of its nearest comparable ancestor.

    The exit code is 0 if the gate passed or is only advisory, 1 if the gate failed, and 3 if something was not
    compared.
    """
    with open_history(history) as store, progress(sys.stderr) as step:
        given = PipelineInput((), (), policy=with_strategies(policy, strategies), verbose=verbose, pages=0)
        checks = checks_at(store, rev, last if every else None, given, step)
    if output == "json":
        sys.stdout.write(checks_json(checks))
    else:
        show(checks_lines(checks, verbose=verbose, width=opt.width()), sys.stdout)
    return checks.exit_code
