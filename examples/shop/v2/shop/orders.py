"""Orders: reading one, and finding those that were sent twice."""

from collections import deque, namedtuple

Order = namedtuple("Order", "number customer product count")

RECENT = 150  # a repeated order follows soon after the first


def parse_order(line):
    """An order from its line: number;customer;product;count."""
    number, customer, product, count = line.split(";")
    return Order(int(number), clean(customer), clean(product), int(count))


# Customers type their names as they like;
# we compare them in one spelling.
def clean(text):
    """Lower case, only letters, digits and dashes."""
    return "".join(letter for letter in text.lower() if letter.isalnum() or letter == "-")


# The deque forgets old numbers by itself, so there is no second collection
# to keep in step any more.
def find_duplicates(orders):
    """The orders whose number was already seen among the recent ones."""
    recent, twice = deque(maxlen=RECENT), []
    for order in orders:
        if order.number in recent:
            twice.append(order)
        recent.append(order.number)
    return twice
