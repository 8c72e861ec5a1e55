"""What of a frame's name survives between two builds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from profgate.model.frame_names import (
    FrameKey,
    frame_key,
    has_position,
    is_library,
    needles_of,
    normalised_name,
    normalised_path,
    process_name,
    shape_of,
)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("f (pkg/a.py:12)", "f (pkg/a.py)"),
        ("g (x.js:12:4)", "g (x.js)"),
        ("Foo$$Lambda$14/0x0000000800c03000.run", "Foo$$Lambda.run"),
        ("GeneratedMethodAccessor17.invoke", "GeneratedMethodAccessor.invoke"),
        ("LambdaForm$DMH.0x0000000800c03000.invokeStatic", "LambdaForm$DMH.invokeStatic"),
        ("$Proxy12.call", "$Proxy.call"),
        ("User$ByteBuddy$jHbYCxwQ.getName", "User$ByteBuddy$.getName"),
        ("String.get_[j]", "String.get"),
        ("write_[k]", "write_[k]"),
        ("foo.isra.0.cold", "foo"),
        ("_start+0x1f", "_start"),
        ("foo.isra.0+0x1f", "foo"),
        ("lang_start::h0123456789abcdef", "lang_start"),
        ("core[b3f4a1c2d3e4f506]::fmt", "core::fmt"),
        ("ex.org/a@v1.2.3/c.Do", "ex.org/a/c.Do"),
        ("main.3f2a9c1bde.js", "main.js"),
        ("chunk-3f2a9c1bde.js", "chunk-3f2a9c1bde.js"),
        ("load (lib/python3.11/json/decoder.py:3)", "load (lib/python/json/decoder.py)"),
        ("[0x7f3a11c0de]", "[0x...]"),
        ("main.(*T).func1.2", "main.(*T).func1.2"),
        ("f<int>", "f<int>"),
    ],
)
def test_safe_rules(name: str, key: str) -> None:
    assert normalised_name(name) == key


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("/home/runner/work/repo/repo/pkg/a.py", "pkg/a.py"),
        ("/github/workspace/pkg/a.py", "pkg/a.py"),
        ("/usr/lib/python3/dist-packages/numpy/core.py", "numpy/core.py"),
        ("/x/venv/lib/python3.11/site-packages/requests/api.py", "requests/api.py"),
        ("C:\\a\\b.py", "C:/a/b.py"),
        ("/usr/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/libc.so.6"),
        ("/usr/lib/go-1.19/src/runtime/map.go", "runtime/map.go"),
        ("/opt/hostedtoolcache/go/1.22.3/x64/src/runtime/map.go", "runtime/map.go"),
        ("pkg/a.py", "pkg/a.py"),
    ],
)
def test_paths_lose_what_the_machine_adds(path: str, key: str) -> None:
    assert normalised_path(path) == key


def test_file_and_line_leave_the_name() -> None:
    assert frame_key("parse (shop/orders.py:42)", None, None) == FrameKey("parse", "shop/orders.py", 42)
    assert frame_key("parse", "/github/workspace/shop/orders.py", 3) == FrameKey("parse", "shop/orders.py", 3)
    assert frame_key("call (deferred)", None, None) == FrameKey("call (deferred)", None, None)


def test_roots_of_processes_and_threads_lose_their_numbers() -> None:
    assert process_name("pool-1-thread-3") == "pool-*-thread-*"
    assert process_name("GC Thread#12") == "GC Thread#*"
    assert process_name("process 4711:python x.py") == "process *:python x.py"
    assert process_name("Thread 7f12") == "Thread *"
    assert process_name("Thread (4243)") == "Thread (*)"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("job 003d6aa3-ebdd-4893-abcd-ffffffffffff", "job 42cfadc0-f779-4eca-8cf6-cbf1585d552d"),
        ("_index_html_erb__123456_70", "_index_html_erb___654321_81"),
        ("run()::'lambda'(int)", "run()::'lambda1'(int)"),
        ("torchinductor/qx/cqxabcdefghijklmnopqrst2.py", "torchinductor/4z/c4zabcdefghijklmnopqrst3.py"),
        ("assets/index-DiwrgTda.js", "assets/index-B_xc9Q-T.js"),
        ("chunk-ABCDEFGH.js", "chunk-2BCDEFGH.js"),
        ("Main.sat_sOrd_info", "Main.sat_s2Xy_info"),
    ],
)
def test_names_of_one_shape(one: str, other: str) -> None:
    assert shape_of(one, within_words=False) == shape_of(other, within_words=False) != one


@pytest.mark.parametrize("name", ["index-settings.js", "get_file_info", "arrange_2021/ab/cd.py", "a_lambda"])
def test_words_are_no_hashes(name: str) -> None:
    assert shape_of(name, within_words=False) == name.replace("2021", "*")


@pytest.mark.parametrize(
    ("name", "position"),
    [
        *dict.fromkeys(
            ("main.run.func2", "run()::$_1::operator()", "wasm-function[120]", "main._omp_fn.0"), True
        ).items(),
        *dict.fromkeys(("<>c__DisplayClass0_0.<Main>b__1", "__run_block_invoke_2", "main.run-range1"), True).items(),
        *dict.fromkeys(("lambda_method12(Closure)", "__omp_outlined__.3"), True).items(),
        *dict.fromkeys(("stage_1", "conv2d_3", "shard[3]", "worker.1"), False).items(),
    ],
)
def test_numbers_that_count_functions(name: str, position: bool) -> None:
    assert has_position(shape_of(name, within_words=False)) is position


@pytest.mark.parametrize("name", ["main2", "process2", "process::exit2", "Pool3.run", "std::vector<thread, 2>::at"])
def test_functions_keep_their_numbers(name: str) -> None:
    assert process_name(name) == name


PIECES = st.sampled_from(
    [
        *("f", "ab", " ", "/", "(", ")", " (a.py:12)", ".js", ".isra.0", "+0x1f", "$$Lambda$4", "$Proxy7", "[", "]"),
        *("<x>", "::h0123456789abcdef", "[0123456789abcdef]", "@v1.2.3/", "python3.11/", "chunk-", ".3f2a9c1bde"),
        *("_[j]", "lambda$m$3"),
    ]
)


@given(st.lists(PIECES, max_size=7).map("".join))
def test_normalising_twice_changes_nothing(name: str) -> None:
    once = normalised_name(name)
    assert normalised_name(once) == once


@given(st.lists(st.lists(PIECES, max_size=5).map("".join), min_size=1, max_size=5))
def test_names_that_no_rule_can_change_are_told_from_all_of_them(names: list[str]) -> None:
    for name in names:
        key = frame_key(name, None, None, needles=tuple(needles_of("\n".join(names))))
        whole = key.name if key.file is None else f"{key.name} ({key.file})"
        assert whole == normalised_name(name)


@pytest.mark.parametrize(
    ("variant", "name"),
    [
        ("__memcpy_avx_unaligned_erms", "memcpy"),
        ("__memset_avx2_unaligned_erms_rtm", "memset"),
        ("__strlen_evex512", "strlen"),
        ("__strcmp_sse42", "strcmp"),
        ("__strcmp_sse2_unaligned", "strcmp"),
        ("__memcmp_avx2_movbe", "memcmp"),
        ("__ieee754_pow_fma", "ieee754_pow"),
        ("__memcpy_sve", "memcpy"),
        ("my_avx2", "my_avx2"),
        ("__libc_start_main", "__libc_start_main"),
    ],
)
def test_variants_for_processors_have_one_name(variant: str, name: str) -> None:
    assert normalised_name(variant) == name


@pytest.mark.parametrize(
    ("label", "file", "module"),
    [
        ("get", "/x/venv/lib/python3.11/site-packages/requests/api.py", None),
        ("dumps (/usr/lib/python3.11/json/encoder.py:9)", None, None),
        ("emit", "node:events", None),
        ("mallocgc", "/usr/local/go/src/runtime/malloc.go", None),
        ("malloc", None, "/usr/lib/x86_64-linux-gnu/libc.so.6"),
        ("do_syscall_64", None, "[kernel.kallsyms]"),
        ("_PyEval_EvalFrameDefault", None, "/usr/bin/python3.11"),
        ("<alloc::vec::Vec<T> as Clone>::clone", None, "/home/a/b/prog"),
        ("java.util.HashMap.put", None, None),
        ("<built-in method builtins.sorted>", None, None),
    ],
)
def test_places_of_other_projects(label: str, file: str | None, module: str | None) -> None:
    assert is_library(label, file, module)


@pytest.mark.parametrize(
    ("label", "file", "module"),
    [
        ("find", "/usr/src/app/shop/cart.py", None),
        ("find (shop/cart.py:3)", None, None),
        ("json_loads", None, "/home/a/jansson/build/libjansson.so.4"),
        ("Index::lookup", None, "/home/a/lib/prog"),
        ("org.example.Cart.find", None, None),
        ("main.find", None, None),
    ],
)
def test_other_places_are_those_of_the_project(label: str, file: str | None, module: str | None) -> None:
    assert not is_library(label, file, module)
