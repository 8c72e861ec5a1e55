import pytest

from profgate.errors import ProfileError
from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.readers.benchmarks.junit import FORMAT
from profgate.readers.registry import read_profile
from result_rows import means

BOMB = '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'


def read(text: str) -> Profile:
    return FORMAT.read(source_of("a.xml", text.encode()))


def test_tests_of_a_suite_are_one_run() -> None:
    found = read('<testsuite><testcase name="a" time="1"/><testcase name="b" time="2"/></testsuite>')
    assert found.measurements is not None
    assert not found.measurements.scenarios


def test_nested_suites_name_spaces_files_and_lines() -> None:
    found = read(
        '<?xml version="1.0"?><!-- x --><j:testsuites xmlns:j="u"><j:testsuite><j:testsuite>'
        '<j:testcase classname="shop.Orders" name="sort" time="1,234.5" file="shop.py" line="7"/>'
        "</j:testsuite></j:testsuite></j:testsuites>".replace("j:", "")
    )
    assert (found.frames.names, found.frames.files, found.frames.lines) == (["shop.Orders.sort"], ["shop.py"], [7])
    assert means(found) == {"shop.Orders.sort": 1234.5e9}


@pytest.mark.parametrize("line", ["0", "-3", "x", "", "9" * 30, "²"])
def test_a_line_that_is_none_is_left_out(line: str) -> None:
    assert read(f'<testsuite><testcase name="a" time="1" line="{line}"/></testsuite>').frames.lines == [None]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOMB + "<testsuite/>", "a.xml: has a DOCTYPE"),
        ('<!DOCTYPE a SYSTEM "file:///etc/passwd"><testsuite/>', "a.xml: has a DOCTYPE"),
        ("<testsuite><testcase>", "a.xml: line 1, column 21: no element found"),
        ('<?xml version="1.0" encoding="utf-99"?><testsuite/>', "unknown encoding: utf-99; let the tests write it in"),
        ('<?xml version="1.0" encoding="shift_jis"?><testsuite/>', "let the tests write it in UTF-8"),
        ('<?xml version="1.0" encoding="hex"?><testsuite/>', "let the tests write it in UTF-8"),
        ("<testsuite>" * 101, "nested too deeply"),
        ('<testsuite><testcase time="1"/></testsuite>', "not a name"),
    ],
)
def test_what_is_no_test_report_is_refused(text: str, message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        read(text)


@pytest.mark.parametrize("time", ["soon", "-1", "NaN", "1e999999", ""])
def test_test_without_a_usable_time_is_left_out(time: str) -> None:
    found = read(f'<testsuite><testcase name="a" time="{time}"/><testcase name="b" time="1"/></testsuite>')
    assert (means(found), list(found.warning_counts.values())) == ({"b": 1e9}, [1])


def test_utf_16_is_read_despite_its_declaration() -> None:
    text = '<?xml version="1.0" encoding="UTF-16"?><testsuite><testcase name="é" time="1"/></testsuite>'
    assert means(read_profile(source_of("a.xml", text.encode("utf-16")))) == {"é": 1e9}
