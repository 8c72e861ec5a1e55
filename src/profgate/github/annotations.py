"""Findings as notes beside the changed lines of a pull request."""

import hashlib
import re
from collections.abc import Iterable
from typing import Literal

from profgate.model.annotation import Annotation
from profgate.model.report import Report
from profgate.model.visible_text import cut, name_text, plain
from profgate.report.rows import Row, change_text, grouped, why

LONGEST_TITLE = 255  # characters that GitHub takes
LONGEST_MESSAGE = 2_000
MOST = 500  # fifty are a request
_PLACE = re.compile(r"#diff-([0-9a-f]{64})R([0-9]{1,9})")


def annotations(report: Report, changed_paths: Iterable[str]) -> tuple[tuple[Annotation, ...], int]:
    """An annotation for each regression of a changed function, the worst first, and how many are cut.

    ``changed_paths`` are the files of the pull request: a finding stores only the digest of its file's path.
    """
    paths = {hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest(): path for path in changed_paths}
    groups = grouped(report)
    found = (_annotation(report, row, paths) for row in (*groups.worse, *groups.related))
    notes = [note for note in found if note is not None]
    return tuple(notes[:MOST]), max(0, len(notes) - MOST)


def _annotation(report: Report, row: Row, paths: dict[str, str]) -> Annotation | None:
    evidence = row.finding.evidence or {}
    place = _PLACE.search(evidence.get("source_link", ""))
    if row.finding.direction != "worse" or place is None or place[1] not in paths:
        return None
    where = f" in {name_text(row.workload)}" if len(report.workloads) > 1 else ""
    message = f"{change_text(row, name_text)}{where}: {'; '.join(why(row, name_text))}"
    level: Literal["failure", "warning"] = "failure" if row.finding.colour == "red" else "warning"
    return Annotation(
        path=paths[place[1]],
        line=max(1, int(place[2])),
        level=level,
        title=_basic(cut(plain(f"profgate: {row.tag[1]}, {row.metric.name}"), LONGEST_TITLE)),
        message=_basic(cut(plain(message), LONGEST_MESSAGE)),
    )


def _basic(text: str) -> str:
    """Without signs above U+FFFF, which annotations do not take well."""
    return "".join(sign if ord(sign) <= 0xFFFF else "\N{REPLACEMENT CHARACTER}" for sign in text)
