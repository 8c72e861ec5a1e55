"""Read the files of pages, which need no template engine."""

import os.path
import re
from functools import cache
from pkgutil import get_data

PACKAGE = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120 - pathlib is slower
_PLACE = re.compile(r"\{\{ (\w+) \}\}")


@cache
def template_root() -> str:
    """Return the directory of the templates, relative to the package: in it, or next to src/ in a checkout."""
    return "templates" if os.path.isdir(f"{PACKAGE}/templates") else "../../templates"  # noqa: PTH112 - pathlib is slower


def read_asset(name: str) -> str:
    """Read a text file below the template root. `name` uses forward slashes. Raises `FileNotFoundError`."""
    return (get_data("profgate", f"{template_root()}/{name}") or b"").decode()


def filled_asset(name: str, **markup: str) -> str:
    """Read a file and replace each ``{{ key }}`` with the markup of this key, which is not escaped."""
    return _PLACE.sub(lambda place: markup[place[1]], read_asset(name))


def escaped(text: str) -> str:
    """Return text that may stand in an element or attribute. Python's and Jinja's functions would import too much."""
    return (
        text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&#34;").replace("'", "&#39;")
    )
