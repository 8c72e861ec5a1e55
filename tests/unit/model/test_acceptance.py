import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from profgate.model.acceptance import (
    MOST_COMMANDS,
    Acceptance,
    in_comment,
    in_commit,
    limits_text,
    remembered_limits,
    remembering,
    shown_growth,
    shown_text,
)
from profgate.report.wording import reason_text

SHA = "a" * 40


def one(body: str) -> Acceptance:
    found = in_comment(body, 7)
    assert len(found) == 1
    return found[0]


def trailer(line: str) -> Acceptance:
    found = in_commit(f"Read the new format\n\nIt is slower.\n\n{line}\n", SHA)
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("text", "location", "reason"),
    [
        ("parse: the new format", "parse", "the new format"),
        ("ns::parse: the new format", "ns::parse", "the new format"),
        ("`ns::f(int, std::map<a: b>)`: needed", "ns::f(int, std::map<a: b>)", "needed"),
        ("`` a`b ``: needed", "a`b", "needed"),
        ("operator new(unsigned long): needed", "operator new(unsigned long)", "needed"),
        ("parse:\tneeded: see the ticket", "parse", "needed: see the ticket"),
    ],
)
def test_a_command_names_a_location_and_a_reason(text: str, location: str, reason: str) -> None:
    requested = one(f"/profgate accept {text}")
    assert (requested.location, requested.reason, requested.state, requested.id) == (location, reason, "open", "7.0")
    assert requested.limit is None


@pytest.mark.parametrize(("text", "limit"), [("+40%", 0.4), ("40%", 0.4), ("1.5x", 0.5), ("0.5%", 0.005)])
def test_the_accepted_growth_has_a_limit(text: str, limit: float) -> None:
    assert one(f"/profgate accept parse max={text}: needed").limit == pytest.approx(limit)
    assert trailer(f"Profgate-Accepted: parse max={text} needed").limit == pytest.approx(limit)


def test_file_workload_and_metric_narrow_it() -> None:
    requested = one("/profgate accept parse file=src/a.py workload=`api bench` metric=cpu max=+10%: needed")
    assert (requested.file, requested.workload, requested.metric, requested.reason) == (
        "src/a.py",
        "api bench",
        "cpu",
        "needed",
    )


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        ("accept parse", "no reason"),
        ("accept parse:", "no reason"),
        ("accept parse:  \u200b\u202e ", "no reason"),
        ("accept parse max=+10% needed", "no reason"),
        ("accept : needed", "no location"),
        ("accept", "no location"),
        ("accept parse max=lots: needed", "is not a growth"),
        ("accept parse max=-10%: needed", "is not a growth"),
        ("accept parse max=0%: needed", "is not a growth"),
        ("accept parse max=0.9x: needed", "is not a growth"),
        ("accept parse max=999999%: needed", "is not a growth"),
        ("approve parse: needed", "is unknown"),
        ("", "is unknown"),
    ],
)
def test_incomplete_command_is_refused_with_advice(text: str, remark: str) -> None:
    requested = one(f"/profgate {text}")
    assert requested.state == "refused"
    assert requested.remark is not None
    assert remark in reason_text(requested.remark, str)
    assert "write " in reason_text(requested.remark, str)


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


@pytest.mark.parametrize(
    ("line", "location", "reason"),
    [
        ("Profgate-Accepted: parse the new format", "parse", "the new format"),
        ("Profgate-accepted: parse: the new format", "parse", "the new format"),
        ("Profgate-Accepted: `a b` the new format", "a b", "the new format"),
        ("Reviewed-by: someone\nProfgate-Accepted: parse the\n  new format", "parse", "the new format"),
    ],
)
def test_a_trailer_names_a_location_and_a_reason(line: str, location: str, reason: str) -> None:
    requested = trailer(line)
    assert (requested.location, requested.reason, requested.state, requested.id) == (
        location,
        reason,
        "open",
        "aaaaaaaaaaaa.0",
    )


@pytest.mark.parametrize(
    "message",
    [
        "Profgate-Accepted: parse in the subject",
        "Subject\n\nProfgate-Accepted: parse too early\n\nMore text.",
        "Subject\n\nSome text that quotes\nProfgate-Accepted: parse inside a paragraph",
        "Subject\n\n> Profgate-Accepted: parse quoted",
        "Subject\n\n  Profgate-Accepted: parse indented",
        "",
    ],
)
def test_only_the_last_paragraph_of_trailers_counts(message: str) -> None:
    assert in_commit(message, SHA) == ()


