"""Render the templates."""

from contextlib import suppress
from functools import cache

from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined, select_autoescape
from jinja2.bccache import Bucket
from jinja2.sandbox import ImmutableSandboxedEnvironment

from profgate.report.assets import PACKAGE, template_root


def render_template(name: str, /, **values: object) -> str:
    """Render a template. Values are escaped only in HTML and SVG templates. A missing value is an error."""
    return environment().get_template(name).render(**values)


class _CompiledTemplates(FileSystemBytecodeCache):
    """Compiled templates beside the compiled modules, because compiling one takes longer than judging a workload."""

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store a compiled template if its folder exists and can be written."""
        with suppress(OSError):
            super().dump_bytecode(bucket)


@cache
def environment() -> Environment:
    """Return the environment, which stores the templates that it compiled."""
    # the templates are trusted; the sandbox limits the effect of a mistake to the values passed to the template
    return ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(f"{PACKAGE}/{template_root()}"),
        bytecode_cache=_CompiledTemplates(f"{PACKAGE}/report/__pycache__"),
        autoescape=select_autoescape(("html", "html.j2", "svg.j2"), default_for_string=False),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
