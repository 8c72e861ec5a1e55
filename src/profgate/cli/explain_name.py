"""The ``profgate explain-name`` command."""

import os
import sys
from collections import Counter
from collections.abc import Iterator
from typing import get_args

import click

from profgate import api
from profgate.cli.options import Choice, command, config_option
from profgate.model.frame_names import Level, steps_of
from profgate.model.name_aliases import Aliases
from profgate.model.policy import Policy
from profgate.model.visible_text import visible

MOST_SHOWN = 40  # maximum number of names shown per file
PROFILE_SUFFIXES = (".folded", ".txt", ".json", ".prof", ".pstats", ".pprof", ".gz")

NAME_REASONS = {  # why a name is changed, keyed by the code of the rule
    "alias": "the configuration file calls it so",
    "R1": "lines move with every change above them",
    "J1": "the JVM numbers lambdas and hidden classes anew in every run",
    "J2": "the JVM numbers the accessors of reflection",
    "J3": "method handles carry an address of the run",
    "J4": "proxies are numbered in the order in which they are made",
    "J5": "compiled and interpreted code is one method",
    "C2": "an offset is a place in the code, not its name",
    "C1": "the compiler's copies of a function are that function",
    "C3": "the compiler numbers local copies of native functions",
    "S1": "the hash of a Rust symbol differs between builds",
    "S2": "the hash of a crate differs between builds",
    "G1": "the version of a Go module is no part of the function",
    "W1": "bundlers put a hash of the content into file names",
    "P1": "the same library serves several versions of the interpreter",
    "P2": "the folder of a checkout, home, package or machine is no part of the file",
    "T1": "processes and threads are numbered in the order in which they start",
    "A1": "addresses differ between runs",
    "L1": "arguments of templates and generics are left out (loose)",
    "L2": "closures are numbered by their place (loose)",
    "file": "the file is separated from the name",
    "unknown": "nothing is left of it",
}


@command("profgate explain-name 'std::vector<int>::push_back(int&&)'", "profgate explain-name --level loose a.folded")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@config_option
@click.option("--level", type=Choice(get_args(Level)), help="Rules to apply (default: as configured, or safe).")
@click.option("--native", is_flag=True, help="The frame is machine code, as perf records it.")
@click.option("--root", is_flag=True, help="The frame represents a process or a thread.")
def explain_name(names: tuple[str, ...], policy: Policy, level: Level | None, *, native: bool, root: bool) -> int:
    """Show how a function name is normalised for comparison, and which rules apply.

    NAME is the name of a frame in a profile, or a profile file. For a file, the changed names are counted by rule.
    """
    level = level or policy.name_rules
    for name in names:
        if os.path.isfile(name):  # noqa: PTH113 - the path is a string
            sys.stdout.writelines(_file_lines(name, level, policy.aliases))
            continue
        if name.endswith(PROFILE_SUFFIXES):
            sys.stderr.write(f"profgate: there is no file {visible(name)}, so it is explained as the name of a frame\n")
        steps, key = steps_of(name, level, policy.aliases, native=native, root=root)
        sys.stdout.write(f"{visible(name)}\n")
        for step in steps:
            sys.stdout.write(f"  {step.code:<7} {visible(step.after)}\n          {NAME_REASONS[step.code]}\n")
        file = f"  file: {visible(key.file)}" if key.file else ""
        line = f"  line: {key.line} (shown, never compared)" if key.line is not None else ""
        sys.stdout.write(f"  key:    {visible(key.name)}{file}{line}\n")
    return 0


def _file_lines(path: str, level: Level, aliases: Aliases) -> Iterator[str]:
    """Yield lines that show how many names in a file each rule changed, followed by the first changed names."""
    counts: Counter[str] = Counter()
    shown: list[str] = []
    names: dict[str, bool] = {}
    for profile in api.read(path):
        names |= dict.fromkeys(profile.frames.names, profile.facts.format == "perf")
    for name, native in names.items():
        steps, key = steps_of(name, level, aliases, native=native)
        counts.update({step.code for step in steps})
        if any(step.code != "file" for step in steps) and len(shown) < MOST_SHOWN:
            rules = " ".join(dict.fromkeys(step.code for step in steps))
            file = f" ({visible(key.file)})" if key.file else ""
            shown.append(f"  {visible(name)}\n    -> {visible(key.name)}{file}  [{rules}]\n")
    yield f"{visible(path)}: {len(names):,} names, rules of level {level}\n"
    yield from (f"  {code:<7} {count:>7,}  {NAME_REASONS[code]}\n" for code, count in counts.most_common())
    yield from shown
