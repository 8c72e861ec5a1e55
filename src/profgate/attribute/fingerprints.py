"""The functions of a source file, each with a fingerprint of its tokens that layout and comments do not change."""

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from profgate.attribute.grammars import Language, grammar_of, language_of, parser_of
from profgate.attribute.syntax_names import name_of, signature_of

if TYPE_CHECKING:
    from tree_sitter import Node

LARGEST_SOURCE = 400_000  # bytes; a longer file was made by a program
MOST_NODES = 1_000_000
DEEPEST = 2_000  # nodes; what is nested deeper is an attack, or a table
SHORTEST = 12  # tokens; bodies shorter than that are alike by chance
Kind = Literal["function", "anonymous", "scope", "module"]
_WHOLE = frozenset(
    {
        "string_content",
        "string_fragment",
        "interpreted_string_literal_content",
        "raw_string_literal",
        "format_specifier",
        "regex",
        "jsx_text",
        "preproc_arg",
        "char_literal",
        "escape_sequence",
    }
)
_PARENTHESES = frozenset({b"(", b")"})
_CLOSING = frozenset({b")", b"]", b"}"})
_COMMA_COUNTS = frozenset({"subscript", "expression_list", "pattern_list"})
_BODIES = frozenset(
    {
        "block",
        "class_body",
        "statement_block",
        "declaration_list",
        "field_declaration_list",
        "enum_body",
        "interface_body",
        "annotation_type_body",
    }
)
_EXPORTS = (b"module.exports", b"exports.", b"export {", b"export{", b"export *", b"export default")
_WORD = re.compile(r"[^\W\d][\w$]*")
_NESTED = b"\x01nested"
_ITSELF = b"\x01itself"


@dataclass(frozen=True, slots=True)
class SourceFunction:
    """A function, or what of a class (``scope``) or file (``module``) is outside its functions.

    ``parts`` is the qualified name from the outermost scope in. ``first`` and ``last`` are lines counted from 1, with
    decorators; ``opens`` is the line where its own definition begins. ``signature`` tells overloads apart. ``words``
    are the identifiers it mentions. ``broken``: the parser met an error inside, so nothing follows from the tokens.
    """

    parts: tuple[str, ...]
    kind: Kind
    first: int
    opens: int
    last: int
    fingerprint: bytes
    tokens: int
    signature: str
    words: frozenset[str]
    broken: bool

    @property
    def name(self) -> str:
        """The last part of the qualified name."""
        return self.parts[-1] if self.parts else "<module>"


@dataclass(frozen=True, slots=True)
class ParsedSource:
    """A file's functions in the order of their first lines; ``imports`` are whole statements with the words in them."""

    language: Language
    functions: tuple[SourceFunction, ...]
    imports: frozenset[tuple[str, frozenset[str]]]


def parsed_source(path: str, text: str) -> ParsedSource | None:
    """The functions of a file; None for a language without a grammar, and for what is too long or nested too deeply."""
    language = language_of(path)
    source = text.encode("utf-8", "surrogatepass")
    if language is None or len(source) > LARGEST_SOURCE or "\0" in text:
        return None
    tree = parser_of(language).parse(source)
    return _Walk(language, damaged=tree.root_node.has_error).over(tree.root_node)


class _Open:
    """A function, scope or file while its tokens are read; ``depth`` is that of the node that opened it."""

    def __init__(self, parts: tuple[str, ...], kind: Kind, node: "Node", depth: int, opens: int) -> None:
        self.parts = parts
        self.kind = kind
        self.node = node
        self.depth = depth
        self.opens = opens
        self.signature = ""
        self.digest = hashlib.blake2b(digest_size=16)
        self.tokens = 0
        self.words: set[str] = set()
        self.broken = False
        self.closures = 0
        self.itself = parts[-1].encode("utf-8", "surrogatepass") if kind == "function" else b""
        # of a file or scope: where its statements stand, and the one that is being read
        self.items = depth + 1 if kind == "module" else None
        self.item = _Item()

    @property
    def contains(self) -> bool:
        """Whether it is no function: its statements are told apart, and functions in it are none of its tokens."""
        return self.kind in {"scope", "module"}

    def feed(self, token: bytes) -> None:
        digest = self.item.digest if self.contains else self.digest
        digest.update(b"%d:%b" % (len(token), token))

    def end_item(self) -> None:
        """Takes the statement in, but for a mere definition of functions: those have fingerprints of their own."""
        item, self.item = self.item, _Item()
        if item.tokens and not (item.nested and not item.calls):
            self.digest.update(item.digest.digest())
            self.tokens += item.tokens

    def closed(self) -> SourceFunction:
        self.end_item()
        return SourceFunction(
            self.parts,
            self.kind,
            self.node.start_point[0] + 1,
            self.opens,
            self.node.end_point[0] + 1,
            self.digest.digest(),
            self.tokens,
            self.signature,
            frozenset(self.words),
            self.broken,
        )


class _Item:
    """A statement of a file or class while it is read."""

    def __init__(self) -> None:
        self.digest = hashlib.blake2b(digest_size=16)
        self.tokens = 0
        self.nested = False
        self.calls = False


