"""A shop."""
import functools
from dataclasses import dataclass


def total(items, tax=0.2):
    result = 0.0
    for item in items:
        result += item.price * (1 + tax)
    return result


def count_all(items):
    seen = {}
    for item in items:
        seen[item.name] = seen.get(item.name, 0) + 1
    return sum(seen.values())


def ranked(items):
    def weight(item):
        return item.price - len(item.name)

    return sorted(items, key=weight)


def cheapest(items):
    return min(items, key=lambda item: item.price)


@functools.lru_cache(maxsize=None)
def rate(country):
    return len(country) / 100


def export(items, separator):
    lines = [separator.join([item.name, str(item.price)]) for item in items]
    return "\n".join(lines)


class Cart:
    def __init__(self):
        self.items = []

    def add(self, item):
        self.items.append(item)

    def value(self):
        return total(self.items)


class Stock:
    def __init__(self, size):
        self.items = [None] * size

    def value(self):
        return sum(item.price for item in self.items if item)


@dataclass
class Item:
    name: str
    price: float


def makers():
    made = {}
    exec("def made_one(n):\n    return n * 2\n", made)
    return made["made_one"]
