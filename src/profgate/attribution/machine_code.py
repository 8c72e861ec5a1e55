"""Compares the machine code of two builds of a program, wherever their functions and data are placed.

A program is a graph with a node for each function and each piece of data, and an edge for each place in a node that
refers to another. Two programs are the same if everything to which they lead from their roots is the same.
"""

import re
from collections.abc import Iterator
from hashlib import blake2b

import numpy as np

from profgate.model.arrays import BoolArray, IntArray

ELF = b"\x7fELF"
FACTS, INSTRUCTIONS = "-fphtTRw", "-dw --no-show-raw-insn"  # options of objdump, which does not do both at once
# in programs that are not position-independent, any number may be an address; other processors divide addresses
SUITABLE = re.compile(
    rb"\narchitecture: i386:x86-64, flags 0x\w+:\n(?!.*EXEC_P).*DYNAMIC.*\n(?s:.*)\nDYNAMIC RELOCATION RECORDS\n"
)
RELOCATED = re.compile(rb"\n  (?:RELR?|0x0*24) +0x")  # tables of relocations that objdump does not print
# what a line of objdump begins with: a name that contains it could imitate lines
IMITATED = re.compile(rb"\n(?:[0-9a-f]{16}|architecture:|start address| +\d+ \.)")
ENTRY = re.compile(rb"\nstart address 0x([0-9a-f]+)")
SECTION = re.compile(rb"\n +\d+ (.+?) +([0-9a-f]+)  ([0-9a-f]+)  [0-9a-f]+  ([0-9a-f]+)  2\*\*\d+ +(.*ALLOC.*)")
LOADER = re.compile(rb"\.(?:init|fini|(?:pre)?init_array|fini_array|tdata|interp)")  # what the loader runs and reads
OBJECT = re.compile(rb"\n([0-9a-f]{16}) .{6}O \.\S+\t([0-9a-f]{16})")
EXPORT = re.compile(rb"\n([0-9a-f]{16}) .{5}D[FO] \.\S+\t[0-9a-f]{16} +(.*)")
LIBRARY = re.compile(rb"\n  (?:NEEDED|RPATH|RUNPATH) .*")
RELOCATION = re.compile(rb"\n([0-9a-f]{16}) (R_X86_64_(?:I?RELATIVE +\*ABS\*\+0x([0-9a-f]+)|\w+ +.*))")
HEAD = re.compile(rb"\n([0-9a-f]{16}) <(.*)>:\n")
LINE = re.compile(
    rb"(?m)^ *([0-9a-f]{1,15}):\t(?!(?:data16 |cs )*nop|xchg +%ax,%ax$|int3)([^\n#<]*)(?:# (?:0x)?([0-9a-f]{1,15})\b)?"
)
BRANCH = re.compile(rb"(?m) ([0-9a-f]{1,15}) $")  # the name of the address would follow
RELATED = re.compile(rb"-?0x[0-9a-f]+\(%rip\)")
UNCLEAR = re.compile(rb"%eip|(?m:^(?:bnd |notrack )?(?:call|j[a-z]+) +0x)")
VERSION = re.compile(rb"(?<!\d)\d++\.\d++\.\d+[-+.\w]*")
OF_BRANCH = 1 << 40  # is added to the numbers of branches, which are counted apart from other references
FAR = -16  # differences of addresses in tables of texts are below; masks of bits are not


def program_of(data: bytes, listing: bytes) -> "Program":
    """Return the graph of an ELF file, from its bytes and the output of objdump with `FACTS` and `INSTRUCTIONS`.

    Raises ValueError if anything is unclear, for example because the file is damaged or for another processor.
    """
    if not SUITABLE.search(listing) or RELOCATED.search(listing) or IMITATED.search(data):
        raise ValueError("only position-independent programs for x86-64 are compared")
    try:
        return Program(_Sections(data, listing), _Code(listing), listing)
    except (IndexError, OverflowError) as error:
        raise ValueError(str(error)) from error


