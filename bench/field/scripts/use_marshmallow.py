"""Load and dump nested objects."""

from marshmallow import Schema, fields, validate


class Item(Schema):
    """A part of an order."""

    name = fields.String(required=True, validate=validate.Length(min=1, max=40))
    price = fields.Float(validate=validate.Range(min=0))
    count = fields.Integer()


class Order(Schema):
    """An order."""

    number = fields.Integer(required=True)
    mail = fields.Email()
    when = fields.DateTime()
    items = fields.List(fields.Nested(Item))
    notes = fields.Dict(keys=fields.String(), values=fields.String())


DATA = [
    {
        "number": n,
        "mail": f"user{n}@example.org",
        "when": "2024-05-06T07:08:09",
        "items": [{"name": f"item {k}", "price": 1.5 * k, "count": k} for k in range(5)],
        "notes": {"a": "b", "c": "d"},
    }
    for n in range(20)
]


def work():
    """One unit of work."""
    schema = Order(many=True)
    return len(schema.dump(schema.load(DATA)))


if __name__ == "__main__":
    import sys

    for _ in range(int(sys.argv[1])):
        work()
