import pytest

from profgate.readers.source_map import BuiltScript, Origin, ScriptFunction, read_source_map
from source_map_samples import FUNCTIONS, MAP, SCRIPT, WITHOUT_NAMES, Segment, source_map


def script(text: str = SCRIPT, data: bytes = MAP) -> BuiltScript:
    return BuiltScript(text, read_source_map(data, "a.js.map"))


def origins(built: BuiltScript) -> list[Origin | None]:
    return [built.origin(ScriptFunction(*function)) for function in FUNCTIONS]


def origin(text: str, name: str, segments: list[Segment], **more: object) -> Origin | None:
    """The function whose parameters or body begin at ``@``."""
    return script(text.replace("@", ""), source_map(segments, **more)).origin(ScriptFunction(name, 0, text.index("@")))


def test_functions_have_the_names_of_their_sources() -> None:
    assert origins(script()) == [Origin("inlineText", 0, 2), Origin("outputLink", 1, 5)]


def test_names_come_from_the_text_of_a_source() -> None:
    assert origins(script(data=WITHOUT_NAMES)) == [Origin("inlineText", 0, 2), Origin("O", 1, 5)]


@pytest.mark.parametrize(
    ("text", "name", "original"),
    [
        ("let Y=@(e)=>e", "Y", "inlineText"),
        ("let Y=async@(e)=>e", "Y", "inlineText"),
        ("let Y=function@(e){}", "Y", "inlineText"),
        ("let Y={Y(){}},Y=async function*@(e){}", "Y", "inlineText"),
        ("x.Y=function@(e){}", "x.Y", "inlineText"),
        ("class a{get Y@(){}}", "get Y", "get inlineText"),
        ("class Y{a=1;constructor@(e){}}", "Y", "inlineText"),
        ("var a;@class Y extends a{}", "Y", "inlineText"),
        ("Y=class{constructor@(e){}}", "Y", "inlineText"),
        ("var Yx=YY,$Y=Y=@()=>1", "Y", "inlineText"),
        ("/*\U0001f600*/function Y@(e){}", "Y", "inlineText"),
    ],
)
def test_name_is_found_near_the_function(text: str, name: str, original: str) -> None:
    in_units = text.replace("\U0001f600", "??")
    near = in_units.index("@")
    column = in_units.rindex("Y", 0, near) if "Y" in in_units[:near] else in_units.index("Y") - 1
    built = script(text.replace("@", ""), source_map([(0, column, 0, 1, 16, 0)]))
    assert built.origin(ScriptFunction(name, 0, in_units.index("@"))) == Origin(original, 0, 2)


def test_unchanged_name_remains() -> None:
    assert origin("class a{parse@(e){}}", "parse", [(0, 0, 0, 3, 0), (0, 8, 0, 4, 2)]) == Origin("parse", 0, 5)


def test_number_that_a_bundler_adds_is_removed() -> None:
    found = origin("function parse$1@(){}", "parse$1", [(0, 0, 0, 0, 0)], sourcesContent=["function parse() {}"])
    assert found == Origin("parse", 0, 1)


def test_nameless_function_has_a_line() -> None:
    assert origin("x.map(@(e)=>e)", "", [(0, 0, 0, 3, 0), (0, 6, 0, 4, 8)]) == Origin("", 0, 5)


@pytest.mark.parametrize(
    ("source", "column", "name"),
    [
        ("export async function load(a) {}", 0, "load"),
        ("export const load = async (a) => 1;", 20, "load"),
        ("const load: Handler = (a) => 1;", 22, "load"),
        ("export function load(a) {}", 6, "load"),
        ("export const load = (a: string) => 1;", 21, "load"),
        ("let load = words.map((a) => 1);", 21, ""),
        ("let load = (b) => (a) => 1;", 18, ""),
        ("(a) => 1;", 0, ""),
    ],
)
def test_function_that_a_minifier_moved_has_its_name(source: str, column: int, name: str) -> None:
    found = origin("!function@(e){}(x)", "", [(0, 1, 0, 0, column)], sourcesContent=[source])
    assert found == Origin(name, 0, 1)


def test_code_without_a_source_has_no_origin() -> None:
    assert origin("function a@(){}", "a", [(0, 0)]) is None
    assert origin("function a@(){}", "a", [(3, 0, 0, 0, 0)]) is None
    assert script().origin(ScriptFunction("", 0, 0)) is None  # the top-level code comes from all sources


@pytest.mark.parametrize("name", ["", "a b", "\n", "a" * 1_000_000, "(", "<!-- -->"])
def test_strange_names_are_not_used(name: str) -> None:
    assert origin("function Y@(e){}", "Y", [(0, 9, 0, 1, 0, 0)], names=[name]) == Origin("Y", 0, 2)


def test_script_of_another_build_is_recognised() -> None:
    functions = [ScriptFunction(*function) for function in FUNCTIONS]
    assert script().contains(functions)
    assert not script(f'"use strict";{SCRIPT}').contains(functions)
    assert not script("").contains(functions)
    assert script().contains([ScriptFunction("", 0, 10)])


@pytest.mark.parametrize(
    "function",
    [ScriptFunction("a" * 1_000_000, 0, 10), ScriptFunction("Y", 2**31, 2**31), ScriptFunction("Y", 0, 2**31)],
)
def test_positions_outside_of_the_script_are_unknown(function: ScriptFunction) -> None:
    script().origin(function)
    assert not script().contains([function])
