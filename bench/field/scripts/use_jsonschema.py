"""Validate documents against a schema with references."""

from jsonschema import Draft7Validator

SCHEMA = {
    "definitions": {
        "item": {
            "type": "object",
            "required": ["name", "price"],
            "properties": {
                "name": {"type": "string", "minLength": 2, "pattern": "^[a-z]"},
                "price": {"type": "number", "minimum": 0},
                "tags": {"type": "array", "items": {"$ref": "#/definitions/tag"}, "maxItems": 5},
            },
        },
        "tag": {"enum": ["red", "green", "blue"]},
    },
    "type": "object",
    "properties": {"items": {"type": "array", "items": {"$ref": "#/definitions/item"}}},
}
DOCUMENT = {
    "items": [{"name": f"item{n}", "price": n - 1, "tags": ["red", "blue", "grey"][: n % 4]} for n in range(30)]
}


def work():
    """One unit of work."""
    return sum(1 for _ in Draft7Validator(SCHEMA).iter_errors(DOCUMENT))


if __name__ == "__main__":
    import sys

    for _ in range(int(sys.argv[1])):
        work()
