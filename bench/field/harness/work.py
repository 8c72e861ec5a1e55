"""Counts words of documents, by which they are compared."""


def words(text: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for word in text.split():
        key = word.strip(".,").lower()
        found[key] = found.get(key, 0) + 1
    return found


def weight(counts: dict[str, int], block: int) -> int:
    total = 0
    for word, count in counts.items():
        for letter in word:
            total = (total * 31 + ord(letter) * count + block) % 1000003
    return total


def process(text: str, block: int) -> int:
    if not text:
        raise ValueError("the document is empty")
    return weight(words(text), block)
