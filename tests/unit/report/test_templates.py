"""Templates are ours, and what they are filled with is not."""

import pytest
from jinja2.exceptions import SecurityError

from profgate.report.templates import environment


@pytest.mark.parametrize("way_out", ["{{ x.__class__ }}", "{{ x.append(1) }}", "{{ '{0.__class__}'.format(x) }}"])
def test_sandbox_limits_templates_to_their_values(way_out: str) -> None:
    with pytest.raises(SecurityError):
        environment().from_string(way_out).render(x=[])


def test_a_value_that_looks_like_a_template_stays_text() -> None:
    template = environment().from_string("{{ x }}")
    assert (
        template.render(x="{{ 7 * 7 }}{% include 'page/evolution.html.j2' %}")
        == "{{ 7 * 7 }}{% include 'page/evolution.html.j2' %}"
    )
