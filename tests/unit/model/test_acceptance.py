import pytest
from hypothesis import given
from hypothesis import strategies as st

from profgate.model.acceptance import MOST_COMMANDS, Acceptance, in_comment
from profgate.model.reason import Reason, ReasonCode


def one(body: str) -> Acceptance:
    found = in_comment(body, 7)
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("text", "location", "reason"),
    [
        ("parse max=+40%: the new format", "parse", "the new format"),
        ("ns::parse max=40%: the new format", "ns::parse", "the new format"),
        ("`ns::f(int, std::map<a: b>)` max=+40%: needed", "ns::f(int, std::map<a: b>)", "needed"),
        ("`` a`b `` max=+40%: needed", "a`b", "needed"),
        ("operator new(unsigned long) max=+40%: needed", "operator new(unsigned long)", "needed"),
        ("parse max=+40%:\tneeded: see the ticket", "parse", "needed: see the ticket"),
    ],
)
def test_a_command_names_a_function_and_a_reason(text: str, location: str, reason: str) -> None:
    requested = one(f"/profgate accept {text}")
    assert (requested.location, requested.reason, requested.state, requested.id) == (location, reason, "open", "7.0")
    assert requested.limit == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("text", "file", "limit"),
    [
        ("parse file=src/a.py max=+0.5%: needed", "src/a.py", 0.005),
        ("parse max=+120% file=`a b.py`: needed", "a b.py", 1.2),
        ("parse: needed", None, None),
    ],
)
def test_file_and_limit(text: str, file: str | None, limit: float | None) -> None:
    requested = one(f"/profgate accept {text}")
    assert (requested.location, requested.file, requested.limit) == ("parse", file, limit)


@pytest.mark.parametrize(
    "text",
    [
        "accept parse",
        "accept parse:",
        "accept parse:  \u200b\u202e ",
        "accept parse max=+10% needed",
        "accept : needed",
        "accept",
        "accept parse max=lots: needed",
        "accept parse max=-10%: needed",
        "accept parse max=0%: needed",
        "accept parse max=1.5x: needed",
        "approve parse: needed",
        "",
    ],
)
def test_incomplete_command_is_refused(text: str) -> None:
    requested = one(f"/profgate {text}")
    assert (requested.state, requested.remark) == ("refused", Reason(ReasonCode.ACCEPTANCE, {"case": "command_form"}))


@pytest.mark.parametrize(
    "body",
    [
        "> /profgate accept parse: quoted from another comment",
        "```\n/profgate accept parse: an example\n```",
        "    /profgate accept parse: indented code",
        "`/profgate accept parse: inline code`",
        "<!--\n/profgate accept parse: hidden\n-->",
        "Please write\n/profgate accept parse: needed",
        "- /profgate accept parse: a list",
        "/profgate-accept parse: another word",
        "/profgated accept parse: another word",
        "\u200b/profgate accept parse: begins with an invisible sign",
        "",
    ],
)
def test_only_the_start_of_a_comment_counts(body: str) -> None:
    assert in_comment(body, 7) == ()


def test_comment_may_begin_with_several_commands() -> None:
    found = in_comment(
        "\r\n/profgate accept parse: a\r\n/profgate accept store: b\r\n\r\nThanks\r\n/profgate accept log: c", 7
    )
    assert [(one.id, one.location) for one in found] == [("7.0", "parse"), ("7.1", "store")]
    assert len(in_comment("/profgate accept a: b\n" * 1000, 7)) == MOST_COMMANDS


def test_reason_is_a_visible_line_of_bounded_length() -> None:
    requested = one("/profgate accept parse: see \u202e\x1b[31m" + "x" * 9000)
    assert requested.reason.isprintable()
    assert len(requested.reason) == 300


@given(st.text(alphabet=st.sampled_from("/profgate accept max=file:`%+x\n\t\\<>|\u202e\x00"), max_size=400))
def test_no_text_breaks_the_reader(text: str) -> None:
    for requested in in_comment("/profgate accept " + text, 1):
        assert (requested.state == "open") == bool(requested.location and requested.reason and not requested.remark)
        assert requested.reason.isprintable()


@pytest.mark.parametrize("sign", ["`", " ", "a`", "max=", "max=1% ", ": ", "`a` "])
def test_long_lines_cost_no_long_time(sign: str) -> None:
    assert len(in_comment("/profgate accept " + sign * 60_000, 1)) == 1
