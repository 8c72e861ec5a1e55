"""Make the names and texts of a page visible, which come from untrusted profiles."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from profgate.model.visible_text import full_name, full_names, plain, visible

if TYPE_CHECKING:
    from profgate.flamegraph.page_columns import NamedTree, PageFinding, PageHeader, PageSource


def visible_page(tree: NamedTree, header: PageHeader) -> tuple[NamedTree, PageHeader]:
    """Replace the invisible characters in all names and texts. A name without visible characters gets a placeholder."""
    return (
        tree._replace(
            names=full_names(tree.names),
            former={symbol: full_name(name) for symbol, name in tree.former.items()},
            files=[_plain(file) for file in tree.files] if any(tree.files) else tree.files,
        ),
        replace(
            header,
            title=plain(header.title),
            workload=full_name(header.workload),
            metric=full_name(header.metric),
            unit=plain(header.unit),
            labels=(_plain(header.labels[0]), _plain(header.labels[1])),
            headline=header.headline and type(header.headline)(*map(plain, header.headline)),
            warnings=[plain(note) for note in header.warnings],
            notes=[plain(note) for note in header.notes],
            findings=[_visible_finding(finding) for finding in header.findings],
            sources=[_visible_source(source) for source in header.sources],
        ),
    )


def _visible_finding(finding: PageFinding) -> PageFinding:
    word, parts = finding.parts or ("", [])
    return replace(
        finding,
        reasons=_plain(finding.reasons),
        new=finding.new and full_name(finding.new),
        parts=finding.parts and (word, [(full_name(name), text) for name, text in parts]),
    )


def _visible_source(source: PageSource) -> PageSource:
    first, second = source["paths"]
    hunks = [(before, after, [visible(line) for line in lines]) for before, after, lines in source["hunks"]]
    return {**source, "origin": plain(source["origin"]), "paths": (_plain(first), _plain(second)), "hunks": hunks}


def _plain(text: str | None) -> str | None:
    return None if text is None else plain(text)
