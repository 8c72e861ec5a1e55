"""Build the differential flame graph as a self-contained HTML page."""

from __future__ import annotations

import hashlib
import json
import re
from binascii import b2a_base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Any

from rjsmin import jsmin

from profgate.flamegraph.page_columns import (
    CUT_ALL,
    CutTree,
    NamedTree,
    PageHeader,
    cut_tree,
    encode_page,
    packed,
    threshold_for,
    uncut,
    visible_page,
)
from profgate.flamegraph.svg import SVG_STYLE, draw_svg
from profgate.report.assets import escaped, filled_asset, read_asset
from profgate.report.numbers import signed_percent, solid

_SIGNS = {"fails": "✕", "review": "?", "better": "✓", "unchanged": "✓"}
STYLES = ("page", "runs")
_ATTEMPTS = 6
NO_WAY_OUT = "base-uri 'none'; form-action 'none'"
_IMPORT = re.compile(r'^import [^;]* from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?function|const|let|class)", re.MULTILINE)
_Task = Callable[[], str]
_Start = Callable[[_Task], _Task]


def masthead(header: PageHeader, facts: Mapping[str, str]) -> str:
    """Return the workload, the headline or both totals, and where the sides come from."""
    direction, headline = escaped(facts["direction"]), header.headline
    higher = ", higher is better" if header.better == "higher" else ""
    title = f'<h1>{escaped(header.workload)} <small class="metric">{escaped(header.metric)}{higher}</small></h1>'
    if headline:
        conclusion, text = escaped(headline.conclusion), escaped(solid(headline.text))
        whose = f' <span class="whose">· {escaped(headline.whose)}</span>' if headline.whose else ""
        total = f' <span class="total">· {escaped(solid(headline.total))}</span>' if headline.total else ""
        title = f'<div class="result">{title}'
        result = (
            f'  <p class="facts verdict {direction}"><span class="sign {conclusion.replace(" ", "-")}" role="img"'
            f' aria-label="{conclusion}" title="{conclusion}">{_SIGNS.get(headline.conclusion, "?")}</span>'
            f" <b>{text}</b>{whose}{total}</p></div>"
            f'  <p class="step">{escaped(headline.step)}</p>'
        )
    elif header.alone:
        result = f'  <p class="facts {direction}"><span>{escaped(facts["after"])}</span></p>'
    else:
        change = escaped(facts["change"])
        result = (
            f'  <p class="facts {direction}"><span>{escaped(facts["before"])}</span> → '
            f'<span>{escaped(facts["after"])}</span> <b title="{change}">{escaped(facts["relative"]) or change}</b></p>'
        )
    return f"{title}{result}  {_origin(header)}"


def _origin(header: PageHeader) -> str:
    before, after = header.runs
    labels = zip(("before", "after"), header.short_labels, strict=True)
    parts: list[str] = [escaped(header.eyebrow)] if header.eyebrow != "Differential flame graph" else []
    parts += [f"{side} <code>{escaped(label)}</code>" for side, label in labels if label]
    parts.append(f"{after} {'run' if after == 1 else 'runs'}" if header.alone else f"{before} + {after} runs")
    return f'<p class="origin">{" · ".join(parts)}<span id="measure"></span></p>'


def warnings_markup(warnings: Sequence[str]) -> str:
    """Return the first warning, and the others where a reader can open them."""
    if len(warnings) > 1:
        first, more = escaped(warnings[0]), len(warnings) - 1
        return f'<details class="notes"><summary>{first} <b>{more} more</b></summary>{_items(warnings[1:])}</details>\n'
    return f'<p class="notes">{escaped(warnings[0])}</p>\n' if warnings else ""


def notes_menu(notes: Sequence[str]) -> str:
    """Return the button that opens the notes."""
    if not notes:
        return ""
    count = f"{len(notes)} {'note' if len(notes) == 1 else 'notes'}"
    return f"""    <div class="menu">
      <button type="button" id="notes-open" class="opener" aria-expanded="false" aria-controls="notes">{count}</button>
      <div id="notes" class="popover" role="group" aria-label="Notes" hidden>{_items(notes)}</div>
    </div>"""


def _items(notes: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{escaped(note)}</li>' for note in notes)}</ul>"


def static_part(notes: Sequence[str], picture: str) -> str:
    """Return what the page shows without its script. The picture is markup."""
    listed = _items(notes) if notes else ""
    return f"  <p>Static picture. With JavaScript this page is interactive.</p>\n{listed}  {picture}\n"


def script_json(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """Return JSON text that may stand in a script element."""
    text = json.dumps(value, sort_keys=True)
    for sign in "<>&'":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def build_page(
    tree: NamedTree, header: PageHeader, size_limit: int = 8_000_000, start: _Start = lambda task: task
) -> str:
    """Return the page as HTML. Small subtrees are merged only if the page would exceed `size_limit` bytes.

    ``start`` starts the compression of the data and returns a function that waits for the result.
    """
    tree, header = visible_page(tree, header)  # names in profiles are untrusted
    whole = tree.tree
    keep = {*header.keep, *(finding.symbol for finding in header.findings)}
    # a row has at least 2.5 bytes, so no page is built that is far too large
    most_rows = min(len(whole), int(size_limit / 2.5))
    # how well the data compresses is known only after encoding, so the number of rows is found by trying
    for attempt in range(_ATTEMPTS):
        threshold = 0.0
        if most_rows < len(whole):
            threshold = threshold_for(whole, keep, most_rows) if attempt < _ATTEMPTS - 1 else CUT_ALL
        shown = cut_tree(whole, threshold, keep) if threshold else uncut(whole)
        cut = {"threshold": min(threshold, 1.0), "nodes": int(shown.hidden.sum())} if threshold else None
        page, data_size = _filled(tree, shown, header, cut, start)
        excess = len(page.encode("utf-8")) - size_limit
        if excess <= 0:
            break
        # data with fewer rows does not compress as well, hence 3 % less
        most_rows = int(len(shown.tree) * 0.97 * max(data_size - excess, 0) / data_size)
    return page


@cache
def page_script(entry: str) -> str:
    """Return a module and all modules that it imports as one script without comments.

    Each module follows those that it imports. Top-level names are unique across all modules.
    """
    texts: dict[str, str] = {}

    def add(name: str) -> None:
        text = read_asset(f"page/{name}.js")
        for imported in _IMPORT.findall(text):
            if imported not in texts:
                add(imported)
        texts[name] = _EXPORT.sub("", _IMPORT.sub("", text))

    add(entry)
    return str(jsmin("\n".join(texts.values())))


@cache
def packed_script(entry: str) -> str:
    """Return the script of `page_script`, packed; the script `loader` runs it."""
    return packed(page_script(entry).encode())


def page_style(names: Sequence[str]) -> str:
    """Return style sheets as one."""
    return "\n".join(read_asset(f"page/{name}.css") for name in names)


def _filled(
    tree: NamedTree, shown: CutTree, header: PageHeader, cut: dict[str, Any] | None, start: _Start
) -> tuple[str, int]:
    """Return the page, and the size of its data in bytes."""
    whole = tree.tree
    encoded, columns = encode_page(tree, shown, header, cut)
    compressed = start(partial(packed, columns))
    picture = draw_svg(tree, shown, header, max_boxes=150)
    data = compressed()
    entry, loader = "main_blueprint" if header.blueprint else "main", page_script("loader")
    style = page_style([*STYLES, "blueprint"] if header.blueprint else STYLES)
    styles = " ".join(hash_source(text) for text in (style, SVG_STYLE))
    scripts = f"{hash_source(loader)} {hash_source(page_script(entry))}"
    policy = f"default-src 'none'; script-src {scripts}; style-src {styles}; {NO_WAY_OUT}"
    facts = _facts(header, int(whole.baseline_total[0]), int(whole.target_total[0]))
    page = filled_asset(
        "page/page.html",
        head=filled_asset(
            "page/head.html", policy=escaped(policy), instead="", title=escaped(header.full_title), style=style
        ),
        kind=' class="alone"' if header.alone else "",
        masthead=masthead(header, facts),
        warnings=warnings_markup(header.warnings),
        notes=notes_menu(header.notes),
        static=static_part(header.notes, picture),
        page_header=script_json(encoded),
        data=data,
        script=packed_script(entry),
        loader=loader,
    )
    return page.encode("utf-8", "replace").decode("utf-8"), len(data)  # a name may contain a lone surrogate


def hash_source(text: str) -> str:
    """Return the hash of the text as a source expression for a Content-Security-Policy."""
    return f"'sha256-{b2a_base64(hashlib.sha256(text.encode()).digest(), newline=False).decode()}'"


def check_links(hrefs: Iterable[str]) -> None:
    """Raise `ValueError` for a link that leaves the folder of the page."""
    for href in hrefs:
        if ":" in href.split("/", 1)[0] or href.startswith(("/", "\\")) or ".." in href.split("/"):
            raise ValueError(f"{href!r} is not a path inside the folder of the page; pass a relative path")


def _facts(header: PageHeader, before: int, after: int) -> dict[str, str]:
    expected = before * header.runs[1] / header.runs[0]
    change = after - expected
    better = (change < 0) == (header.better == "lower")
    return {
        "before": header.quantity(before, 0),
        "after": header.quantity(after, 1),
        "change": header.change(change),
        "relative": signed_percent(change / expected) if expected else ("new" if after else ""),
        "direction": "" if not change or not header.total_certain else "better" if better else "worse",
    }
