"""Many small objects: a document store with parents, indexes and snapshots, under the garbage collector."""

import sys
from collections import deque


class Node:
    """A document with a parent and children: cycles that only the collector can free."""

    def __init__(self, key, parent, fields):
        self.key = key
        self.parent = parent
        self.fields = fields
        self.children = []
        if parent is not None:
            parent.children.append(self)


def fields_of(number):
    """Fields of one document."""
    return {
        "number": number,
        "group": number % 17,
        "tags": [f"t{number % 5}", f"t{number % 11}"],
        "size": number * 3 % 101,
    }


def build(size, start):
    """A tree of documents."""
    root = Node("root", None, {"number": -1, "group": -1, "tags": [], "size": 0})
    level = deque([root])
    number = start
    while number < start + size:
        parent = level.popleft()
        for _ in range(4):
            level.append(Node(f"k{number}", parent, fields_of(number)))
            number += 1
    return root


def walk(root):
    """All documents of a tree."""
    found = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        found.append(node)
        waiting.extend(node.children)
    return found


def indexed(nodes):
    """Documents by group and by tag."""
    groups, tags = {}, {}
    for node in nodes:
        groups.setdefault(node.fields["group"], []).append((node.fields["size"], node.key))
        for tag in node.fields["tags"]:
            tags.setdefault(tag, []).append((node.key, node.fields["number"]))
    return groups, tags


def snapshot(nodes):
    """Copies of all documents as plain dictionaries."""
    result = []
    for node in nodes:
        copy = dict(node.fields)
        copy["tags"] = list(copy["tags"])
        copy["path"] = [node.key, node.parent.key if node.parent is not None else ""]
        result.append(copy)
    return result


def changed(before, after):
    """Which copies differ."""
    result = []
    for left, right in zip(before, after, strict=False):
        difference = {name: (left[name], right[name]) for name in left if left[name] != right.get(name)}
        if difference:
            result.append(difference)
    return result


def weigh(root):
    """Sum of sizes over the tree."""
    return root.fields["size"] + sum([weigh(child) for child in root.children])


def ordered(groups):
    """Largest documents of each group."""
    return {group: sorted(entries, reverse=True)[:5] for group, entries in groups.items()}


def touch(nodes):
    """Change some documents."""
    for place in range(0, len(nodes), 7):
        nodes[place].fields["size"] += 1


def batch(number):
    """One batch of documents, dropped afterwards."""
    root = build(600, number * 600)
    nodes = walk(root)
    before = snapshot(nodes)
    touch(nodes)
    after = snapshot(nodes)
    groups, tags = indexed(nodes)
    return len(changed(before, after)) + weigh(root) + len(ordered(groups)) + len(tags)


def main(rounds):
    """Print one number."""
    state = 0
    for number in range(rounds):
        state = (state * 31 + batch(number)) & 0xFFFFFFFF
    print(state)


if __name__ == "__main__":
    main(int(sys.argv[1]))
