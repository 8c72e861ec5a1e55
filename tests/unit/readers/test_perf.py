from pathlib import Path

import pytest

from profgate.errors import ProfileError
from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.readers.perf import PerfReader
from profgate.readers.registry import read_profile
from stack_rows import rows

RECORDED = Path(__file__).parents[2] / "data" / "perf"
SAMPLE = """\
shop 12/13 [001]  5.250000:     250000 cpu-clock:pppH: 
\t            1164 fib+0x0 (/app/shop)
\t            117d fib+0x19 (/app/shop)
\t           2724a __libc_start_call_main+0x7a (/usr/lib/libc.so.6)

"""  # noqa: W291 - perf ends the header with a blank


# what perf report 6.1 prints of the recorded file
EVENT_COUNT = 52_500_000
REPORT = {"fib": "61.90", "scan": "23.81", "serve": "14.29"}


def read(text: str) -> Profile:
    return PerfReader().read(source_of("a.perf.txt", text.encode()))


def header(event: str, period: str = "", command: str = "shop") -> str:
    return f"{command} 12 5.25: {period} {event}: \n"


def frame_of(call: str) -> tuple[str, str | None, int | None, str | None]:
    found = read(f"{header('cycles', '7')}\t 1164 {call}\n\n").frames
    return found.names[1], found.files[1], found.lines[1], found.modules[1]


def by_leaf(profile: Profile) -> dict[str, int]:
    found: dict[str, int] = {}
    for path, [value] in rows(profile):
        leaf = path.split(";")[-1]
        found[leaf] = found.get(leaf, 0) + value
    return found


def test_a_recorded_text_agrees_with_perf_report() -> None:
    found = read((RECORDED / "perf-6.1-cpu-clock.txt").read_text())
    leaves = by_leaf(found)
    whole = sum(leaves.values())
    assert whole == EVENT_COUNT
    for name, percent in REPORT.items():
        assert f"{100 * leaves[name] / whole:.2f}" == percent
    assert (found.metrics[0].name, found.metrics[0].unit) == ("cpu-clock", "nanoseconds")
    assert found.periods == (2_500_000,)
    assert (found.warnings, found.warning_counts) == ((), {})
    assert found.frames.modules[found.frames.names.index("fib")] == "/app/shop"


def test_a_sample_is_below_its_command() -> None:
    found = read(SAMPLE + SAMPLE)
    assert rows(found) == [("shop;__libc_start_call_main;fib;fib", [500_000])]
    assert found.frames.modules == [None, "/app/shop", "/usr/lib/libc.so.6"]
    assert found.facts.format == "perf"


def test_events_are_metrics_of_their_own() -> None:
    text = "".join(
        f"{header(event, period)}\t 1 {name} (x)\n\n"
        for event, period, name in [("cycles:ppp", "70", "f"), ("page-faults", "1", "f"), ("cycles:P", "30", "g")]
    )
    found = read(text)
    assert [(metric.name, metric.unit) for metric in found.metrics] == [("cycles", "count"), ("page-faults", "count")]
    assert rows(found) == [("shop;f", [70, 1]), ("shop;g", [30, 0])]
    assert found.periods == (None, 1)


def test_where_periods_are_not_printed_samples_are_counted() -> None:
    found = read("".join(f"shop 12 5.25: cycles:u: \n\t 1 {name} (x)\n\n" for name in "ffg"))
    assert rows(found) == [("shop;f", [2]), ("shop;g", [1])]
    assert (found.metrics[0].name, found.metrics[0].unit, found.periods) == ("cycles:u", "samples", (1,))


def test_a_single_frame_may_follow_the_header() -> None:
    line = "my shop 14174  5960.72:    2500000 cpu-clock:pppH:      556489969188 fib+0x24 (/app/shop)\n"
    assert PerfReader().recognizes(source_of("x", (line * 2).encode()))
    assert rows(read(line * 2)) == [("my shop;fib", [5_000_000])]


def test_samples_after_messages_are_read() -> None:
    text = "Failed to open /tmp/perf-12.map\n\nProcessed 9 events and lost 1 chunks!\n\n" + SAMPLE
    found = read_profile(source_of("a", text.encode()))
    assert sum(by_leaf(found).values()) == sum(by_leaf(read(SAMPLE)).values())
    assert "Failed to open" in found.warnings[0]


def test_samples_without_stacks_are_indented_lines() -> None:
    line = "            shop 12 5.25:     9 cycles:u:      5d {} (/shop)\n"
    found = read(line.format("main+0x1") + line.format("work") * 2)
    assert by_leaf(found) == {"main": 9, "work": 18}


