"""The story of a day: lines of text in, a report out."""

from shop.orders import find_duplicates, parse_order
from shop.prices import price_of
from shop.report import customers_table, products_table

PRODUCTS = ("apple", "bread", "butter", "cheese", "coffee", "honey", "milk", "rice", "salt", "tea")


def sample_day(count):
    """So many order lines, the same on every machine."""
    state, lines = 20_260_101, []
    for number in range(count):
        state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
        product = PRODUCTS[state // 7 % len(PRODUCTS)]
        customer = state // 1_000 % 4_000
        again = number - 1 if state % 97 == 0 else number
        lines.append(f"{again:07d};customer-{customer:04d};{product};{state % 9 + 1}")
    return lines


def day_report(lines):
    """Totals by product and by customer, and how many orders came twice."""
    orders = [parse_order(line) for line in lines]
    twice = find_duplicates(orders)
    amounts = [price_of(order) for order in orders]
    return "\n".join(
        [
            products_table(orders, amounts),
            customers_table(orders, amounts),
            f"{len(orders)} orders, {len(twice)} of them came twice",
        ]
    )
