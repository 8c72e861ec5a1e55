"""Compiles and renders templates with whichever jinja2 is on the path."""

import sys

import jinja2

ITEM = """
{%- macro price(value) -%}{{ "%.2f"|format(value) }}{%- endmacro -%}
<ul>{% for row in rows %}
  <li class="{{ row.kind|upper }}">{% if row.size > 3 %}{{ price(row.size * 1.2) }}{% else %}{{ loop.index }}{% endif %}
  {% for tag in row.tags|sort %}<b>{{ tag|title|replace("A", "b") }}</b>{% endfor %}</li>
{% endfor %}</ul>
"""
PAGE = "{% set title = 'shop' %}<h1>{{ title }}</h1>" + ITEM * 5
ROWS = [{"kind": f"kind {number % 7}", "size": number % 11, "tags": ["red", "apple", "zinc"]} for number in range(60)]


def main(rounds: int) -> None:
    """Compile the page and render it twice, this many times."""
    for _ in range(rounds):
        template = jinja2.Environment(autoescape=True).from_string(PAGE)
        template.render(rows=ROWS)
        template.render(rows=ROWS)


if __name__ == "__main__":
    main(int(sys.argv[1]))
