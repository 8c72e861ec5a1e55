"""``profgate explain-name NAME...``: what becomes of a frame's name, by which rule and why."""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Sequence
from typing import get_args

from profgate import wiring
from profgate.cli.sides_options import file, policy_of
from profgate.errors import ProfileError
from profgate.io.files import sources_under
from profgate.model.frame_names import REASONS, Level, NameStep, steps_of
from profgate.model.name_aliases import Aliases
from profgate.model.visible_text import visible

SHOWN = 40  # names of a file that are told
SUFFIXES = (".folded", ".txt", ".json", ".prof", ".pstats", ".pprof", ".gz")  # who writes these means a profile


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="profgate explain-name", description=__doc__.replace("`", ""))
    parser.add_argument("names", metavar="NAME", nargs="+", help="a frame as the profile gives it, or a profile")
    parser.add_argument("--config", metavar="FILE", type=file, help="configuration file, for its rules and aliases")
    parser.add_argument("--level", choices=get_args(Level), help="rules to apply (default: as configured, else safe)")
    parser.add_argument("--native", action="store_true", help="the frame is machine code, as perf records it")
    parser.add_argument("--root", action="store_true", help="the frame stands for a process or a thread")
    return parser.parse_args(argv)


def run(argv: Sequence[str]) -> int:
    """Prints the steps of each name. Raises ProfgateError for a file that cannot be read."""
    arguments = _arguments(argv)
    policy = policy_of(arguments.config)
    level: Level = arguments.level or policy.name_rules
    for name in arguments.names:
        if os.path.isfile(name):  # noqa: PTH113 - a question, not a path
            sys.stdout.writelines(_of_file(name, level, policy.aliases))
        else:
            if name.endswith(SUFFIXES):
                sys.stderr.write(f"{visible(name)} is no file here, so it is taken for a frame's name\n")
            steps, key = steps_of(name, level, policy.aliases, native=arguments.native, root=arguments.root)
            sys.stdout.writelines(_told(name, steps, key.name, key.file, key.line))
    return 0


def _told(name: str, steps: Sequence[NameStep], key: str, of_file: str | None, line: int | None) -> list[str]:
    lines = [f"{visible(name)}\n"]
    lines += [f"  {step.code:<7} {visible(step.after)}\n          {REASONS[step.code]}\n" for step in steps]
    where = f"  file: {visible(of_file)}" if of_file else ""
    where += f"  line: {line} (shown, never compared)" if line is not None else ""
    return [*lines, f"  key:    {visible(key)}{where}\n"]


def _of_file(path: str, level: Level, aliases: Aliases) -> list[str]:
    """How often each rule changed a name of the profiles of a file, and the first names that it changed."""
    hits: Counter[str] = Counter()
    shown: list[str] = []
    names: dict[str, bool] = {}
    for profile in wiring.read_all(sources_under(path)):
        if isinstance(profile, ProfileError):
            raise profile
        names |= dict.fromkeys(profile.frames.names, profile.facts.format == "perf")
    for name, native in names.items():
        steps, key = steps_of(name, level, aliases, native=native)
        hits.update({step.code for step in steps})
        if any(step.code != "file" for step in steps) and len(shown) < SHOWN:
            by = " ".join(dict.fromkeys(step.code for step in steps))
            where = f" ({visible(key.file)})" if key.file else ""
            shown.append(f"  {visible(name)}\n    -> {visible(key.name)}{where}  [{by}]\n")
    told = [f"  {code:<7} {count:>7,}  {REASONS[code]}\n" for code, count in hits.most_common()]
    return [f"{visible(path)}: {len(names):,} names, rules of level {level}\n", *told, *shown]
