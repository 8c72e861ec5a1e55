"""What a page or picture is given, with every text of it made visible first: nothing of it hides or turns around."""

from dataclasses import replace

from profgate.model.visible_text import full_name, plain, visible
from profgate.report.page_columns import PageFinding, PageHeader, PageSource, PageTree


def visible_page(tree: PageTree, header: PageHeader) -> tuple[PageTree, PageHeader]:
    """The same columns and facts in harmless signs; a function without a visible name gets one that says so."""
    first, second = (None if label is None else plain(label) for label in header.labels)
    return (
        replace(
            tree,
            names=[full_name(name) for name in tree.names],
            former={symbol: full_name(name) for symbol, name in tree.former.items()},
            files=[None if file is None else plain(file) for file in tree.files],
        ),
        replace(
            header,
            title=plain(header.title),
            workload=full_name(header.workload),
            metric=full_name(header.metric),
            unit=plain(header.unit),
            labels=(first, second),
            notes=[plain(note) for note in header.notes],
            findings=[_finding(finding) for finding in header.findings],
            sources=[_source(source) for source in header.sources],
        ),
    )


def _finding(finding: PageFinding) -> PageFinding:
    return {**finding, "story": plain(finding["story"])} if "story" in finding else finding


def _source(source: PageSource) -> PageSource:
    first, second = (None if path is None else plain(path) for path in source["paths"])
    hunks = [(before, after, [visible(line) for line in lines]) for before, after, lines in source["hunks"]]
    return {**source, "origin": plain(source["origin"]), "paths": (first, second), "hunks": hunks}