def is_same_program(baseline: "Program", target: "Program") -> bool:
    """Return whether everything is the same that both programs can run and read from their files."""
    if baseline.roots.keys() != target.roots.keys():
        return False
    waiting = [(node, target.roots[name]) for name, node in baseline.roots.items()]
    seen, partners, back = set(waiting), dict[int, int](), dict[int, int]()
    while waiting:
        old, new = waiting.pop()
        edges, others = baseline.edges_of(old), target.edges_of(new)
        if baseline.contents[old] != target.contents[new] or not np.array_equal(edges[:, ::2], others[:, ::2]):
            return False
        # several constants may be stored as one, but two variables are never the same
        is_variable = baseline.is_variable[old] and target.is_variable[new]
        if is_variable and (partners.setdefault(old, new), back.setdefault(new, old)) != (new, old):
            return False
        found = set(zip(edges[:, 1].tolist(), others[:, 1].tolist(), strict=True)) - seen
        seen |= found
        waiting += found
    return True


class _Sections:
    """The sections that are loaded, sorted by address, and the bytes of the file as ``memory``."""

    def __init__(self, data: bytes, listing: bytes) -> None:
        found = [one.groups() for one in SECTION.finditer(listing) if b"CONTENTS" in one[5] or b"THREAD" not in one[5]]
        found.sort(key=lambda section: int(section[2], 16))
        self.names = [name for name, *_ in found]
        sizes, self.first, offsets = np.array([[int(one, 16) for one in row[1:4]] for row in found], np.int64).T
        self.end, self.shift = self.first + sizes, offsets - self.first
        self.is_code, self.is_constant, self.has_content = (
            np.array([word in flags for *_, flags in found]) for word in (b"CODE", b"READONLY", b"CONTENTS")
        )
        self.memory = np.frombuffer(bytearray(data), np.uint8)
        if (self.end[:-1] > self.first[1:]).any():
            raise ValueError("sections overlap")

    def number_of(self, addresses: IntArray) -> IntArray:
        """Return the number of the section of each address, or -1."""
        found = np.searchsorted(self.first, addresses, "right") - 1
        return np.where((found >= 0) & (addresses < self.end[found]), found, -1)

    def place_of(self, addresses: IntArray) -> IntArray:
        """Return the place of each address in the memory."""
        return np.asarray(addresses + self.shift[self.number_of(addresses)])


class _Code:
    """The functions in a disassembly, sorted by address, and the addresses of their instructions.

    ``references`` has rows of a function, a place in it and an address. ``owners`` are numbers of functions, which are
    equal for the parts of a function. What only fills gaps is no instruction.
    """

    def __init__(self, listing: bytes) -> None:
        heads = list(HEAD.finditer(listing))
        self.first = np.array([int(head[1], 16) for head in heads], np.int64)
        # a compiler moves the rare part of a function, and calls it NAME.cold
        _, self.owners = np.unique([head[2].partition(b".cold")[0] for head in heads], return_inverse=True)
        self.texts, instructions, counts, references = list[bytes](), list[int](), [0], list[tuple[int, int, int]]()
        listing_digest = blake2b(listing).digest()
        ends = [*(head.start() for head in heads[1:]), len(listing)]
        for function, (head, end) in enumerate(zip(heads, ends, strict=True)):
            lines = LINE.findall(listing, head.end() - 1, end)
            instructions += [int(address, 16) for address, _, _ in lines]
            counts.append(len(instructions))
            text = b"\n".join([instruction for _, instruction, _ in lines])
            related = [address for _, _, address in lines if address]
            for kind, addresses in ((0, related), (OF_BRANCH, BRANCH.findall(text))):
                references += [(function, kind + row, int(address, 16)) for row, address in enumerate(addresses)]
            text, count = RELATED.subn(b"@(%rip)", BRANCH.sub(b"@", text))
            if count != len(related) or UNCLEAR.search(text):
                text += listing_digest  # such as data between functions, which has no equal in another build
            self.texts.append(text)
        self.instructions, self.counts = np.array(instructions, np.int64), np.array(counts, np.int64)
        self.references = np.array(references, np.int64).reshape(-1, 3)
        if not instructions or (np.diff(self.instructions) <= 0).any():
            raise ValueError("the disassembly is not in order")


