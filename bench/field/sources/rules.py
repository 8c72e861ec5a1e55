"""Symbolic algebra with many small methods: expressions are built, differentiated, simplified, printed and evaluated."""

import sys


class Number:
    """A constant."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def derived(self):
        """Zero."""
        return Number(0)

    def simple(self):
        """Itself."""
        return self

    def at(self, x):  # noqa: ARG002 - as that of the others
        """The value for any x."""
        return self.value

    def text(self):
        """Digits."""
        return str(self.value)

    def size(self):
        """One node."""
        return 1


class Variable:
    """Its argument."""

    __slots__ = ()

    def derived(self):
        """One."""
        return Number(1)

    def simple(self):
        """Itself."""
        return self

    def at(self, x):
        """Its argument."""
        return x

    def text(self):
        """Its name."""
        return "x"

    def size(self):
        """One node."""
        return 1


class Pair:
    """An operation on two expressions."""

    __slots__ = ("left", "right")

    def __init__(self, left, right):
        self.left = left
        self.right = right

    def text(self):
        """Both sides in parentheses."""
        return f"({self.left.text()} {self.sign} {self.right.text()})"

    def size(self):
        """Nodes of both sides and this one."""
        return 1 + self.left.size() + self.right.size()


class Sum(Pair):
    """Left plus right."""

    __slots__ = ()
    sign = "+"

    def derived(self):
        """The sum of both derivatives."""
        return Sum(self.left.derived(), self.right.derived())

    def simple(self):
        """Without zeros, constants added."""
        return added(self.left.simple(), self.right.simple())

    def at(self, x):
        """The sum of both values."""
        return self.left.at(x) + self.right.at(x)


class Product(Pair):
    """Left times right."""

    __slots__ = ()
    sign = "*"

    def derived(self):
        """The product rule."""
        return Sum(Product(self.left.derived(), self.right), Product(self.left, self.right.derived()))

    def simple(self):
        """Without ones and zeros, constants multiplied."""
        return multiplied(self.left.simple(), self.right.simple())

    def at(self, x):
        """The product of both values."""
        return self.left.at(x) * self.right.at(x)


def constant(expression):
    """The value of a number, None for anything else."""
    return expression.value if isinstance(expression, Number) else None


def added(left, right):
    """The simplest sum of two simple expressions."""
    one, other = constant(left), constant(right)
    if one is not None and other is not None:
        return Number(one + other)
    if one == 0:
        return right
    return left if other == 0 else Sum(left, right)


def multiplied(left, right):
    """The simplest product of two simple expressions."""
    one, other = constant(left), constant(right)
    if one is not None and other is not None:
        return Number(one * other)
    if one == 0 or other == 0:
        return Number(0)
    if one == 1:
        return right
    return left if other == 1 else Product(left, right)


def built(depth, state):
    """An expression of this depth and the next state."""
    state = (state * 1103515245 + 12345) & 0x7FFFFFFF
    if depth == 0:
        return (Variable() if (state >> 8) % 2 else Number((state >> 9) % 5)), state
    left, state = built(depth - 1, state)
    right, state = built(depth - 1, state)
    return (Sum(left, right) if (state >> 10) % 2 else Product(left, right)), state


def table(expression, count):
    """Values at several places."""
    return [expression.at(place / count) for place in range(count)]


def smallest(values):
    """The least distance of neighbours."""
    found = float("inf")
    for place in range(1, len(values)):
        found = min(found, abs(values[place] - values[place - 1]))
    return found


def balanced(text):
    """Deepest nesting of parentheses."""
    depth = deepest = 0
    for letter in text:
        if letter == "(":
            depth += 1
            deepest = max(deepest, depth)
        elif letter == ")":
            depth -= 1
    return deepest


def digest(text):
    """A checksum."""
    state = 7
    for letter in text:
        state = (state * 31 + ord(letter)) & 0xFFFFFFFF
    return state


def study(number):
    """One expression with its derivative."""
    expression, _ = built(5, number)
    derived = expression.derived().simple()
    text = derived.text()
    return derived.size() + balanced(text) + digest(text) % 97 + int(smallest(table(derived, 12)) > 0.1)


def main(rounds):
    """Print one number."""
    print(sum(study(number) for number in range(rounds)))


if __name__ == "__main__":
    main(int(sys.argv[1]))
