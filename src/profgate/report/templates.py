"""Render the templates."""

from functools import cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from jinja2.sandbox import ImmutableSandboxedEnvironment

from profgate.report.assets import PACKAGE, template_root


def render_template(name: str, /, **values: object) -> str:
    """Render a template. Values are escaped only in HTML and SVG templates. A missing value is an error."""
    return _environment().get_template(name).render(**values)


@cache
def _environment() -> Environment:
    # the templates are trusted; the sandbox limits the effect of a mistake to the values passed to the template
    return ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(f"{PACKAGE}/{template_root()}"),
        autoescape=select_autoescape(("html", "html.j2", "svg.j2"), default_for_string=False),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