class Program:
    """The nodes of a program: functions, then pieces of data, then names that other files define.

    ``contents`` are digests of their contents without addresses, and ``is_variable`` marks data that the program can
    change. ``roots`` are the nodes that the loader and other files use, by name.
    """

    def __init__(self, sections: _Sections, code: _Code, listing: bytes) -> None:
        self._sections, self._code = sections, code
        self._others: dict[bytes, int] = {}  # numbers of names that other files define
        relocations = RELOCATION.findall(listing)
        places = np.array([int(place, 16) for place, _, _ in relocations], np.int64)
        is_own = np.array([bool(address) for _, _, address in relocations], np.bool_)
        targets = np.array([int(address, 16) for _, _, address in relocations if address], np.int64)
        objects = [(int(start, 16), int(size, 16)) for start, size in [(b"0", b"0"), *OBJECT.findall(listing)]]
        starts, sizes = np.array(sorted(objects), np.int64).T
        roots = {name: int(address, 16) for address, name in EXPORT.findall(listing)}
        roots[b"entry"] = int(ENTRY.findall(listing)[0], 16)
        # data without a name ends at the next reference, and an object with a name is one piece
        known = (starts, places[~is_own], targets, code.references[:, 2], np.array(list(roots.values()), np.int64))
        addresses = np.unique(np.concatenate([*known, sections.first]))
        number, ends = sections.number_of(addresses), np.maximum.accumulate(np.r_[0, starts + sizes])
        is_inside = ends[np.searchsorted(starts, addresses)] > addresses
        self._pieces = addresses[(number >= 0) & ~sections.is_code[number] & ~is_inside]
        number = sections.number_of(self._pieces)
        self._sizes = np.minimum(np.r_[self._pieces[1:], sections.end[-1]], sections.end[number]) - self._pieces
        self._is_object = np.isin(self._pieces, starts)
        self._rows = [np.column_stack([code.references[:, :2], *self._nodes(code.references[:, 2])])]
        if np.isin(sections.number_of(places), [-1, *np.flatnonzero(sections.is_code)]).any():
            raise ValueError("the loader changes code")
        nodes = np.zeros((len(places), 2), np.int64)
        nodes[is_own] = np.column_stack(self._nodes(targets))
        nodes[~is_own, 0] = [self._other(name) for _, name, address in relocations if not address]
        self._rows.append(np.column_stack([*self._within(places), nodes]))
        self._clear(places, is_own, targets)
        for constant in np.flatnonzero(sections.is_constant & ~sections.is_code).tolist():
            self._refer_from_tables(constant)
        for place, name in enumerate(sections.names):
            if LOADER.fullmatch(name):
                first = [int(sections.first[place]), *self._pieces[number == place].tolist()]
                roots |= {b"%s %d" % (name, row): address for row, address in enumerate(first)}
        nodes = self._nodes(np.array(list(roots.values()), np.int64))[0]
        self.roots = dict(zip(roots, nodes.tolist(), strict=True))
        self.roots |= {name: self._other(name) for name in LIBRARY.findall(listing)}
        texts = [*code.texts, *self._data(sections.has_content[number]), *self._others]
        self.contents = [blake2b(text, digest_size=16).digest() for text in texts]
        self.is_variable = np.zeros(len(texts), np.bool_)
        self.is_variable[len(code.texts) :][: len(number)] = ~sections.is_constant[number]
        rows = np.concatenate(self._rows)
        rows = rows[np.lexsort((rows[:, 1], rows[:, 0]))]
        self._first, self._edges = np.searchsorted(rows[:, 0], np.arange(len(texts) + 1)).tolist(), rows[:, 1:]

    def edges_of(self, node: int) -> IntArray:
        """Return the edges from a node: the place in it, the other node, and the place in that."""
        return self._edges[self._first[node] : self._first[node + 1]]

    def _other(self, name: bytes) -> int:
        """Return the node of a name that another file defines."""
        return len(self._code.texts) + len(self._pieces) + self._others.setdefault(name, len(self._others))

    def _nodes(self, addresses: IntArray) -> tuple[IntArray, IntArray]:
        """Return the node of each address, and the place in it: the number of an instruction, or of a byte."""
        code, section = self._code, self._sections.number_of(addresses)
        is_code = (section >= 0) & self._sections.is_code[section]
        function = np.searchsorted(code.first, addresses, "right") - 1
        instruction = np.searchsorted(code.instructions, addresses) - code.counts[function]
        piece, offset = self._within(addresses)
        # between sections is nothing, which is also what a section without content has
        node = np.where(section < 0, self._other(b""), np.where(is_code, function, piece))
        return node, np.where(section < 0, 0, np.where(is_code, instruction, offset))

    def _within(self, addresses: IntArray) -> tuple[IntArray, IntArray]:
        """Return the node of each address in the data, and the number of the byte in it."""
        piece = np.searchsorted(self._pieces, addresses, "right") - 1
        return len(self._code.texts) + piece, addresses - self._pieces[piece]

    def _clear(self, places: IntArray, is_own: BoolArray, targets: IntArray) -> None:
        """Clear addresses, and lines and columns of Rust: after the address and length of a file's name."""
        sections, memory = self._sections, self._sections.memory
        has_content = sections.has_content[sections.number_of(places)]
        cleared = sections.place_of(places[has_content])
        start = np.minimum(sections.place_of(places[is_own]), len(memory) - 24)
        length = memory[start[:, None] + np.arange(8, 16)].view(np.int64).ravel()
        rows = np.flatnonzero((length >= 3) & (length < 4096))
        ends = sections.place_of(targets[rows]) + length[rows]
        for place, end in zip(start[rows].tolist(), ends.tolist(), strict=True):
            if memory[end - 3 : end].tobytes() == b".rs":
                memory[place + 16 : place + 24] = 0
        memory[cleared[:, None] + np.arange(8)] = 0

    def _refer_from_tables(self, number: int) -> None:
        """Add edges for differences of addresses in the tables of ``switch``, and clear these.

        They lead from the table to a function that refers to it or, all in a table, to constants.
        """
        sections, code, first = self._sections, self._code, int(self._sections.first[number])
        address = np.arange(first + -first % 4, sections.end[number] - 3, 4)
        if not len(address):
            return
        place = int(sections.place_of(address[:1])[0])
        words = sections.memory[place : place + 4 * len(address)].view("<i4")
        node, offset = self._within(address)
        piece, target = node - len(code.texts), address - offset + words
        is_table = (self._pieces[piece] % 4 == 0) & (offset + 4 <= self._sizes[piece]) & ~self._is_object[piece]
        section, other = sections.number_of(target), np.column_stack(self._nodes(target))
        is_code, count = (section >= 0) & sections.is_code[section], len(code.texts) + len(self._pieces) + 1
        users = code.owners[code.references[:, 0]] * count + self._nodes(code.references[:, 2])[0]
        is_branch = is_code & np.isin(code.owners[np.where(is_code, other[:, 0], 0)] * count + node, users)
        is_far = is_table & (words < FAR) & (section >= 0) & sections.is_constant[section] & ~is_code
        starts = np.flatnonzero(np.diff(piece, prepend=-1))
        is_far &= np.logical_and.reduceat(is_far, starts)[np.searchsorted(piece[starts], piece)]
        rows = np.flatnonzero(is_table & is_branch | is_far)
        self._rows.append(np.column_stack([node[rows], offset[rows], other[rows]]))
        words[rows] = 0

    def _data(self, has_content: BoolArray) -> Iterator[bytes]:
        """Yield the content of each piece, without versions and the zeros that fill the gap behind it."""
        memory, places = self._sections.memory.tobytes(), self._sections.place_of(self._pieces)
        for place, size in zip(places.tolist(), np.where(has_content, self._sizes, 0).tolist(), strict=True):
            yield VERSION.sub(b"", memory[place : place + size].rstrip(b"\0"))
