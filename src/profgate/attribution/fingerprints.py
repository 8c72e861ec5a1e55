"""Divides a source file into functions and computes fingerprints that ignore layout, comments and some order."""

import hashlib
from typing import TYPE_CHECKING, Literal

from profgate.attribution.exact_code import exact_digest
from profgate.attribution.grammars import GRAMMARS, Language, language_of, node_types, parser_of
from profgate.attribution.syntax_names import name_parts, signature_of
from profgate.model.record import Record, Struct, field, replace

if TYPE_CHECKING:
    from tree_sitter import Node

LARGEST_SOURCE = 400_000  # maximum size in bytes; only generated files are larger
DEEPEST = 2_000  # maximum level; only generated or malicious sources are nested more deeply
FunctionKind = Literal["function", "anonymous", "scope", "module"]
# nodes that count as one token although they have children
_WHOLE = node_types(
    "string_content string_fragment interpreted_string_literal_content raw_string_literal format_specifier regex"
    " jsx_text preproc_arg char_literal escape_sequence"
)
_BODIES = node_types(
    "block class_body statement_block declaration_list field_declaration_list enum_body interface_body"
    " annotation_type_body"
)


class SourceFunction(Record):
    """A function, or the code outside the functions of a class (``scope``) or file (``module``).

    ``parts`` is the qualified name, outermost scope first. The lines from ``first`` to ``last``, counted from 1,
    include decorators, and the definition itself begins at line ``opens``. ``signature`` distinguishes overloads.
    ``broken`` is True if the function contains a syntax error, which makes the fingerprint meaningless. ``calls``
    contains the words before its opening parentheses, among them the last names of the functions that it calls.
    """

    parts: tuple[str, ...]
    kind: FunctionKind
    first: int
    opens: int
    last: int
    fingerprint: str
    tokens: int
    signature: str
    broken: bool
    calls: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The last part of the qualified name."""
        return self.parts[-1] if self.parts else "<module>"


class ParsedSource(Record):
    """The functions of a file, sorted by first line, and its `exact_digest`."""

    functions: tuple[SourceFunction, ...]
    exact: str = ""


def parsed_source(path: str, text: str) -> ParsedSource | None:
    """Parse a file. Return None if the language is not supported, or if the file is too long or nested too deeply."""
    language = language_of(path)
    source = text.encode("utf-8", "surrogatepass")
    if language is None or len(source) > LARGEST_SOURCE or "\0" in text:
        return None
    root = parser_of(language).parse(source).root_node
    parsed = _Walk(language).over(root)
    return None if parsed is None else replace(parsed, exact=exact_digest(language, text, root))


class _Tokens(Struct):
    """A digest and number of tokens, whether one is an opening parenthesis, and whether a function is nested."""

    digest: hashlib.blake2b = field(default_factory=lambda: hashlib.blake2b(digest_size=16))
    count: int = 0
    calls: bool = False
    nested: bool = False


class _Open(Struct):
    """A function, scope or file being read, with the depths of its node and statements, and the current statement."""

    parts: tuple[str, ...]
    kind: FunctionKind
    node: "Node"
    depth: int
    opens: int
    signature: str = ""
    items: int | None = None
    tokens: _Tokens = field(default_factory=_Tokens)
    item: _Tokens = field(default_factory=_Tokens)
    broken: bool = False
    closures: int = 0
    calls: set[str] = field(default_factory=set)

    @property
    def current(self) -> _Tokens:
        """The digest to which the next token is added."""
        return self.item if self.kind in {"scope", "module"} else self.tokens

    def end_item(self) -> None:
        """Add a finished statement unless it only defines functions, which have their own fingerprints."""
        item, self.item = self.item, _Tokens()
        if item.count and (item.calls or not item.nested):
            self.tokens.digest.update(item.digest.digest())
            self.tokens.count += item.count

    def closed(self) -> SourceFunction:
        self.end_item()
        return SourceFunction(
            self.parts,
            self.kind,
            self.node.start_point[0] + 1,
            self.opens,
            self.node.end_point[0] + 1,
            self.tokens.digest.hexdigest(),
            self.tokens.count,
            self.signature,
            self.broken,
            frozenset(self.calls),
        )


class _Walk:
    """A single pass over a syntax tree, without recursion because sources can be nested to any depth."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self.grammar = GRAMMARS[language]
        self.above: list[Node] = []
        self.open: list[_Open] = []
        self.comma = False
        self.leading: list[Node] = []
        self.names = 0
        self.word = b""

    def over(self, root: "Node") -> ParsedSource | None:
        """Return the parsed source, or None if the tree exceeds the limit on size, depth or names."""
        self.open = [_Open((), "module", root, 0, 1, items=1, broken=root.is_error)]
        done: list[SourceFunction] = []
        damaged, nodes = root.has_error, 0
        waiting: list[tuple[Node, bool]] = [(root, False)]
        while waiting:
            node, seen = waiting.pop()
            if seen:
                self.above.pop()
                self._leave(node, done)
                continue
            nodes += 1
            # the limit of names grows with the source, because names of nested functions count once for each level
            if nodes > 1_000_000 or len(self.above) > DEEPEST or self.names > 1000 + root.end_byte:
                return None
            if damaged and (node.is_error or node.is_missing):
                self.open[-1].broken = True
            if not self.above or self._enters(node):
                waiting.append((node, True))
                waiting += [(child, False) for child in reversed(node.children)]
                self.above.append(node)
        done.sort(key=lambda function: (function.first, -function.last, function.parts))
        return ParsedSource(tuple(done))

    def _enters(self, node: "Node") -> bool:
        """Process a node and return whether its children must also be processed."""
        kind, now = node.type, self.open[-1]
        if self._passes_over(node, kind, now):
            return False
        opened = self._opens(node, now)
        before, self.leading = self.leading, []
        for attribute in before:
            self._token(b"".join((attribute.text or b"").split()))
        if opened:
            return True
        if now.kind == "scope" and now.items is None and kind in _BODIES:
            now.items = len(self.above) + 1
        elif not node.child_count or kind in _WHOLE:
            self._leaf(node, kind)
            return False
        elif node.is_named and kind not in self.grammar.grouping:
            self._structure(b"(" + kind.encode())
        return True

    def _passes_over(self, node: "Node", kind: str, now: _Open) -> bool:
        """Return whether the node is ignored: a comment or an attribute of the next function."""
        if kind in self.grammar.silent or self._is_documentation(node):
            return True
        if now.items == len(self.above) and now.item.count:
            now.end_item()
        if kind in self.grammar.leading:
            self.leading.append(node)
            return True
        return False

    def _leave(self, node: "Node", done: list[SourceFunction]) -> None:
        now, depth = self.open[-1], len(self.above)
        if now.depth == depth:
            self._flush()
            done.append(self.open.pop().closed())
            self.names += len(now.parts)
            if self.open:
                around = self.open[-1]
                if around.current is around.item:
                    around.item.nested = True
                    around.item.count += 1
                else:
                    self._structure(b"\x01nested")
        elif node.is_named and node.type not in self.grammar.grouping and now.items != depth + 1:
            self._structure(b")")

    def _is_documentation(self, node: "Node") -> bool:
        """Return whether the node is a statement that consists only of a string, such as a docstring in Python."""
        if self.language != "python" or node.type != "expression_statement" or node.child_count != 1:
            return False
        only = node.children[0]
        return only.type == "string" and b"f" not in (only.text or b"").partition(b'"')[0].partition(b"'")[0].lower()

    def _opens(self, node: "Node", now: _Open) -> bool:
        """Start a function or scope if the node is a definition or wraps one, and return whether it did."""
        inner = node
        if node.type in self.grammar.wrappers:
            inner = (node.named_children or [node])[-1]
        elif self.above[-1].type in self.grammar.wrappers and now.node == self.above[-1]:
            return False
        function = inner.is_named and inner.type in self.grammar.functions
        if not function and (inner.type not in self.grammar.scopes or inner.child_by_field_name("body") is None):
            return False
        parts, named = name_parts(self.language, inner, self.above, now.closures + 1)
        now.closures += not named
        kind: FunctionKind = "scope" if not function else "function" if named else "anonymous"
        self._flush()
        signature = signature_of(self.language, inner, self.above) if function else ""
        self.open.append(_Open((*now.parts, *parts), kind, node, len(self.above), inner.start_point[0] + 1, signature))
        return True

    def _leaf(self, node: "Node", kind: str) -> None:
        text, now, around = node.text or b"", self.open[-1], self.above[-1].type
        if kind in self.grammar.quotes:
            text = text.replace(b"'", b'"')
        elif kind == "jsx_text":
            text = b" ".join(text.split())
        elif (text == b";" and around in self.grammar.idle_ends) or (
            text in {b"(", b")"} and around in self.grammar.grouping
        ):
            return
        if text in {b")", b"]", b"}"}:
            self.comma = False
        self._flush()
        if text == b"," and around not in {"subscript", "expression_list", "pattern_list"}:
            self.comma = True
            return
        if text == b"(":
            now.item.calls = True
            now.calls.add(self.word.decode("utf-8", "replace"))
        self.word = text
        itself = now.kind == "function" and text == now.parts[-1].encode("utf-8", "surrogatepass")
        self._token(b"\x01itself" if itself and text else text)

    def _token(self, text: bytes) -> None:
        if text:
            tokens = self.open[-1].current
            tokens.digest.update(b"%d:%b" % (len(text), text))
            tokens.count += 1

    def _structure(self, mark: bytes) -> None:
        """Add a mark for the beginning or end of a subtree to the digest. The mark does not count as a token."""
        self._flush()
        self.open[-1].current.digest.update(b"%d:%b" % (len(mark), mark))

    def _flush(self) -> None:
        """Add a pending comma unless it is a trailing comma."""
        if self.comma:
            self.comma = False
            self._token(b",")
