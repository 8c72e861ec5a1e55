"""Names with numbers, hashes and addresses that a build, process or run sets anew, from files to reports."""

import random
import re
from collections.abc import Mapping, Sequence

import pytest

from profgate import pipeline
from profgate.model.source import SourceFile, source_of
from profgate.pipeline import PipelineInput

SIZES = 1600, 1400
OTHERS = {f"main;stage;{name}": 700 for name in ("read", "sort", "write", "flush", "close", "log", "wait")}

# two functions, and the numbers that the baseline and the target put in place of each "%"
SHAPES = {
    "Go closures": ("main.run.func%", "main.run.func%", "1 2", "2 3"),
    "Go nested closures": ("main.run.func%.1", "main.run.func%.2", "1 1", "3 3"),
    "Go method": ("main.(*T).Run.func%", "main.(*T).Run.gowrap%", "1 1", "4 2"),
    "Java lambdas": ("App.lambda$main$%", "App.lambda$main$%", "0 1", "3 4"),
    "Java classes": ("com/a/App$%.run", "com/a/App$%.run", "1 2", "2 3"),
    "Kotlin": ("AKt.main$lambda$%", "AKt$main$%.invoke", "0 1", "2 3"),
    "Scala": ("App$$anonfun$%.apply", "App$.$anonfun$main$%", "1 2", "3 5"),
    "C# lambdas": ("App!P.<Main>b__%_0", "App!P.<Main>b__%_1", "0 0", "3 3"),
    "C# async": ("App!P+<Parse>d__%.MoveNext", "App!P+<Emit>d__%.MoveNext", "3 4", "5 6"),
    "C# captured": ("P+<>c__DisplayClass%_0.<Main>b__0", "P.<Main>g__Local|%_1", "0 0", "2 2"),
    ".NET dynamic": (
        *("DynamicClass!lambda_method%(pMT: %)", "DynamicClass!lambda_method%(pMT: %)"),
        *("12 00007FF812345678 13 00007FF812345699", "33 00007FF8AB345678 34 00007FF8AB345699"),
    ),
    "C++ lambdas": (
        *("run()::{lambda(int)#%}::operator()(int) const", "run()::{lambda(int)#%}::operator()(int) const"),
        *("1 2", "2 3"),
    ),
    "clang lambdas": ("main::$_%::operator()(int) const", "main::$_%::operator()(int) const", "0 1", "2 3"),
    "Rust closures": ("app::run::{closure#%}", "app::run::{closure#%}", "0 1", "1 2"),
    "Rust v0": ("_RNvCs%_4demo5parse", "_RNvCs%_4demo4emit", "1Hgq7fZ2aBc 1Hgq7fZ2aBc", "kLmNoPqRsTu kLmNoPqRsTu"),
    "Rust hashes": (
        *("app::parse::h%", "app::emit::h%"),
        *("0123456789abcdef 1123456789abcdef", "2123456789abcdef 3123456789abcdef"),
    ),
    "Swift": ("closure #% in run()", "closure #% in run()", "1 2", "3 4"),
    "OCaml": ("camlApp__Main__parse_%", "camlApp__Main__emit_%", "1231 1232", "1241 1242"),
    "OCaml functions": ("camlApp__fun_%", "camlApp__fun_%", "1231 1240", "1240 1249"),
    "Julia": ("julia_parse_%", "julia_emit_%", "7371 7372", "9611 9612"),
    "Julia closures": ("#%#%", "#%#%", "5 6 7 8", "9 10 11 12"),
    "GHC": ("sat_s%_info", "go1_r%_info", "2Xy1 2Fh", "3Zq1 3Gk"),
    "numba": (
        *("parse[abi:v%][abi:cw%]", "emit[abi:v%][abi:cw%]"),
        *(
            "1 51cXTLSUwv1sCUt9Ww1VEw09RRQPKz 2 51cXTLSUwv1sCUt9Ww1VEw09RRQPKz",
            "5 61cXTLSUwv1kABuG4QmVE0wRRQPKz 6 61cXTLSUwv1kABuG4QmVE0wRRQPKz",
        ),
    ),
    "Spring": (
        *("Svc$$EnhancerBySpringCGLIB$$%.run", "Dao$$EnhancerBySpringCGLIB$$%.get"),
        *("1a2b413d 5e6f7a80", "9c2b221d 0e1f7a81"),
    ),
    "Mockito": (
        *("com.a.Svc$MockitoMock$%.run", "com.a.Svc$MockitoMock$%.get"),
        *("1234567890 1234567890", "987654321 987654321"),
    ),
    "Hibernate": (
        *("com.a.User$HibernateProxy$%.getName", "com.a.User$HibernateProxy$%.getId"),
        *("a1B2c3D4 a1B2c3D4", "Q9e8R7t6 Q9e8R7t6"),
    ),
    "Java proxies": ("jdk.proxy%.$Proxy%.call", "GeneratedMethodAccessor%.invoke", "2 12 17", "3 14 19"),
    "Flight recorder": (
        *("jdk.jfr.internal.handlers.EventHandler%_%-%.write", "jdk.jfr.internal.handlers.EventHandler%_%-%.write"),
        *("1346 17958744356 15356 1347 17958744356 15356", "1356 17958744735 15735 1357 17958744735 15735"),
    ),
    "Clojure": ("app.core$parse$fn__%.invoke", "app.core$eval%.invokeStatic", "1234 1236", "2234 2236"),
    "Xdebug": ("{closure:/app/src/A.php:%-%}", "{closure:/app/src/A.php:%-%}", "12 14 20 21", "15 17 23 24"),
    "excimer": ("{closure:/app/src/A.php(%)}", "{closure:/app/src/A.php(%)}", "6 9", "9 12"),
    "IPython": (
        *("slow (<ipython-input-1-%>:%)", "fast (<ipython-input-1-%>:%)"),
        *("360782aaaa3f 3 360782aaaa3f 9", "360782bbbb4e 4 360782bbbb4e 8"),
    ),
    "addresses": (
        *("alloc600<%>", "alloc300<%>"),
        *("00000000000012de 000000000000134a", "00000000000012fe 000000000000136a"),
    ),
    "Kineto": ("bench.py(%): run", "bench.py(%): <lambda>", "22 30", "25 33"),
    "Erlang": ("app:'-run/1-fun-%-'/2", "app:'-run/1-fun-%-'/2", "0 1", "1 2"),
    "wasm": ("wasm-function[%]", "wasm-function[%]", "123 140", "125 142"),
    "V8 evaluated": ("parse (evalmachine.<anonymous-%>)", "emit (VM%)", "12 1234", "15 1301"),
    "inductor": ("triton_poi_fused_add_%", "triton_red_fused_sum_%", "0 1", "2 3"),
    "bundler": (
        *("render$% (dist/index-%.js)", "route$% (dist/index-%.js)"),
        *("1 Bs1KqjHf 2 Bs1KqjHf", "2 Dm2VxLpR 3 Dm2VxLpR"),
    ),
}


