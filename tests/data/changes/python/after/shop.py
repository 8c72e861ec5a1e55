"""A shop."""
import functools
from dataclasses import dataclass

from output import export


# the order changed, nothing else
def makers():
    made = {}
    exec("def made_one(n):\n    return n * 2\n", made)
    return made["made_one"]


def total(items, tax=0.2):
    """Sum with tax."""
    result = 0.0
    for item in items:  # every one
        result += (
            item.price * (1 + tax)
        )
    return result


def count_items(items):
    seen = {}
    for item in items:
        seen[item.name] = seen.get(item.name, 0) + 1
    return sum(seen.values())


def ranked(items):
    def weight(item):
        return item.price - 2 * len(item.name)

    return sorted(items, key=weight)


def cheapest(items):
    return min(items, key=lambda item: (item.price, item.name))


def rate(country):
    return len(country) / 100


class Cart:
    def __init__(self):
        self.items = []

    def add(self, item):
        self.items = [*self.items, item]

    def value(self):
        return total(self.items)

    def clear(self):
        self.items = []


class Stock:
    def __init__(self, size):
        self.items = [None] * size

    def value(self):
        return sum(item.price for item in self.items if item)


@dataclass
class Item:
    name: str
    price: float
