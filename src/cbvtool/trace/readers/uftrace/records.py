"""Where the records of a `TID.dat` file stand: 16 bytes each, with data of their own length behind some of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel

ENTRY, EXIT, LOST, EVENT = range(4)
_MAGIC_3, _MAGIC_4 = 2, 5  # three bits of 0xa and 0x5; the second is that of file version 4
_HOUR = 3_600_000_000_000  # ns
TEXT = -1  # the size of an argument that is a text: two bytes say how long it is

Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]


def fields(words: Words, at: Numbers) -> tuple[Numbers, npt.NDArray[np.uint8], Numbers]:
    """Time in ns, kind, and address (or number of an event) of the records that begin at words `at`.

    Source: `struct uftrace_record`: time, then from the lowest bit type 2, more 1, magic 3, depth 10, address 48.
    """
    second = words[at + 1]
    time = np.minimum(words[at], np.uint64(2**63 - 1)).astype(np.int64)
    return time, (second & np.uint64(3)).astype(np.uint8), (second >> np.uint64(16)).astype(np.int64)


@kernel
def find_records(
    words: Words,
    layouts: tuple[Numbers, Numbers, Numbers, Numbers, Numbers],
    at: Numbers,
    data: Numbers,
    first: int,
    stop: int,
) -> tuple[int, int, int]:
    """Write where records begin, from word `first` on, up to word `stop` or until there are as many as `at` holds.

    words     uint64: the file, without a rest of less than 8 bytes
    layouts   addresses: ascending, of functions whose arguments or return values were recorded
              entry, exit: row of `ptr` for the data of entries and exits of each address, -1 = none is known
              ptr, sizes: sizes in bytes of the values of a layout, `TEXT` for a text
    at, data  word of each record, and of the data behind it (-1 = none)

    Returns how many there are, the word to go on from, and the number of words that were skipped. Where the data is
    not as long as its layout says, the next word that looks like a record later in time is looked for.
    """
    addresses, entry_layout, exit_layout, ptr, sizes = layouts
    found = skipped = 0
    word = first
    while word < stop and word + 1 < len(words) and found < len(at):
        second = words[word + 1]
        if (second >> np.uint64(3)) & np.uint64(7) != _MAGIC_4:
            word += 1
            skipped += 1
            continue
        at[found] = word
        data[found] = -1
        kind = second & np.uint64(3)
        behind = word + 2
        if second & np.uint64(4):
            data[found] = behind
            size = 0  # bytes
            known = False
            if kind == EVENT:
                if behind < len(words):
                    size = 2 + int(np.int64(words[behind] & np.uint64(0xFFFF)))
                    known = True
            elif kind != LOST:
                address = np.int64(second >> np.uint64(16))
                row = np.searchsorted(addresses, address)
                if row < len(addresses) and addresses[row] == address:
                    layout = entry_layout[row] if kind == ENTRY else exit_layout[row]
                    if layout >= 0:
                        known = True
                        for value in range(ptr[layout], ptr[layout + 1]):
                            bytes_of_value = int(sizes[value])
                            if bytes_of_value == TEXT:
                                place = behind + (size >> 3)
                                if place >= len(words):
                                    known = False
                                    break
                                shift = np.uint64((size & 7) * 8)
                                bytes_of_value = int(np.int64((words[place] >> shift) & np.uint64(0xFFFF)))
                                size += 2
                            size += bytes_of_value
                            size += (-size) & 3
            following = behind + ((size + 7) >> 3)
            time = words[word]
            if not known or not _fits(words, following, time):
                following = behind
                while following + 1 < len(words) and not _fits(words, following, time):
                    following += 1
                skipped += following - behind if known else 0
            behind = following
        found += 1
        word = behind
    return found, word, skipped


@kernel
def _fits(words: Words, word: int, time: np.uint64) -> bool:
    """Whether a record may begin there that is not earlier than `time`, nor later by more than an hour; or the end."""
    if word >= len(words):
        return word == len(words)
    if word + 1 >= len(words):
        return False
    second = words[word + 1]
    if (second >> np.uint64(3)) & np.uint64(7) != _MAGIC_4:
        return False
    if (second & np.uint64(3)) == LOST:
        return True
    later = words[word]
    return bool(time <= later and later - time < np.uint64(_HOUR))
