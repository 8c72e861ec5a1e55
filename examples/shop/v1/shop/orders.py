"""Orders: reading one, and finding those that were sent twice."""

from collections import namedtuple

Order = namedtuple("Order", "number customer product count")

RECENT = 150  # a repeated order follows soon after the first


def parse_order(line):
    """An order from its line: number;customer;product;count."""
    number, customer, product, count = line.split(";")
    return Order(int(number), clean(customer), clean(product), int(count))


def clean(text):
    """Lower case, only letters, digits and dashes."""
    return "".join(letter for letter in text.lower() if letter.isalnum() or letter == "-")


def find_duplicates(orders):
    """The orders whose number was already seen among the recent ones."""
    seen, recent, twice = set(), [], []
    for order in orders:
        if order.number in seen:
            twice.append(order)
        seen.add(order.number)
        recent.append(order.number)
        if len(recent) > RECENT:
            seen.discard(recent.pop(0))
    return twice
