"""Locate and render the templates."""

import os.path
import sys
from contextlib import suppress
from functools import cache
from pkgutil import get_data

from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined, select_autoescape
from jinja2.bccache import Bucket
from jinja2.sandbox import ImmutableSandboxedEnvironment

PACKAGE = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120 - a name only


class _CompiledTemplates(FileSystemBytecodeCache):
    """Compiled templates beside the bytecode of the package, where Python can write it."""

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store a compiled template."""
        with suppress(OSError):
            if not sys.dont_write_bytecode:
                super().dump_bytecode(bucket)


@cache
def _root() -> str:
    """Return the directory of the templates, relative to the package: in it, or next to src/ in a checkout."""
    return "templates" if os.path.isdir(f"{PACKAGE}/templates") else "../../templates"  # noqa: PTH112 - pathlib is slower


def read_asset(name: str) -> str:
    """Read a text file below the template root. `name` uses forward slashes. Raises `FileNotFoundError`."""
    return (get_data("profgate", f"{_root()}/{name}") or b"").decode()


def render_template(name: str, /, **values: object) -> str:
    """Render a template. Values are escaped only in HTML and SVG templates. A missing value is an error."""
    return _environment().get_template(name).render(**values)


@cache
def _environment() -> Environment:
    # the templates are trusted; the sandbox limits the effect of a mistake to the values passed to the template
    return ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(f"{PACKAGE}/{_root()}"),
        bytecode_cache=_CompiledTemplates(f"{PACKAGE}/__pycache__"),
        autoescape=select_autoescape(("html", "html.j2", "svg.j2"), default_for_string=False),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
