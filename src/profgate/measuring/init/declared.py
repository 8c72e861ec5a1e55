"""The files of a repository that declare benchmarks or tests, and the commands that run them."""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from profgate.measuring.init.candidates import PLAIN, Candidate, Kind, spread
from profgate.measuring.init.repository_files import Files

NEVER = "(?!)"


@dataclass(frozen=True, slots=True)
class Declared:
    """Files that declare benchmarks or tests, and the command that runs one of them.

    ``places`` are the patterns of their paths, separated by spaces. Their text contains ``needs`` and not ``without``,
    and ``functions`` matches the names of the benchmarks in it. In ``command`` and ``setup``, ``{path}`` is the file,
    ``{program}`` is the file or, in a package of Python, ``-m`` and the module, ``{name}`` is its name, ``{functions}``
    and ``{words}`` are names of its benchmarks, and ``{option}`` depends on its name.
    """

    places: str
    command: str
    setup: str = ""
    needs: str = ""
    without: str = NEVER
    functions: str = NEVER
    kind: Kind = Kind.BENCHMARK
    timed: bool = False


def declared(
    language: str,
    rows: Sequence[Declared],
    files: Files,
    folder: str,
    prepared: Callable[[str, str], tuple[str, ...]],
    options: Mapping[str, str],
) -> Iterator[Candidate]:
    """Return a command for each file in a folder that fits a row. Only the first row that fits a file counts.

    ``prepared`` returns the lines of a setup for the text of the row and the file.
    """
    here, seen = files.inside(folder), set[str]()
    for row in rows:
        paths = {path for place in row.places.split() for path in here.listed(place) if PLAIN.fullmatch(path)}
        for path in sorted(paths - seen, key=lambda path: (path.count("/"), path)):
            text, name = here.read(path), PurePosixPath(path.removesuffix("/main.rs")).stem
            if re.search(row.without, text, re.MULTILINE) or not re.search(row.needs, text, re.MULTILINE):
                continue
            seen.add(path)
            functions = re.findall(row.functions, text, re.MULTILINE)
            values = {"path": shlex.quote(path), "name": shlex.quote(name), "program": _program(here, path)}
            values |= {"functions": "|".join(spread(functions)), "words": " ".join(spread(functions))}
            values["option"] = options.get(name, "")
            command, setup = row.command.format(**values), prepared(row.setup.format(**values), path)
            size = len(functions)
            yield Candidate(language, command, path, row.kind, folder, folder, setup, size, timed=row.timed)


def _program(here: Files, path: str) -> str:
    """Return the file as an argument of its interpreter. A module of a package of Python runs as a module."""
    packages = [parent for parent in PurePosixPath(path).parents if here.listed(f"{parent}/__init__.py")]
    module = PurePosixPath(path).with_suffix("").parts[-len(packages) - 1 :]
    return f"-m {shlex.quote('.'.join(module))}" if packages else shlex.quote(path)
