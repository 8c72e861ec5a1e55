import hashlib
from dataclasses import replace

from profgate.github.annotations import MOST, annotations
from profgate.model.report import Report
from report_samples import finding, metric, report, workload

HOSTILE = "parse\u202e\n::error::<b>\U0001f600@octocat"


def linked(path: str, line: int, side: str = "R") -> dict[str, str]:
    digest = hashlib.sha256(path.encode()).hexdigest()
    return {"source": "changed", "source_link": f"https://github.com/o/r/pull/7/files#diff-{digest}{side}{line}"}


def one(name: str, evidence: dict[str, str] | None) -> Report:
    found = replace(finding(name, 2e9, 5e9, kind="SevereDegradation"), evidence=evidence)
    return report(workload(metric(found)))


def test_a_slower_function_that_was_changed_here_gets_a_note_at_its_line() -> None:
    (note,), more = annotations(one("parse", linked("src/cart.py", 12)), ["src/cart.py", "src/view.py"])
    assert (note.path, note.line, note.level, more) == ("src/cart.py", 12, "failure", 0)
    assert "parse is 2.5x slower" in note.message


def test_what_was_not_changed_here_gets_none() -> None:
    for evidence in (None, {"source": "same"}, linked("src/other.py", 3), linked("src/cart.py", 3, "L")):
        assert annotations(one("parse", evidence), ["src/cart.py"]) == ((), 0)


def test_what_got_faster_gets_none() -> None:
    found = replace(finding("parse", 5e9, 2e9, kind="Optimization", colour="green"), evidence=linked("src/cart.py", 12))
    assert annotations(report(workload(metric(found))), ["src/cart.py"]) == ((), 0)


def test_a_hostile_name_is_one_line_of_plain_signs() -> None:
    (note,), _ = annotations(one(HOSTILE, linked("src/cart.py", 12)), ["src/cart.py"])
    assert note.message.isprintable()
    assert "\n" not in note.message
    assert max(map(ord, note.message)) <= 0xFFFF


def test_more_than_anybody_reads_are_counted() -> None:
    found = [
        replace(finding(f"f{number}", 2e9, 5e9, kind="SevereDegradation"), evidence=linked("src/cart.py", number + 1))
        for number in range(MOST + 7)
    ]
    notes, more = annotations(report(workload(metric(*found))), ["src/cart.py"])
    assert (len(notes), more) == (MOST, 7)
