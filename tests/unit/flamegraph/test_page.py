import base64
import hashlib
import html.parser
import json
import re
from pathlib import Path

import numpy as np
import pytest

from page_trees import page_tree, parts_of_page, unpacked
from profgate.flamegraph.page import build_page, page_script
from profgate.flamegraph.page_columns import NamedTree, PageFinding, PageHeader
from profgate.model.record import replace
from profgate.report.metric_headline import MetricHeadline

HEADER = PageHeader("base → head", "demo", "cpu", "samples")


def tree(values: list[tuple[int, int]], names: list[str] | None = None) -> NamedTree:
    rows = [(-1, -1, 0, 0), *((0, row, *sides) for row, sides in enumerate(values))]
    return page_tree(rows, names or [f"f{row}" for row in range(len(values))])


class Elements(html.parser.HTMLParser):
    """The elements with their attributes, and the text of scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.raw: list[tuple[str, str]] = []
        self.raw_tag = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self.raw_tag = tag if tag in {"script", "style"} else ""

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 -- the parser calls it so
        self.raw_tag = ""

    def handle_data(self, data: str) -> None:
        if self.raw_tag:
            self.raw.append((self.raw_tag, data))


def test_policy_allows_only_own_script_and_styles() -> None:
    text = build_page(tree([(5, 9)]), HEADER)
    page, parts = Elements(text), parts_of_page(text)
    policy = next(attrs["content"] for tag, attrs in page.found if attrs.get("http-equiv"))
    assert policy is not None
    assert policy.startswith("default-src 'none'; ")
    allowed = set(re.findall(r"'sha256-([^']+)'", policy))
    code = [text for kind, text in page.raw if kind == "style" or "function load(" in text]
    code.append(unpacked(parts["script"]).decode())
    digests = {base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in code}
    assert digests == allowed
    assert len(code) == 4


def test_large_tree_is_cut_but_not_findings() -> None:
    random = np.random.default_rng(1)
    values = [tuple(pair) for pair in random.integers(1, 2**40, (6000, 2)).tolist()]
    given = tree([(1, 1), *values], [f"function_{number}" for number in range(6001)])
    finding = PageFinding(symbol=0, severity="warning", direction="worse")
    header = PageHeader("t", "w", "m", "nanoseconds", findings=[finding])
    limit = len(build_page(tree([(1, 1)]), header).encode()) + 20_000
    assert len(build_page(given, header)) > limit
    page = build_page(given, header, size_limit=limit)
    assert limit - 4000 < len(page.encode()) <= limit
    content = json.loads(next(text for kind, text in Elements(page).raw if text.startswith("{")))
    assert content["cut"]["nodes"] > 4000
    assert len(content["findings"]) == 1


@pytest.mark.parametrize("entry", ["main", "main_blueprint", "loader", "evolution"])
def test_modules_are_joined_by_removing_imports(entry: str) -> None:
    script = page_script(entry)
    assert not re.search(r"\b(import|export)\b|</script", script)
    # rjsmin removes spaces of a template literal that stands in another one
    sources = "".join(path.read_text() for path in (Path(__file__).parents[3] / "templates/page").glob("*.js"))
    assert not re.search(r"`[^`]*\$\{[^}`]*`", sources)
    assert len(script) < {"main": 130_000, "main_blueprint": 168_000, "loader": 1500, "evolution": 42_000}[entry]


def test_page_begins_with_the_result() -> None:
    found = MetricHeadline("fails", "<f> is 2x slower", "total +9 %")
    page = build_page(tree([(5000, 9000)]), replace(HEADER, headline=found))
    assert 'role="img" aria-label="fails" title="fails">✕</span> <b>&lt;f&gt; is 2x slower</b>' in page
    assert '<span class="total">· total +9\N{NO-BREAK SPACE}%</span>' in page
    assert "<span>5,000 samples</span>" not in page
    unknown = build_page(tree([(5000, 9000)]), HEADER)
    assert 'class="sign' not in unknown
    assert "<span>5,000 samples</span> → <span>9,000 samples</span>" in unknown
