import cmarkgfm

from profgate.model.acceptance import Acceptance
from profgate.model.reason import as_reason
from profgate.report.acceptance_rows import ANSWERS, LONGEST_COMMENT, REFUSED, with_answers

BODY = "<!-- profgate v1 key=default accepted=7.0:1.25 -->\n### ❌ Performance gate failed\n"


def refused(number: int, message: str = "gives no reason", location: str = "parse") -> Acceptance:
    link = f"https://github.example/octo/shop/pull/1#issuecomment-{number}"
    return Acceptance(f"{number}.0", location, "", by="reviewer", link=link, state="refused", remark=as_reason(message))


def test_answer_follows_the_comment() -> None:
    text = with_answers(BODY, [refused(7)])
    assert text.startswith(BODY)
    assert text.endswith("- `parse`: refused: gives no reason · [where](" + refused(7).link + ")\n")


def test_answer_replaces_the_earlier_one() -> None:
    once = with_answers(BODY, [refused(7)])
    twice = with_answers(once, [refused(7), refused(8, "is unknown")])
    assert twice.count(ANSWERS) == 1
    assert twice.count("- `parse`: refused:") == 2
    assert with_answers(twice, [refused(7), refused(8, "is unknown")]) == twice


def test_refusals_in_the_comment_are_not_repeated() -> None:
    shown = f"{BODY}\n- `parse`: refused: gives no reason · [where]({refused(7).link})\n"
    assert with_answers(shown, [refused(7)]) == shown


def test_only_the_newest_are_shown() -> None:
    text = with_answers(BODY, [refused(number) for number in range(100, 140)])
    assert text.count("- `parse`: refused:") == REFUSED
    assert "issuecomment-139" in text


def test_a_comment_at_its_limit_stays_below_it() -> None:
    body = BODY + "x" * (LONGEST_COMMENT - len(BODY) - 300)
    text = with_answers(body, [refused(number, "é" * 300) for number in range(9)])
    assert len(text) <= LONGEST_COMMENT
    assert text.startswith(body)


def test_hostile_names_are_only_text() -> None:
    hostile = "x`|<img src=y>@octocat -->\n# " + ANSWERS
    shown = cmarkgfm.github_flavored_markdown_to_html(with_answers(BODY, [refused(7, hostile, hostile)]))
    assert "<img" not in shown
    assert "<h1" not in shown
