"""The entry point of the command line. Only the module of the requested command is imported."""

import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click
from click.shell_completion import CompletionItem, shell_complete

from profgate.errors import ProfgateError, did_you_mean
from profgate.version import VERSION

GROUPS = {  # the commands that most people use come first
    "Commands": {
        "init": "Write the workflow and the policy for a repository.",
        "measure": "Measure two commits in turns on this machine: is this branch slower?",
        "compare": "Compare the profiles of two builds and judge the difference.",
        "explain": "Explain the findings of a report: call paths, source lines, reasons, commands.",
        "flamegraph": "Draw one profile, or the difference of two.",
        "confirm": "Measure both commits of a report in turns, and let the new runs decide.",
        "track": "Run benchmarks over versions and show where they changed.",
    },
    "History of a branch": {
        "check": "Compare a commit with its nearest measured ancestor.",
        "trends": "Show persistent changes in totals along the history.",
        "affected": "Show which workloads a change can reach, for a matrix of jobs.",
        "store": "Store the profiles of a commit; list, prune and merge histories.",
    },
    "Other views of profiles": {
        "fold": "Print a profile as folded stacks.",
        "overweight": "Show which functions are responsible for the change of the total.",
        "ranks": "Test whether tests keep their rank by duration.",
        "replay": "Judge stored reports again under another policy.",
        "report": "Merge the reports of several shards.",
        "mcp": "Serve reports, explanations and call paths to an agent (Model Context Protocol).",
        "canary": "Prove that the gate works: make a function slower and require that its check fails.",
        "verify": "Check that a report is the one that its receipt describes.",
    },
    "Reference": {
        "strategies": "Describe the detection strategies.",
        "formats": "Describe the profile formats.",
    },
}
COMMANDS = {name: summary for group in GROUPS.values() for name, summary in group.items()}
# modules that contain several commands; all others have the name of their command
MODULES = {
    "confirm": "measure",
    "report": "compare",
    "mcp": "explain",
    "strategies": "reference",
    "formats": "reference",
}
MODULES |= dict.fromkeys(("check", "trends", "store"), "history") | dict.fromkeys(("fold", "overweight"), "views")
VARIABLE = "_PROFGATE_COMPLETE"  # this variable is set by the shell's completion script


class Commands(click.Group):
    """A command group that suggests the closest match for an unknown command."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the names and whole summaries of the commands."""
        found = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        summaries = [(name, command.get_short_help_str(200)) for name, command in found.items() if command is not None]
        with formatter.section("Commands"):
            formatter.write_dl(summaries)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command named by the first argument. Raises UsageError if the command is unknown."""
        name, names = args[0], self.list_commands(ctx)
        if name not in names and not name.startswith("-") and not ctx.resilient_parsing:
            raise click.UsageError(f"no command {name!r}; {did_you_mean(name, names)}", ctx)
        return super().resolve_command(ctx, args)


class LazyCommands(Commands):
    """The command group of profgate. The module of a command is imported only when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command with this name."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"profgate.cli.{MODULES.get(cmd_name, cmd_name)}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in groups, without importing them."""
        del ctx
        for title, summaries in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl(list(summaries.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands whose names start with this text."""
        found = [CompletionItem(name, help=COMMANDS[name]) for name in COMMANDS if name.startswith(incomplete)]
        return found or super().shell_complete(ctx, incomplete)


@click.group(
    cls=LazyCommands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100, "show_default": True},
    epilog="\b\nExamples:\n  profgate compare baseline/ target/\n  profgate compare --help"
    "\n\n\b\nCompletion in bash (for zsh and fish: zsh_source, fish_source):\n"
    '  eval "$(_PROFGATE_COMPLETE=bash_source profgate)"',
)
@click.version_option(VERSION, message="profgate %(version)s")
def profgate() -> None:
    """Compare profiles of two builds, function by function, and judge the difference.

    The exit code is 0 if the gate passed, 1 if it failed, 2 for invalid input, 3 if something was not compared, and 4
    for an internal error.
    """


def run_command(argv: Sequence[str]) -> int:
    """Run the command named by ``argv`` and return its exit code. Raises ProfgateError if the command fails."""
    if sys.stdout is None:  # a caller that closed standard output needs only the exit code and files
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115 - open until the process ends
    if VARIABLE in os.environ:
        return shell_complete(profgate, {}, "profgate", VARIABLE, os.environ[VARIABLE])
    try:
        code = _invoked(argv)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is not None:  # the error concerns a file, not standard output
            raise
        # Standard output is replaced so that flushing the buffer at exit does not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise ProfgateError("standard output", f"{error.strerror or error}; free some space") from error
    return code


def _invoked(argv: Sequence[str]) -> int:
    """Run the command and return its exit code. ``click.Command.main`` handles signals and closed pipes differently."""
    try:
        with profgate.make_context("profgate", list(argv)) as context:
            return int(profgate.invoke(context) or 0)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        sys.stderr.write(f"{error.format_message()}\n")
        return error.exit_code
    except click.UsageError as error:
        raise _explained(error) from None


def _explained(error: click.UsageError) -> ProfgateError:
    context = error.ctx or click.Context(profgate, info_name="profgate")
    parameter = getattr(error, "param", None)
    where = context.command_path.removeprefix("profgate").strip() or "command line"
    if isinstance(error, click.NoSuchOption):
        names = [name for known in context.command.get_params(context) for name in known.opts if name.startswith("--")]
        what = f"no option {error.option_name}; {did_you_mean(error.option_name, names)}"
    elif isinstance(error, click.BadOptionUsage):
        where, what = error.option_name, error.message.rstrip(".")
    elif isinstance(error, click.MissingParameter):
        what = f"{_shown(parameter)} is missing"
    elif isinstance(error, click.BadParameter) and parameter is not None:
        where, what = _shown(parameter), error.message.rstrip(".")
    else:
        what = error.format_message().rstrip(".")
    return ProfgateError(where, f"{what}\nRun '{context.command_path} --help' for its arguments and options.")


def _shown(parameter: click.Parameter | None) -> str:
    """Return the name of an argument, or the longest name of an option, as displayed in the help."""
    if isinstance(parameter, click.Option):
        return max(parameter.opts, key=len)
    return parameter.human_readable_name if parameter is not None else "an argument"
