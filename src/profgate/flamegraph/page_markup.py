"""The markup of a page outside of its script: masthead, notes, and the static picture with its table.

Importing a template engine would take longer than drawing a small profile. Every text is escaped where it is inserted.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from markupsafe import escape

from profgate.report.numbers import solid

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from profgate.flamegraph.page_columns import PageHeader

_SIGNS = {"fails": "✕", "review": "?", "better": "✓", "unchanged": "✓"}


def masthead(header: PageHeader, facts: Mapping[str, str]) -> str:
    """Return the workload, the headline or both totals, and where the sides come from."""
    direction, headline = escape(facts["direction"]), header.headline
    higher = ", higher is better" if header.better == "higher" else ""
    title = f'<h1>{escape(header.workload)} <small class="metric">{escape(header.metric)}{higher}</small></h1>'
    if headline:
        conclusion, text = escape(headline.conclusion), escape(solid(headline.text))
        whose = f' <span class="whose">· {escape(headline.whose)}</span>' if headline.whose else ""
        total = f' <span class="total">· {escape(solid(headline.total))}</span>' if headline.total else ""
        title = f'<div class="result">{title}'
        link = f' <a href="{escape(headline.help)}">What to do now</a>' if headline.help else ""
        result = (
            f'  <p class="facts verdict {direction}"><span class="sign {conclusion.replace(" ", "-")}" role="img"'
            f' aria-label="{conclusion}" title="{conclusion}">{_SIGNS.get(headline.conclusion, "?")}</span>'
            f" <b>{text}</b>{whose}{total}</p></div>"
            f'  <p class="step">{escape(headline.step)}{link}</p>'
        )
    elif header.alone:
        result = f'  <p class="facts {direction}"><span>{escape(facts["after"])}</span></p>'
    else:
        change = escape(facts["change"])
        result = (
            f'  <p class="facts {direction}"><span>{escape(facts["before"])}</span> → '
            f'<span>{escape(facts["after"])}</span> <b title="{change}">{escape(facts["relative"]) or change}</b></p>'
        )
    return f"{title}{result}  {_origin(header)}"


def _origin(header: PageHeader) -> str:
    before, after = header.runs
    labels = zip(("before", "after"), header.short_labels, strict=True)
    parts: list[str] = [escape(header.eyebrow)] if header.eyebrow != "Differential flame graph" else []
    parts += [f"{side} <code>{escape(label)}</code>" for side, label in labels if label]
    parts.append(f"{after} {'run' if after == 1 else 'runs'}" if header.alone else f"{before} + {after} runs")
    return f'<p class="origin">{" · ".join(parts)}<span id="measure"></span></p>'


def warnings_markup(warnings: Sequence[str]) -> str:
    """Return the first warning, and the others where a reader can open them."""
    if len(warnings) > 1:
        first, more = escape(warnings[0]), len(warnings) - 1
        return f'<details class="notes"><summary>{first} <b>{more} more</b></summary>{_items(warnings[1:])}</details>\n'
    return f'<p class="notes">{escape(warnings[0])}</p>\n' if warnings else ""


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
    return f"<ul>{''.join(f'<li>{escape(note)}</li>' for note in notes)}</ul>"


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
