"""A short run: a report on orders, as a command line tool prints it."""

import sys


def generate(count):
    """Orders as lines of text."""
    lines = []
    state = 12345
    for number in range(count):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        lines.append(
            f"{number};customer{state % 97};{state % 13 + 1};{state % 8999 / 100:.2f};{'EUR' if state % 3 else 'USD'}"
        )
    return lines


def fields(line):
    """Split one line."""
    return line.rstrip().split(";")


def amount(quantity, price, currency):
    """Value of an order in euros."""
    value = int(quantity) * float(price)
    return value if currency == "EUR" else value * 0.92


def parse(lines):
    """Lines to orders."""
    orders = []
    for line in lines:
        number, customer, quantity, price, currency = fields(line)
        orders.append((int(number), customer, amount(quantity, price, currency)))
    return orders


def grouped(orders):
    """Orders of each customer."""
    groups = {}
    for _, customer, value in orders:
        groups.setdefault(customer, []).append(value)
    return groups


def median(values):
    """The middle value."""
    ordered = sorted(values)
    return ordered[len(ordered) // 2]


def deviation(values, middle):
    """Mean distance from the middle."""
    result = 0.0
    for value in values:
        result += abs(value - middle)
    return result / len(values)


def trend(values):
    """Exponential average."""
    state = values[0]
    for value in values:
        state += 0.1 * (value - state)
    return state


def bars(groups):
    """One bar of text a customer."""
    highest = max(sum(values) for values in groups.values())
    return {customer: "#" * int(40 * sum(values) / highest) for customer, values in groups.items()}


def row(customer, values, bar):
    """One line of the report."""
    middle = median(values)
    return f"{customer:<12}{len(values):>5}{middle:>9.2f}{deviation(values, middle):>9.2f}{trend(values):>9.2f} {bar}"


def report(orders):
    """All lines of the report."""
    groups = grouped(orders)
    drawn = bars(groups)
    return [row(customer, groups[customer], drawn[customer]) for customer in sorted(groups)]


def main(rounds):
    """Print one number."""
    size = 0
    for part in range(rounds):
        size += sum(map(len, report(parse(generate(1000 + part)))))
    print(size)


if __name__ == "__main__":
    main(int(sys.argv[1]))
