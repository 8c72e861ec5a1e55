import cmarkgfm
import pytest
from hypothesis import given
from hypothesis import strategies as st

from profgate.model.visible_text import NO_NAME, name_text
from profgate.report.markdown_text import code_span, link, sentence, short_sha, table


def rendered(markdown: str) -> str:
    return str(cmarkgfm.github_flavored_markdown_to_html(markdown)).strip()


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


@given(st.text(max_size=60))
def test_a_code_span_shows_the_name_and_nothing_else(name: str) -> None:
    # one blank inside a run is what Markdown itself keeps
    assert rendered(f"x {code_span(name)} y") == f"<p>x <code>{escaped(name_text(name))}</code> y</p>"


@given(st.text(alphabet="|`\\ab <", max_size=12))
def test_cell_is_not_split(name: str) -> None:
    html = rendered(table(("a", "b"), "lr", [(code_span(name), "end")]))
    cells = (f'<td align="left"><code>{escaped(name_text(name))}</code></td>', '<td align="right">end</td>')
    assert "\n".join(cells) in html


def test_nothing_has_a_name() -> None:
    assert code_span("\u200b") == f"`{NO_NAME}`"


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("see @you and #1", "see @<b></b>you and #<b></b>1"),
        ("<script>&amp;", "&lt;script&gt;&amp;amp;"),
        ("*a* _b_ [c](d) `e` ~f~ $g$", "*a* _b_ [c](d) `e` ~f~ $g$"),
        ("www.x.example https://x.example", "www<b></b>.x.example https:<b></b>//x.example"),
        ("ratio 5:3", "ratio 5:3"),
        *((f"{sign} a", f"{sign} a") for sign in ("-", "+", "1.", "12)", "--", "-1", "+1", "1.5", "=")),
        *((line, line) for line in ("-", "---", "- - -", "===", "1.", "+")),
        ("snake_case_2 a__b__c _x_y_ é_b_", "snake_case_2 a__b__c _x_y_ é_b_"),
    ],
)
def test_sentence_has_no_markup(text: str, html: str) -> None:
    options = cmarkgfm.cmark.Options.CMARK_OPT_UNSAFE
    assert cmarkgfm.github_flavored_markdown_to_html(sentence(text), options).strip() == f"<p>{html}</p>"


@pytest.mark.parametrize(
    ("url", "markdown"),
    [
        ("https://x.example/a(b)<i>", "[go](https://x.example/a%28b%29%3Ci%3E)"),
        ("page.html#frame=a%3A", "[go](page.html#frame=a%3A)"),
        ("https://x.example/a b", "go"),
        ("javascript:alert(1)", "go"),
        ("data:text/html,x", "go"),
        ("https://x.example/\n", "go"),
        ("", "go"),
        (None, "go"),
    ],
)
def test_links_lead_only_to_pages(url: str | None, markdown: str) -> None:
    assert link("go", url) == markdown


@pytest.mark.parametrize(
    ("sha", "short"), [("9d01e77" * 5, "9d01e77"), ("main", None), (None, None), ("abcdef0 ", None)]
)
def test_short_sha(sha: str | None, short: str | None) -> None:
    assert short_sha(sha) == short
