"""The list of pages of one report."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from profgate.model.visible_text import full_name, plain
from profgate.report.page import hash_source
from profgate.report.templates import read_asset, render_template


@dataclass(frozen=True, slots=True)
class IndexRow:
    """One page: where it lies (a relative path), what it compares, and the change in words."""

    href: str
    workload: str
    metric: str
    before: str = ""
    after: str = ""
    change: str = ""
    direction: str = ""


def build_index(rows: Sequence[IndexRow], title: str = "Differential flame graphs") -> str:
    """An HTML page that links the pages, in the order given; raises `ValueError` for a path that leaves the folder."""
    for row in rows:
        if ":" in row.href.split("/", 1)[0] or row.href.startswith(("/", "\\")) or ".." in row.href.split("/"):
            raise ValueError(f"page index: {row.href!r} is no path inside the folder; pass a relative path")
    style = read_asset("page/page.css")
    policy = f"default-src 'none'; style-src {hash_source(style)}; base-uri 'none'; form-action 'none'"
    return render_template(
        "page/index.html.j2",
        rows=[replace(row, workload=full_name(row.workload), metric=full_name(row.metric)) for row in rows],
        title=plain(title),
        style=Markup(style),  # noqa: S704 -- our own file
        policy=policy,
    )
