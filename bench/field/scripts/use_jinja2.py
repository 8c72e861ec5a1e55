"""Compile and render a template."""

import jinja2

PAGE = """
{%- macro price(value) -%}{{ "%.2f"|format(value) }}{%- endmacro -%}
<ul>{% for row in rows %}
  <li class="{{ row.kind|upper }}">{% if row.size > 3 %}{{ price(row.size * 1.2) }}{% else %}{{ loop.index }}{% endif %}
  {% for tag in row.tags|sort %}<b>{{ tag|title|replace("A", "b") }}</b>{% endfor %}</li>
{% endfor %}</ul>
"""
ROWS = [{"kind": f"kind {number % 7}", "size": number % 11, "tags": ["red", "apple", "zinc"]} for number in range(40)]


def work():
    """One unit of work."""
    template = jinja2.Environment(autoescape=True).from_string(PAGE)
    return len(template.render(rows=ROWS))


if __name__ == "__main__":
    import sys

    for _ in range(int(sys.argv[1])):
        work()
