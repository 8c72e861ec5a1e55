"""Upgrades of real libraries: a small script under two releases of its library."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.field.recorders import RecordError

SCRIPTS = Path(__file__).resolve().parent / "scripts"


@dataclass(frozen=True, slots=True)
class Upgrade:
    """``rounds`` are about two seconds of work; ``causes`` are functions whose cost grew.

    ``held_out``: no rule was developed on this upgrade.
    """

    name: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    rounds: int
    held_out: bool = True
    causes: tuple[str, ...] = ()

    @property
    def script(self) -> str:
        """The file of the script."""
        return f"use_{self.name}.py"

    def make_tree(self, library: Path | None, tree: Path) -> None:
        """Write the script and one release to a folder."""
        shutil.rmtree(tree, ignore_errors=True)
        tree.mkdir(parents=True)
        for name in (self.script, "document.py"):
            shutil.copyfile(SCRIPTS / name, tree / name)
        if library is not None:
            shutil.copytree(library, tree / "lib", ignore=shutil.ignore_patterns("__pycache__"))


def install(requirements: Sequence[str], libraries: Path) -> None:
    """Install these releases, without what they depend on; what is there stays. Raises RecordError."""
    folder = libraries / "+".join(requirements)
    if folder.exists():
        return
    partial = libraries / ".partial"
    shutil.rmtree(partial, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps"]
    outcome = subprocess.run(
        [*pip, "--no-compile", "--target", str(partial), *requirements], capture_output=True, text=True, check=False
    )
    if outcome.returncode != 0:
        last = (outcome.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise RecordError(f"pip could not install {', '.join(requirements)}: {last}")
    partial.rename(folder)


UPGRADES = (
    Upgrade(
        "jsonschema",
        ("jsonschema==4.17.3", "attrs==23.2.0", "pyrsistent==0.20.0"),
        (
            "jsonschema==4.18.0",
            "attrs==23.2.0",
            "referencing==0.30.0",
            "jsonschema-specifications==2023.6.1",
            "rpds-py==0.18.0",
        ),
        1700,
        held_out=False,
        causes=("is_type", "descend", "pointer", "create_resource", "lookup", "evolve", "get_or_retrieve"),
    ),
    Upgrade("sqlglot", ("sqlglot==11.5.9",), ("sqlglot==18.0.0",), 150, held_out=False),
    Upgrade("lark", ("lark-parser==0.12.0",), ("lark==1.2.2",), 450, held_out=False),
    Upgrade(
        "pyparsing",
        ("pyparsing==2.4.7",),
        ("pyparsing==3.0.0",),
        1300,
        held_out=False,
        causes=("_parseNoCache", "__new__", "parseImpl"),
    ),
    Upgrade(
        "markdown",
        ("markdown==3.3.7", "importlib-metadata==6.0.0", "zipp==3.15.0"),
        ("markdown==3.6",),
        500,
        held_out=False,
    ),
    Upgrade("pygments", ("pygments==2.11.2",), ("pygments==2.19.1",), 210, held_out=False),
    Upgrade(
        "markdown_it",
        ("markdown-it-py==2.2.0", "mdurl==0.1.2"),
        ("markdown-it-py==3.0.0", "mdurl==0.1.2"),
        560,
        held_out=False,
    ),
    Upgrade("packaging", ("packaging==21.3", "pyparsing==3.0.9"), ("packaging==25.0",), 110, held_out=False),
    Upgrade("marshmallow", ("marshmallow==3.21.0", "packaging==23.0"), ("marshmallow==4.0.0",), 800, held_out=False),
    Upgrade("networkx", ("networkx==2.8.8",), ("networkx==3.4.2",), 400, held_out=False),
    Upgrade("mistune", ("mistune==3.0.2",), ("mistune==3.1.0",), 950, causes=("_get_method", "inner", "__getitem__")),
    Upgrade(
        "jinja2",
        ("jinja2==2.11.3", "markupsafe==1.1.1"),
        ("jinja2==3.1.6", "markupsafe==2.1.5"),
        620,
        causes=("_compile", "tokeniter", "iter_child_nodes", "iter_fields"),
    ),
    Upgrade("sqlparse", ("sqlparse==0.4.4",), ("sqlparse==0.5.3",), 460),
    Upgrade(
        "tomlkit",
        ("tomlkit==0.7.2",),
        ("tomlkit==0.13.2",),
        430,
        causes=("__iter__", "item", "_raw_append", "is_multiline", "is_basic", "_previous_item_with_index"),
    ),
    Upgrade("docutils", ("docutils==0.16",), ("docutils==0.21.2",), 95),
    Upgrade(
        "beautifulsoup",
        ("beautifulsoup4==4.9.3", "soupsieve==2.2"),
        ("beautifulsoup4==4.13.3", "soupsieve==2.6", "typing-extensions==4.12.2"),
        150,
        causes=("_event_stream", "_format_tag", "handle_starttag", "match_tagname", "match_selectors"),
    ),
    Upgrade("tinycss2", ("tinycss2==1.1.1", "webencodings==0.5.1"), ("tinycss2==1.4.0", "webencodings==0.5.1"), 550),
    Upgrade("pycparser", ("pycparser==2.20",), ("pycparser==2.22",), 380, causes=("token",)),
)
