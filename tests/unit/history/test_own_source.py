from profgate.history.own_source import own_text

TEXT = """import os

@fast
def one():
    return 1

class Two:
    def inner(self):
        return 2

    async def other(self): ...
"""


def test_a_line_names_the_innermost_definition_with_its_decorators() -> None:
    assert own_text(TEXT, 5, "bench.py") == "@fast\ndef one():\n    return 1"
    assert own_text(TEXT, 3, "bench.py") == "@fast\ndef one():\n    return 1"
    assert own_text(TEXT, 9, "bench.py") == "    def inner(self):\n        return 2"
    assert own_text(TEXT, 11, "bench.py") == "    async def other(self): ..."


def test_what_moves_down_stays_the_same() -> None:
    assert own_text("# more\n" + TEXT, 6, "bench.py") == own_text(TEXT, 5, "bench.py")


def test_without_a_definition_the_file_is_the_benchmark() -> None:
    for line, path in ((1, "bench.py"), (None, "bench.py"), (5, "bench.rs"), (400, "bench.py")):
        assert own_text(TEXT, line, path) == TEXT


def test_text_that_no_python_reads_is_taken_whole() -> None:
    for text in ("print 'old'", "x\0y", "(" * 5000):
        assert own_text(text, 1, "bench.py") == text
