import pytest

from profgate.attribution.repository_paths import RepositoryPaths

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
