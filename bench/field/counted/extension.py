"""A Python program that calls a native library."""

import ctypes
import json

LIBRARY = ctypes.CDLL("./library.so")
ITEMS = 1000

text = json.dumps([{"name": f"item {number}", "tags": ["a", "b", str(number % 7)]} for number in range(ITEMS)])
data = text.encode() * 4
total = LIBRARY.levels(data, len(data)) + LIBRARY.edges(data, len(data))
print(len(json.loads(text)), total)
