import pytest

from comparisons import from_exclusive
from folder_diffs import folder_diff
from profgate.attribution.identity import functions_of_moved_files, functions_of_packages, not_to_pair
from profgate.attribution.repository_paths import RepositoryPaths, files_of_two_folders, files_of_two_roots
from profgate.attribution.unified_diff import parse_diff
from profgate.model.comparison import Comparison
from profgate.model.record import replace

MOVED = parse_diff(
    "diff --git a/src/shop/cart.py b/src/shop/basket.py\nrename from src/shop/cart.py\nrename to src/shop/basket.py\n",
    "x.diff",
)
CART, BASKET = "shop/cart.py", "shop/basket.py"


def compared(baseline: dict[str, str], target: dict[str, str]) -> Comparison:
    """Functions by number, as ``name (file)``, on each side; one number is one function of both sides."""
    made = from_exclusive([dict.fromkeys(baseline, 10)], [dict.fromkeys(target, 10)])
    parts = [(baseline | target)[number].rstrip(")").split(" (") for number in made.symbols.names]
    symbols = replace(made.symbols, names=[name for name, _ in parts], files=[file for _, file in parts])
    return replace(made, symbols=symbols)


@pytest.mark.parametrize(
    ("baseline", "target", "found"),
    [
        ({"a": f"total ({CART})"}, {"b": f"total ({BASKET})"}, {("total", CART): ("total", BASKET)}),
        (
            {"a": "total (/src/shop/cart.py)"},
            {"b": f"total ({BASKET})"},
            {("total", "/src/shop/cart.py"): ("total", BASKET)},
        ),
        ({"a": f"total ({CART})"}, {"b": f"sum ({BASKET})"}, {}),  # another name
        ({"a": f"total ({CART})"}, {"b": "total (shop/other.py)"}, {}),  # another file
        ({"a": "total (lib/cart.py)"}, {"b": f"total ({BASKET})"}, {}),
        ({"a": f"total ({CART})"}, {"a": f"total ({CART})", "b": f"total ({BASKET})"}, {}),  # still there
        ({"a": f"total ({CART})", "b": f"total ({BASKET})"}, {"b": f"total ({BASKET})"}, {}),  # was there before
        ({"a": f"total ({CART})"}, {"b": f"total ({BASKET})", "c": "get (/app/src/shop/basket.py)"}, {}),  # two texts
    ],
)
def test_functions_of_a_renamed_file_are_the_same(
    baseline: dict[str, str], target: dict[str, str], found: dict[tuple[str, str], tuple[str, str]]
) -> None:
    assert functions_of_moved_files(compared(baseline, target), MOVED) == found


ORDER = "example.com/shop/stock.byPath"


@pytest.mark.parametrize(
    ("baseline", "target", "found"),
    [
        ([f"{ORDER} (stock/a.go)"], [f"{ORDER} (stock/b.go)"], 1),
        ([f"{ORDER}.func1 (stock/a.go)"], [f"{ORDER}.func1 (stock/b.go)"], 1),
        (["pp$3.parse (acorn/dist/acorn.js)"], ["pp$8.parse (acorn/dist/acorn.js)"], 1),
        (["pp$3.parse (a/x.js)", "pp$4.parse (a/x.js)"], ["pp$8.parse (a/x.js)", "pp$9.parse (a/x.js)"], 0),
        (["Ruler.push (md/lib/ruler.js)"], ["Ruler.push (md/dist/index.cjs.js)"], 1),
        (["Ruler.push (md/lib/ruler.js)"], ["Ruler.push (linkify/dist/index.cjs.js)"], 0),  # another package
        (["f (/usr/src/node_modules/a/lib/x.js)"], ["f (/usr/src/node_modules/a/dist/x.js)"], 1),
        (["f (/usr/src/node_modules/a/x.js)"], ["f (/usr/src/node_modules/b/x.js)"], 0),
        (["f (/usr/src/node_modules/a/x.js)"], ["f (/usr/src/app/x.js)"], 0),
        (["f (pkg/a.py)", "g (pkg/a.py)", "<module> (pkg/a.py)"], ["f (pkg/b.py)", "g (pkg/b.py)"], 2),
        (
            ["f (pkg/a.py)", "g (pkg/a.py)", "<module> (pkg/a.py)"],
            ["f (pkg/b.py)", "g (pkg/b.py)", "<module> (pkg/b.py)"],
            3,
        ),
        (["f (pkg/a.py)", "<module> (pkg/a.py)"], ["f (pkg/b.py)", "<module> (pkg/b.py)"], 1),
        (["f (pkg/a.py)"], ["f (other/b.py)"], 0),
        (["f (pkg/a.py)"], ["f (pkg/b.py)", "f (pkg/c.py)"], 0),
        (["__init__ (pkg/a.py)"], ["__init__ (pkg/b.py)"], 0),  # of any class
    ],
)
def test_unique_name_in_package_is_one_function(baseline: list[str], target: list[str], found: int) -> None:
    sides = (
        {f"{side}{place}": name for place, name in enumerate(names)}
        for side, names in zip("ab", (baseline, target), strict=True)
    )
    made = compared(*sides)
    assert len(functions_of_packages(made, not_to_pair(made, None))) == found


