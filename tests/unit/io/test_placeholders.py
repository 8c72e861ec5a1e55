from profgate.io.placeholders import filled, variables

VALUES = {"out": "/o", "version": "{out}; rm", "commit": ""}


def test_each_value_is_a_variable_and_a_word_in_braces() -> None:
    assert variables(VALUES) == {"PROFGATE_OUT": "/o", "PROFGATE_VERSION": "{out}; rm", "PROFGATE_COMMIT": ""}
    assert filled(["a{out}b{out}", "{commit}", "{version}"], VALUES) == ["a/ob/o", "", "{out}; rm"]


def test_other_braces_stay() -> None:
    words = ["{print $1}", "{Out}", "{out", "{{source}}"]
    assert filled(words, VALUES) == words