def test_a_sample_without_frames_is_the_commands() -> None:
    assert rows(read(SAMPLE + header("cpu-clock", "9") + "\n")) == [
        ("shop;__libc_start_call_main;fib;fib", [250_000]),
        ("shop", [9]),
    ]


def test_comments_and_source_lines_are_no_frames() -> None:
    lines = "# captured on: x\n# cmdline : perf record\n"
    text = f"{header('cycles', '7')}\t 1164 fib+0x0 (/app/shop)\n  shop.c:11\n\t 27 main+0x1 (/x)\n  libc.so.6+0x27\n\n"
    found = read(lines + text)
    assert rows(found) == [("shop;main;fib", [7])]
    assert (found.warnings, found.warning_counts) == ((), {})


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("fib+0x24 (/app/shop)", ("fib", None, None, "/app/shop")),
        ("std::map<int, (a)>::at(int) const+0x2 (/l.so)", ("std::map<int, (a)>::at(int) const", None, None, "/l.so")),
        ("f+0x1 (/memfd:x (deleted))", ("f", None, None, "/memfd:x")),
        ("[unknown] ([unknown])", ("[unknown]", None, None, None)),
        ("f() const+0x1 (/opt/My App (x86)/l.so)", ("f() const", None, None, "/opt/My App (x86)/l.so")),
        ("[unknown] (/l.so)", ("[unknown]", None, None, "/l.so")),
        ("helper (inlined)", ("helper", None, None, None)),
        ("bare_symbol", ("bare_symbol", None, None, None)),
        ("JS:*price /app/shop.js:3:15+0x177 (/tmp/perf-142.map)", ("price", "/app/shop.js", 3, None)),
        ("JS:~ file:///app/m.mjs:1:1+0xdc (/tmp/perf-142.map)", ("(anonymous)", "/app/m.mjs", 1, None)),
        ("LazyCompile:~get a /x.js:4+0x1 (/tmp/perf-1.map)", ("get a", "/x.js", 4, None)),
        ("py::work:/app/shop.py+0x1 (/tmp/perf-9.map)", ("work", "/app/shop.py", None, None)),
    ],
)
def test_symbols_give_name_file_line_and_module(call: str, expected: tuple[object, ...]) -> None:
    assert frame_of(call) == expected


def test_messages_of_perf_are_no_samples() -> None:
    found = read("[ perf record: Woken up 1 times to write data ]\nWarning:\n" + SAMPLE)
    assert by_leaf(found) == by_leaf(read(SAMPLE))
    assert found.warnings == read(SAMPLE).warnings


def test_a_few_foreign_lines_are_skipped_and_quoted() -> None:
    found = read(SAMPLE * 20 + "lost 3 things\n\n")
    assert found.warnings == ("1 lines were skipped, the first is line 101: 'lost 3 things'",)
    with pytest.raises(ProfileError, match=r"a\.perf\.txt: line 6: 'lost 3 things': is not a sample"):
        read(SAMPLE + "lost 3 things\n\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (header("cycles", "9" * 30) + "\t 1 f (x)\n\n", "line 1: has a period"),
        ((header("cycles", str(1 << 62)) + "\t 1 f (x)\n\n") * 3, "event cycles.*more than 2"),
        (
            "".join(header(f"e{k}", "1") + f"\t 1 f{k} (x)\n\n" for k in range(2_000)),
            "more than 4,000,000 frames or values",
        ),
    ],
)
def test_hostile_numbers_and_lines_are_refused(text: str, message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        read(text)


@pytest.mark.parametrize(
    ("events", "name", "cores"),
    [
        (("cpu_core/cycles/P", "cpu_core/cycles/", "cpu_atom/cycles/P"), "cycles", "cpu_core"),
        (("armv8_cortex_a53/cycles/u", "armv8_cortex_a72/cycles/u", "armv8_cortex_a53/cycles/u"), "cycles:u", None),
        (("cycles:P", "cycles:ppp"), "cycles", None),
    ],
)
def test_event_of_several_kinds_of_cores_is_one_metric(events: tuple[str, ...], name: str, cores: str | None) -> None:
    found = read("".join(f"{header(event, '7')}\t 1 f (x)\n\n" for event in events))
    assert ([metric.name for metric in found.metrics], rows(found)) == ([name], [("shop;f", [7 * len(events)])])
    assert found.facts.cores == (cores or (events[0].partition("/")[0] if "/" in events[0] else None))