ROOTS = folder_diff({"shop/cart.py": "a"}, {"shop/cart.py": "b"}, frozenset({"shop/cart.py", "shop/stock.py"}))


@pytest.mark.parametrize(
    ("baseline", "target", "found"),
    [
        ("shop-1/shop/cart.py", "shop-2/shop/cart.py", True),  # two releases, unpacked side by side
        ("shop-1/shop/stock.py", "shop-2/shop/stock.py", True),  # also where nothing changed in it
        ("shop/cart.py", "build/shop/cart.py", True),
        ("shop-1/shop/cart.py", "shop-2/shop/stock.py", False),
        ("lib-1/cart.py", "lib-2/cart.py", False),  # nobody's file
    ],
)
def test_a_file_of_two_folders_is_one_file(baseline: str, target: str, *, found: bool) -> None:
    made = compared({"a": f"total ({baseline})"}, {"b": f"sum ({target})"})
    assert files_of_two_roots(made, ROOTS) == ({baseline: target} if found else {})


def on(side: str, *files: str) -> dict[str, str]:
    """A function of each file, by a number of the side."""
    return {f"{side}{place}": f"f ({file})" for place, file in enumerate(files)}


@pytest.mark.parametrize(
    ("baseline", "target", "folders"),
    [
        (("s-1/a.py", "s-1/in/b.py"), ("s-2/a.py", "s-2/in/b.py"), ("s-1/", "s-2/")),
        (("a.py", "in/b.py"), ("build/a.py", "build/in/b.py"), ("", "build/")),
        (("s-1/a.py", "s-1/in/b.py", "s-1/gone.py"), ("s-2/a.py", "s-2/in/b.py", "s-2/new.py"), ("s-1/", "s-2/")),
        (("s-1/a.py",), ("s-2/a.py",), None),  # functions of one file may match by chance
        (("x/a.py", "y/b.py"), ("v/a.py", "w/b.py"), None),  # two folders that have nothing to do with each other
    ],
)
def test_two_folders_are_seen_without_sources(
    baseline: tuple[str, ...], target: tuple[str, ...], folders: tuple[str, str] | None
) -> None:
    both = {"z": "f (lib/json.py)"}
    made = compared({**on("b", *baseline), **both}, {**on("t", *target), **both})
    found, seen = files_of_two_folders(made)
    if folders is None:
        assert (found, seen) == ({}, ("", ""))
    else:
        assert seen == folders
        assert found == {folders[0] + path: folders[1] + path for path in ("a.py", "in/b.py")}


@pytest.mark.parametrize(("names", "paired"), [("main load parse", True), ("main load", False)])
def test_a_single_file_of_two_folders_is_paired_by_its_functions(names: str, paired: bool) -> None:
    old, new = ({f"{side}{name}": f"{name} ({side}/bench/run.py)" for name in names.split()} for side in ("b", "t"))
    found, _ = files_of_two_folders(compared({**old, "x": "gone (b/bench/run.py)"}, {**new, "y": "f (lib/json.py)"}))
    assert found == ({"b/bench/run.py": "t/bench/run.py"} if paired else {})


def test_packages_with_equal_file_names_stay_apart() -> None:
    old = {f"o{place}": f"{name} (pickles/io.py)" for place, name in enumerate(("f", "load", "save", "close"))}
    old |= {"m": "<module> (pickles/io.py)", "n": "f (pickles/base.py)"}
    new = {f"t{place}": f"{name} (jsons/io.py)" for place, name in enumerate(("f", "read", "write", "shut"))}
    new |= {"p": "<module> (jsons/io.py)", "q": "g (jsons/base.py)"}
    assert files_of_two_folders(compared(old, new)) == ({}, ("", ""))


FILES = ("main.py", "src/shop/cart.py", "src/shop/utils.py", "tools/utils.py", "shop/cart.py", "pkg/sort/heap.go")


@pytest.mark.parametrize(
    ("file", "path"),
    [
        ("src/shop/cart.py", "src/shop/cart.py"),
        ("/home/me/checkout/src/shop/cart.py", "src/shop/cart.py"),
        ("file:///srv/src/shop/cart.py", "src/shop/cart.py"),
        ("webpack:///./src/shop/cart.py", "src/shop/cart.py"),
        (r"D:\a\shop\src\shop\utils.py", "src/shop/utils.py"),
        ("github.com/octo/tool/pkg/sort/heap.go", "pkg/sort/heap.go"),
        ("sort/heap.go", "pkg/sort/heap.go"),
        ("heap.go", "pkg/sort/heap.go"),
        ("main.py", "main.py"),
        ("/usr/lib/other/main.py", None),  # a file at the top is not found by its bare name
        ("utils.py", None),  # two of that name
        ("requests/utils.py", None),
        ("cart.pyc", None),
        ("<frozen importlib._bootstrap>", None),
        ("~", None),
        ("", None),
        (None, None),
    ],
)
def test_the_only_fitting_file_is_found(file: str | None, path: str | None) -> None:
    assert RepositoryPaths(FILES, all_known=True).find(file) == path


def test_bare_name_needs_a_complete_list_of_files() -> None:
    some = RepositoryPaths(["src/shop/cart.py"], all_known=False)
    assert some.find("cart.py") is None
    assert some.find("shop/cart.py") == "src/shop/cart.py"