def named(first: str, second: str, numbers: str) -> list[str]:
    given = iter(numbers.split())
    return [re.sub("%", lambda _: next(given), name) for name in (first, second)]


def side(workloads: Mapping[str, Mapping[str, float]], seed: int, runs: int = 5) -> list[SourceFile]:
    """Runs whose sample counts scatter as sampling does."""
    files = []
    for workload, stacks in workloads.items():
        for run in range(runs):
            chance = random.Random(100 * seed + run)
            counts = {stack: round(chance.gauss(count, count**0.5)) for stack, count in {**OTHERS, **stacks}.items()}
            text = "".join(f"{stack} {count}\n" for stack, count in counts.items())
            files.append(source_of(f"{workload}/{run}.folded", text.encode()))
    return files


def findings(
    baseline: Mapping[str, Mapping[str, float]], target: Mapping[str, Mapping[str, float]]
) -> dict[str, dict[str, tuple[str, float | None, float | None]]]:
    """The colour and the costs of each finding by workload and name."""
    report = pipeline.compare(PipelineInput(side(baseline, 1), side(target, 2), pages=0)).report
    return {
        load.name: {
            one.location.name: (one.colour, one.changes[0].from_value, one.changes[0].to_value)
            for one in load.metrics[0].findings
        }
        for load in report.workloads
    }


def below_main(names: Sequence[str], sizes: Sequence[float] = SIZES) -> dict[str, float]:
    return {f"main;{name}": size for name, size in zip(names, sizes, strict=True)}


@pytest.mark.parametrize("slower", [None, 0, 1])
def test_findings_are_those_of_stable_names(slower: int | None) -> None:
    sizes = [size * (1.4 if place == slower else 1) for place, size in enumerate(SIZES)]
    before, after, target = {}, {}, {}
    for place, (first, second, old, new) in enumerate(SHAPES.values()):
        workload = f"shape-{place}"
        before[workload] = below_main(named(first, second, old))
        after[workload] = below_main(named(first, second, new))
        target[workload] = below_main(named(first, second, new), sizes)
    found = findings(before, target)
    assert found == findings(after, target)
    red = {name: [colour for colour, *_ in rows.values()].count("red") for name, rows in found.items()}
    assert red == dict.fromkeys(before, int(slower is not None))
