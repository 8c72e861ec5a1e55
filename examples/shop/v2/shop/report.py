"""Tables of the day's report."""


def products_table(orders, amounts):
    """One line a product, the best seller first."""
    return table("product", totals([order.product for order in orders], amounts), 10)


def customers_table(orders, amounts):
    """The twenty best customers."""
    return table("customer", totals([order.customer for order in orders], amounts), 20)


def totals(names, amounts):
    """The sum of the amounts by name."""
    sums = {}
    for name, amount in zip(names, amounts):
        sums[name] = sums.get(name, 0) + amount
    return sums


def table(title, sums, most):
    """The biggest sums as aligned text."""
    rows = sorted(sums.items(), key=lambda row: (-row[1], row[0]))[:most]
    return "\n".join([f"{title:<20}{'total':>12}"] + [f"{name:<20}{euros(cents):>12}" for name, cents in rows])


def euros(cents):
    """12.34 from 1234."""
    return f"{cents // 100}.{cents % 100:02d}"
