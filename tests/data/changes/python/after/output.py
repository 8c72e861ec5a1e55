"""How a shop writes."""


def export(items, separator):
    lines = [separator.join([item.name, str(item.price)]) for item in items]
    return "\n".join(lines)
