"""A search engine over small documents: words are stemmed and indexed, queries are ranked and shown with excerpts."""

import math
import sys

LETTERS = "etaoinshrdlucmfwypvbgkjqxz"
ENDINGS = ("ations", "ation", "ings", "ing", "ers", "er", "ed", "es", "s")


def draw(state):
    """The next number of a fixed sequence."""
    return (state * 1103515245 + 12345) & 0x7FFFFFFF


def vocabulary(count):
    """Words of two to nine letters."""
    words = []
    state = 99
    for number in range(count):
        letters = []
        for _ in range(2 + number % 8):
            state = draw(state)
            letters.append(LETTERS[(state >> 8) % len(LETTERS)])
        words.append("".join(letters) + ENDINGS[number % len(ENDINGS)])
    return words


def document(words, number, size):
    """One text: frequent words come first in the vocabulary."""
    state = number + 1
    chosen = []
    for _ in range(size):
        state = draw(state)
        place = int(len(words) * ((state >> 8) % 1000 / 1000.0) ** 2)
        chosen.append(words[place])
    return " ".join(chosen)


def tokens(text):
    """Lower-case words."""
    return [word.strip(".,") for word in text.lower().split()]


def stem(word):
    """The word without its ending."""
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word[: -len(ending)]
    return word


def add(index, lengths, number, text):
    """Put one document into the index."""
    terms = [stem(word) for word in tokens(text)]
    lengths[number] = len(terms)
    for term in terms:
        postings = index.setdefault(term, {})
        postings[number] = postings.get(number, 0) + 1


def rarity(index, term, count):
    """Weight of a term that few documents hold."""
    holding = len(index.get(term, ()))
    return math.log(1.0 + (count - holding + 0.5) / (holding + 0.5))


def contribution(frequency, length, average):
    """Part of a score for one term in one document."""
    return frequency * 2.2 / (frequency + 1.2 * (0.25 + 0.75 * length / average))


def score(index, lengths, terms):
    """Scores of all documents that hold one of the terms."""
    average = sum(lengths.values()) / len(lengths)
    scores = {}
    for term in terms:
        weight = rarity(index, term, len(lengths))
        for number, frequency in index.get(term, {}).items():
            scores[number] = scores.get(number, 0.0) + weight * contribution(frequency, lengths[number], average)
    return scores


def best(scores, count):
    """The documents with the highest scores."""
    return sorted(scores, key=lambda number: (-scores[number], number))[:count]


def window(words, terms, width):
    """Where most of the terms stand together."""
    hits = [1 if word in terms else 0 for word in words]
    current = sum(hits[:width])
    highest, place = current, 0
    for start in range(1, max(1, len(words) - width)):
        current += hits[start + width - 1] - hits[start - 1]
        if current > highest:
            highest, place = current, start
    return place


def excerpt(text, terms):
    """A part of the text with the terms marked."""
    words = tokens(text)
    place = window([stem(word) for word in words], terms, 12)
    return " ".join(f"*{word}*" if stem(word) in terms else word for word in words[place : place + 12])


def search(index, lengths, texts, query):
    """Excerpts of the best documents."""
    terms = {stem(word) for word in tokens(query)}
    scores = score(index, lengths, terms)
    return [excerpt(texts[number], terms) for number in best(scores, 3)]


def common_prefix(left, right):
    """Number of equal letters at the start."""
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count


def compressed(index):
    """Size of the sorted terms when each is stored by what differs from the one before."""
    size, last = 0, ""
    for term in sorted(index):
        size += len(term) - common_prefix(last, term) + 2
        last = term
    return size


def session(words, number):
    """One index with its queries."""
    texts = [document(words, number * 100 + part, 40) for part in range(30)]
    index, lengths = {}, {}
    for place, text in enumerate(texts):
        add(index, lengths, place, text)
    size = compressed(index)
    for place in range(14):
        query = " ".join(words[(number * 7 + place * 13 + step * 31) % 150] for step in range(4))
        size += sum(map(len, search(index, lengths, texts, query)))
    return size


def main(rounds):
    """Print one number."""
    words = vocabulary(600)
    print(sum(session(words, number) for number in range(rounds)))


if __name__ == "__main__":
    main(int(sys.argv[1]))
