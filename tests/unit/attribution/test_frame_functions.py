"""Which function a frame means, by the rules of each language."""

import pytest

from profgate.attribution.fingerprints import parsed_source
from profgate.attribution.frame_functions import functions_meant, has_own_name
from profgate.attribution.function_changes import KnownFunction
from profgate.attribution.grammars import language_of

PYTHON = (
    "def f():\n"
    "    return [g(x) for x in y]\n"
    "\n"
    "class A:\n"
    "    def f(self):\n"
    "        return 1\n"
    "    def g(self):\n"
    "        return lambda: 2\n"
)
SCRIPT = (
    "const a = () => 1;\n"
    "class B {\n"
    "  constructor() {}\n"
    "  get c() { return x.map(y => y) }\n"
    "}\n"
    "exports.d = function () {};\n"
    "const e = { f: function () {} };\n"
    "A.prototype.h = async () => 3;\n"
)
GO = "package p\nfunc (t *T) M() {\n\tfunc() {\n\t}()\n}\nfunc F[K any](k K) {\n}\nvar v = func() {}\n"
JAVA = (
    "package a;\n"
    "class A {\n"
    "  A() {}\n"
    "  int m(int b) { return 1; }\n"
    "  int m(String b) {\n"
    "    return run(() -> 2); }\n"
    "  class B { void n() {} static {} }\n"
    "}\n"
)
CPP = (
    "namespace n {\n"
    "int A::f(int a) { return 1; }\n"
    "template <class T> T g(T t) { return t; }\n"
    "bool operator<(A a, A b) { return 1; }\n"
    "struct C { ~C() {} bool operator()(int b) { return 1; } };\n"
    "}\n"
)
RUST = (
    "impl<T> Shape for S<T> {\n  fn g(&self) -> i32 {\n    let c = |x| x;\n    c(1) }\n}\nfn f() {}\n"
    "mod m { trait Q { fn d() {} } }\n"
)
TYPED = "class A { private h = (a: number) => a; static m<T>(x: T) {} }\nnamespace N { function k() {} }\n"


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.py", PYTHON, "f A.f A.g A.g.<lambda>"),
        ("a.js", SCRIPT, "a B.constructor B.c B.c.(anonymous) d f A.h"),
        ("a.ts", TYPED, "A.h A.m N.k"),
        ("a.go", GO, "T.M T.M.func1 F func1"),
        ("A.java", JAVA, "A.<init> A.m A.m A.m.lambda A.B.n A.B.<clinit>"),
        ("a.cc", CPP, "n.A.f n.g n.operator< n.C.~C n.C.operator()"),
        ("a.rs", RUST, "S.g S.g.{closure#0} f m.Q.d"),
    ],
)
def test_functions_have_their_qualified_names(path: str, text: str, expected: str) -> None:
    parsed = parsed_source(path, text)
    assert parsed is not None
    found = [".".join(item.parts) for item in parsed.functions if item.kind in {"function", "anonymous"}]
    assert sorted(found) == sorted(expected.split())


def meant(path: str, text: str, name: str, line: int | None = None, *, exact: bool = False) -> list[str]:
    parsed, language = parsed_source(path, text), language_of(path)
    assert parsed is not None
    assert language is not None
    known = [KnownFunction(path, function, "same") for function in parsed.functions]
    found = functions_meant(name, line, known, language, exact=exact)
    return [".".join(item.function.parts) or "<module>" for item in found]


@pytest.mark.parametrize(
    ("path", "text", "name", "line", "expected"),
    [
        ("a.py", PYTHON, "A.g", None, ["A.g"]),
        ("a.py", PYTHON, "f", 1, ["f", "A.f"]),  # a bare name stands for both
        ("a.py", PYTHON, "A.f", 6, ["A.f"]),
        ("a.py", PYTHON, "pkg.A.f", None, ["A.f"]),
        ("a.py", PYTHON, "<listcomp>", 2, ["f"]),
        ("a.py", PYTHON, "A.g.<locals>.<lambda>", 8, ["A.g.<lambda>"]),
        ("a.py", PYTHON, "<module>", 1, ["<module>"]),
        ("a.py", PYTHON, "A", 4, ["A"]),
        ("a.py", PYTHON, "A.g", 2, []),  # the line lies in another function: these are not the sources it ran
        ("a.py", PYTHON, "h", None, []),
        ("a.js", SCRIPT, "a", 1, ["a"]),
        ("a.js", SCRIPT, "B", 3, ["B", "B.constructor"]),
        ("a.js", SCRIPT, "get c", 4, ["B.c"]),
        ("a.js", SCRIPT, "B.c", 4, ["B.c"]),
        ("a.js", SCRIPT, "exports.d", 6, ["d"]),
        ("a.js", SCRIPT, "(anonymous)", 4, ["B.c.(anonymous)"]),
        ("a.go", GO, "example.org/p.(*T).M", 2, ["T.M"]),
        ("a.go", GO, "example.org/p.(*T).M.func1", 3, ["T.M.func1"]),
        ("a.go", GO, "p.(*T).M-fm", None, ["T.M"]),
        ("a.go", GO, "p.F[go.shape.int_0]", 6, ["F"]),
        ("a/A.java", JAVA, "a.A.m", None, ["A.m", "A.m"]),
        ("a/A.java", JAVA, "a.A$B.n", None, ["A.B.n"]),
        ("a/A.java", JAVA, "a.A.<init>", None, ["A.<init>"]),
        ("a/A.java", JAVA, "a.A.lambda$m$0", None, ["A.m.lambda"]),
        ("a.cc", CPP, "n::A::f(int)", None, ["n.A.f"]),
        ("a.cc", CPP, "int n::g<int>(int)", None, ["n.g"]),
        ("a.cc", CPP, "n::operator<(n::A, n::A)", None, ["n.operator<"]),
        ("a.cc", CPP, "m::A::f(int)", None, []),
        ("a.rs", RUST, "<crate::S<T> as crate::Shape>::g", None, ["S.g"]),
        ("a.rs", RUST, "crate::S<T>::g::{{closure}}", None, ["S.g.{closure#0}"]),
        ("a.rs", RUST, "crate::f", None, ["f"]),
    ],
)
def test_names_of_profilers_lead_to_functions(
    path: str, text: str, name: str, line: int | None, expected: list[str]
) -> None:
    assert meant(path, text, name, line) == expected


def test_a_first_line_settles_what_a_name_does_not() -> None:
    assert meant("a.js", SCRIPT, "inferred.by.engine", 6, exact=True) == ["d"]
    assert meant("a.js", SCRIPT, "inferred.by.engine", 6) == []
    assert meant("a.js", "const a = () => 1, b = () => 2;", "c", 1, exact=True) == []


@pytest.mark.parametrize(
    "name",
    [
        *("<genexpr>", "<lambda>", "<listcomp>", "Cart.total.<locals>.<lambda>", "<module>"),
        *("(anonymous)", "<anonymous>", "Cart.<anonymous>", "anonymous", "(anonymous function)"),
        *("main.run.func1", "func1", "closure", "{closure}", "app::run::{{closure}}", "app::run::{closure#0}"),
        *("run(int)::{lambda(int)#1}", "lambda$run$0", "Main$.$anonfun$run$1", "block in run", "Cart.<Run>b__0"),
    ],
)
def test_closures_and_comprehensions_have_no_name_of_their_own(name: str) -> None:
    assert not has_own_name(name)