def test_a_trailer_without_reason_is_refused() -> None:
    assert trailer("Profgate-Accepted: parse").state == "refused"


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=st.sampled_from("/profgate accept max=file:`%+x\n\t\\<>|\u202e\x00"), max_size=400))
def test_no_text_breaks_the_reader(text: str) -> None:
    for requested in (*in_comment("/profgate accept " + text, 1), *in_commit(f"S\n\nProfgate-Accepted: {text}", SHA)):
        assert (requested.state == "open") == bool(requested.location and requested.reason and not requested.remark)
        assert requested.reason.isprintable()


@pytest.mark.parametrize("sign", ["`", " ", "a`", "max=", "max=1% ", ": ", "`a` "])
def test_long_lines_cost_no_long_time(sign: str) -> None:
    assert len(in_comment("/profgate accept " + sign * 60_000, 1)) == 1


def test_limits_are_stored_in_the_comment_marker() -> None:
    acceptances = (
        Acceptance("7.0", "parse", "x", limit=0.3, state="applies"),
        Acceptance("aaaaaaaaaaaa.1", "store", "x", limit=12345.678, state="exceeded"),
        Acceptance("8.0", "log", "x", limit=0.1, state="refused"),
        Acceptance("9.0", "log", "x", state="unused"),
        Acceptance("9.1", "log", "x", limit=0.5, state="unused"),
    )
    text = limits_text(acceptances)
    body = f"<!-- profgate v1 key=default head=4f2c1ab accepted={text} -->\nmore"
    assert remembered_limits(body) == {"7.0": 0.3, "aaaaaaaaaaaa.1": 12345.7, "9.1": 0.5}


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<!-- profgate v1 key=default -->",
        "text\n<!-- profgate v1 key=default accepted=7.0:9 -->",
        "<!-- profgate v1 key=default accepted=7.0:inf -->",
        "<!-- profgate v1 key=default accepted=7.0:-1 -->",
        "<!-- profgate v1 key=default accepted=7.0:e+,::, -->",
    ],
)
def test_anything_else_remembers_nothing(body: str) -> None:
    assert remembered_limits(body) == {}


SHOWN = shown_text(
    [
        (("parse", "a.py", "api", "cpu"), 1.0),
        (("parse", "a.py", "web", "cpu"), 9.25),
        (("parse", "b.py", "web", "bytes"), 0.5),
        (("new", None, "api", "cpu"), 1234567.0),
    ]
)


@pytest.mark.parametrize(
    ("accepted", "growth"),
    [
        (Acceptance("7.0", "parse", "x"), 9.25),
        (Acceptance("7.0", "parse", "x", workload="api"), 1.0),
        (Acceptance("7.0", "parse", "x", file="b.py"), 0.5),
        (Acceptance("7.0", "parse", "x", metric="cpu", workload="api", file="a.py"), 1.0),
        (Acceptance("7.0", "new", "x"), 1234570.0),
        (Acceptance("7.0", "pars", "x"), None),
        (Acceptance("7.0", "parse", "x", file="c.py"), None),
        (Acceptance("7.0", "parse", "x", metric="bytes", workload="api"), None),
    ],
)
def test_shown_growth_is_of_what_was_named(accepted: Acceptance, growth: float | None) -> None:
    assert shown_growth(f"<!-- profgate v1 key=default shown={SHOWN} accepted=7.0:3 -->\nmore", accepted) == growth
    assert shown_growth(f"text\n<!-- profgate v1 key=default shown={SHOWN} -->", accepted) is None


def test_stored_growth_is_limited_to_forty_findings() -> None:
    text = shown_text(((f"f{number}", None, "api", "cpu"), 1.0) for number in range(1000))
    assert text.count(":") == 40


def test_limits_are_added_to_an_existing_comment() -> None:
    accepted = [Acceptance("7.0", "parse", "x", limit=0.3)]
    for before in ("", " accepted=8.0:9"):
        body = f"<!-- profgate v1 key=default shown={SHOWN}{before} -->\nmore"
        assert remembering(body, accepted) == f"<!-- profgate v1 key=default shown={SHOWN} accepted=7.0:0.3 -->\nmore"
    assert remembering("more", accepted) == "more"
