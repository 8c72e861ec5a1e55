"""Prices in cents, with discounts and tax."""

PRICES = {
    "apple": 40, "bread": 320, "butter": 250, "cheese": 780, "coffee": 990,
    "honey": 640, "milk": 120, "rice": 210, "salt": 90, "tea": 450,
}
DISCOUNTS = ((2, 1), (4, 3), (6, 5), (8, 8))  # from so many pieces on, so many percent off
TAX = 7  # percent


def price_of(order):
    """What the order costs, in whole cents."""
    net = PRICES[order.product] * order.count
    return with_tax(net - net * discount(order.count) // 100)


def discount(count):
    """Percent off for this many pieces."""
    best = 0
    for pieces, percent in DISCOUNTS:
        if count >= pieces:
            best = max(best, percent)
    return best


def with_tax(net):
    """Net plus tax, rounded to the cent."""
    cents = net * (100 + TAX)
    return cents // 100 + (1 if cents % 100 >= 50 else 0)