class _Walk:
    """One pass over a tree, without recursion: its depth is whatever the file's author wishes."""

    def __init__(self, language: Language, *, damaged: bool) -> None:
        self.grammar = grammar_of(language)
        self.language = language
        self.damaged = damaged
        self.above: list[Node] = []
        self.open: list[_Open] = []
        self.done: list[SourceFunction] = []
        self.imports: set[tuple[str, frozenset[str]]] = set()
        self.comma = False
        self.leading: list[Node] = []
        self.wrapped = 0

    def over(self, root: "Node") -> ParsedSource | None:
        """What the tree holds; None where it is larger or deeper than a person writes."""
        self.open = [_Open((), "module", root, 0, 1)]
        self.open[0].broken = root.is_error
        cursor, nodes = root.walk(), 0
        node: Node | None = root
        while node is not None:
            nodes += 1
            if nodes > MOST_NODES or len(self.above) > DEEPEST:
                return None
            if (self._enters(node) if self.above else True) and cursor.goto_first_child():
                self.above.append(node)
                node = cursor.node
                continue
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    self.done.append(self.open.pop().closed())
                    self.done.sort(key=lambda one: (one.first, -one.last, one.parts))
                    return ParsedSource(self.language, tuple(self.done), frozenset(self.imports))
                self._leaves(self.above.pop())
            node = cursor.node
        return None

    def _enters(self, node: "Node") -> bool:
        """Takes a node in; False where nothing below it is to be looked at."""
        kind, now = node.type, self.open[-1]
        if self.damaged and (node.is_error or node.is_missing):
            now.broken = True
        if self._passes_over(node, kind, now):
            return False
        opened = self._opened(node, now)
        before, self.leading = self.leading, []
        for one in before:
            self._token(b"".join((one.text or b"").split()))
        if opened:
            return True
        if now.kind == "scope" and now.items is None and kind in _BODIES:
            now.items = len(self.above) + 1
        elif not node.child_count or kind in _WHOLE:
            self._leaf(node, kind)
            return False
        elif node.is_named and kind not in self.grammar.grouping:
            self._flush()
            now.feed(b"(" + kind.encode())
        return True

    def _passes_over(self, node: "Node", kind: str, now: _Open) -> bool:
        """Whether a node says nothing of its own: comments, imports, and what is kept for the function behind it."""
        if kind in self.grammar.silent or self._is_idle_text(node):
            return True
        if now.items == len(self.above) and now.item.tokens:
            now.end_item()
        if kind in self.grammar.leading:
            self.leading.append(node)
            return True
        if now.contains and self._is_import(node, now):
            text = b" ".join((node.text or b"").split()).decode("utf-8", "replace")
            self.imports.add((text, frozenset(_WORD.findall(text))))
            return True
        return False

    def _leaves(self, node: "Node") -> None:
        if not self.above:
            return
        now = self.open[-1]
        if now.depth == len(self.above):
            self._flush()
            self.done.append(self.open.pop().closed())
            around = self.open[-1]
            if around.contains:
                around.item.nested = True
                around.item.tokens += 1
            else:
                around.words |= now.words
                around.feed(_NESTED)
        elif (
            node.is_named
            and node.type not in self.grammar.grouping
            and not (now.items is not None and now.items == len(self.above) + 1)
        ):
            self._flush()
            now.feed(b")")

    def _is_idle_text(self, node: "Node") -> bool:
        """A text that stands as a statement, which Python's documentation does."""
        if self.language != "python" or node.type != "expression_statement" or node.child_count != 1:
            return False
        only = node.children[0]
        return only.type == "string" and b"f" not in (only.text or b"").partition(b'"')[0].partition(b"'")[0].lower()

    def _is_import(self, node: "Node", now: _Open) -> bool:
        if node.type in self.grammar.imports:
            return True
        if now.items != len(self.above) or node.type not in {"expression_statement", "export_statement"}:
            return False
        start = (node.text or b"")[:4096]
        return start.startswith(_EXPORTS) and b"(" not in start and b"=>" not in start and b"class" not in start

    def _opened(self, node: "Node", now: _Open) -> bool:
        """Opens a function or a scope if the node, or what it wraps, is one."""
        inner = node
        if node.type in self.grammar.wrappers:
            named = node.named_children
            inner = named[-1] if named else node
            self.wrapped = inner.id
        elif node.id == self.wrapped:
            return False
        function = inner.is_named and inner.type in self.grammar.functions
        if not function and (inner.type not in self.grammar.scopes or inner.child_by_field_name("body") is None):
            return False
        now.closures += 1
        parts, named_so = name_of(self.language, inner, self.above, now.closures)
        now.closures -= named_so
        kind: Kind = "scope" if not function else "function" if named_so else "anonymous"
        self._flush()
        one = _Open((*now.parts, *parts), kind, node, len(self.above), inner.start_point[0] + 1)
        one.signature = signature_of(self.language, inner, self.above) if function else ""
        self.open.append(one)
        return True

    def _leaf(self, node: "Node", kind: str) -> None:
        text, now = node.text or b"", self.open[-1]
        if kind in self.grammar.quotes:
            text = text.replace(b"'", b'"')
        elif kind == "jsx_text":
            text = b" ".join(text.split())
        elif self._is_idle_sign(text, self.above[-1].type):
            return
        if text in _CLOSING:
            self.comma = False
        self._flush()
        if text == b"," and self.above[-1].type not in _COMMA_COUNTS:
            self.comma = True
            return
        if node.is_named and "identifier" in kind:
            now.words.add(text.decode("utf-8", "replace"))
        if text == b"(":
            now.item.calls = True
        self._token(_ITSELF if text == now.itself and text else text)

    def _is_idle_sign(self, text: bytes, around: str) -> bool:
        if text == b";":
            return around in self.grammar.idle_ends
        return text in _PARENTHESES and around in self.grammar.grouping

    def _token(self, text: bytes) -> None:
        if text:
            now = self.open[-1]
            now.feed(text)
            if now.contains:
                now.item.tokens += 1
            else:
                now.tokens += 1

    def _flush(self) -> None:
        """A comma counts once something follows it that does not close the list."""
        if self.comma:
            self.comma = False
            self._token(b",")
