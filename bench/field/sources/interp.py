"""An interpreter of a small language: many small functions."""

import sys

SOURCE = """
total = 0 ;
count = 120 ;
while count do
  square = count * count + ( count - 3 ) * 2 ;
  rest = square - square / 7 * 7 ;
  if rest < 3 do total = total + rest * 2 ; else total = total + 1 ; end
  count = count - 1 ;
end
result = total * ( total + 1 ) / 2 ;
"""


class Lexer:
    """Splits a text into words."""

    def __init__(self, text):
        self.text = text
        self.place = 0

    def peek(self):
        """The character at the current place, empty at the end."""
        return self.text[self.place] if self.place < len(self.text) else ""

    def skip(self):
        """Step over white space."""
        while self.peek().isspace():
            self.place += 1

    def word(self, accepts):
        """Characters that are accepted."""
        start = self.place
        while (character := self.peek()) and accepts(character):
            self.place += 1
        return self.text[start : self.place]

    def token(self):
        """The next kind and text."""
        self.skip()
        character = self.peek()
        if character.isdigit():
            return "number", self.word(str.isdigit)
        if character.isalpha():
            return "name", self.word(str.isalpha)
        self.place += 1
        return ("end", "") if not character else ("sign", character)

    def tokens(self):
        """All of them."""
        result = []
        while (token := self.token())[0] != "end":
            result.append(token)
        result.append(token)
        return result


class Parser:
    """Reads words into a tree of tuples."""

    def __init__(self, tokens):
        self.tokens = tokens
        self.place = 0

    def current(self):
        """The text of the current word."""
        return self.tokens[self.place][1]

    def take(self):
        """The current word, and go on."""
        token = self.tokens[self.place]
        self.place += 1
        return token

    def expect(self, text):
        """Step over this word."""
        kind, found = self.take()
        if found != text:
            raise SyntaxError(f"expected {text}, found {kind} {found}")

    def block(self, *ends):
        """Statements up to one of the words."""
        statements = []
        while self.current() not in ends:
            statements.append(self.statement())
        return ("block", statements)

    def statement(self):
        """An assignment, a loop or a choice."""
        _, name = self.take()
        if name == "while":
            condition = self.comparison()
            self.expect("do")
            body = self.block("end")
            self.expect("end")
            return ("while", condition, body)
        if name == "if":
            condition = self.comparison()
            self.expect("do")
            first = self.block("else")
            self.expect("else")
            second = self.block("end")
            self.expect("end")
            return ("if", condition, first, second)
        self.expect("=")
        value = self.comparison()
        self.expect(";")
        return ("set", name, value)

    def comparison(self):
        """A sum, or two of them."""
        left = self.sum()
        if self.current() == "<":
            self.take()
            return ("<", left, self.sum())
        return left

    def sum(self):
        """Products."""
        left = self.product()
        while self.current() in ("+", "-"):
            left = (self.take()[1], left, self.product())
        return left

    def product(self):
        """Factors."""
        left = self.factor()
        while self.current() in ("*", "/"):
            left = (self.take()[1], left, self.factor())
        return left

    def factor(self):
        """A number, a name or a sum in parentheses."""
        kind, text = self.take()
        if text == "(":
            inner = self.comparison()
            self.expect(")")
            return inner
        return (kind, int(text)) if kind == "number" else ("name", text)


def folded(tree):
    """The tree with constants folded."""
    if tree[0] in ("number", "name"):
        return tree
    if tree[0] == "block":
        return ("block", [folded(part) for part in tree[1]])
    parts = [folded(part) if isinstance(part, tuple) else part for part in tree[1:]]
    if tree[0] in ("+", "-", "*") and parts[0][0] == "number" and parts[1][0] == "number":
        left, right = parts[0][1], parts[1][1]
        return ("number", left + right if tree[0] == "+" else left - right if tree[0] == "-" else left * right)
    return (tree[0], *parts)


class Machine:
    """Walks a tree."""

    def __init__(self):
        self.names = {}
        self.steps = 0

    def run(self, tree):
        """Execute a block."""
        for statement in tree[1]:
            self.execute(statement)

    def execute(self, statement):
        """Execute one statement."""
        kind = statement[0]
        self.steps += 1
        if kind == "set":
            self.store(statement[1], self.value(statement[2]))
        elif kind == "while":
            while self.value(statement[1]):
                self.run(statement[2])
        elif self.value(statement[1]):
            self.run(statement[2])
        else:
            self.run(statement[3])

    def store(self, name, value):
        """Set a name."""
        self.names[name] = value

    def load(self, name):
        """The value of a name."""
        return self.names[name]

    def value(self, tree):
        """The value of an expression."""
        kind = tree[0]
        if kind == "number":
            return tree[1]
        if kind == "name":
            return self.load(tree[1])
        return self.binary(kind, self.value(tree[1]), self.value(tree[2]))

    def binary(self, kind, left, right):
        """Apply one operator."""
        if kind == "+":
            return self.add(left, right)
        if kind == "-":
            return left - right
        if kind == "*":
            return left * right
        if kind == "/":
            return left // right
        return int(left < right)

    def add(self, left, right):
        """A sum that wraps at 32 bits."""
        return (left + right) & 0xFFFFFFFF


def compiled(text):
    """Text to tree."""
    tokens = Lexer(text).tokens()
    return folded(Parser(tokens).block(""))


def evaluate(text):
    """Text to result."""
    tree = compiled(text)
    machine = Machine()
    machine.run(tree)
    return machine.names["result"]


def main(rounds):
    """Evaluate the text several times and print one number."""
    state = 0
    for _ in range(rounds):
        state = (state * 31 + evaluate(SOURCE)) & 0xFFFFFFFF
    print(state)


if __name__ == "__main__":
    main(int(sys.argv[1]))
