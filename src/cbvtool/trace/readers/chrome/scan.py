"""Compiled scan of trace events: from the bytes of a JSON array to columns, without an object for any of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel, word_at
from cbvtool.trace.making.matching import BEGIN, END, SPAN

Bytes = npt.NDArray[np.uint8]
Longs = npt.NDArray[np.int64]

NOT_KNOWN = -(2**63)  # of a time that is not there
CODED = -(2**62)  # ids of threads and processes below it are texts: CODED - number of the text
ABSENT = CODED + 1  # of a process or thread that an event does not name

# What `scan` returns: the array has ended; more bytes are needed; a column, the texts, the threads are full; another
# trace begins here.
DONE, MORE, FULL, TEXTS_FULL, THREADS_FULL, ANOTHER = range(6)

# What `scan` counts, at these places of its `counts`.
AT = 0  # first byte that is not read yet
CALLS = 1  # rows of calls
OTHERS = 2  # rows of others
TEXTS, TEXT_BYTES, THREADS = 3, 4, 5
STRAY = 6  # elements that are no object
BAD = 7  # objects that are no JSON
TIMELESS = 8  # events without a time
BEYOND = 9  # times that 64 bits do not hold
BACKWARD = 10  # spans with a negative duration
ENDLESS = 11  # spans without a duration
ARGUMENTS = 12  # arguments that were not kept
BOUND = 13  # spans with `bind_id`
PARTED = 14  # events without a process or thread
LIMIT = 15  # given: bytes of texts, beyond which arguments of calls are not kept; others up to eight times that
HAS_CPU, HAS_ARGS = 16, 17
KINDS = 32  # events of other kinds, by the byte of the kind
COUNTS = KINDS + 256

# By byte of the kind: 1 = the event is read.
KEPT = np.zeros(256, np.uint8)
KEPT[[ord(letter) for letter in "BEXbenSTFpstfCiIRMP"]] = 1

_MOST = 2**63 - 1
_HIGH_BITS = -0x7F7F7F7F7F7F7F80  # 0x80 in each byte


@kernel
def string_end(data: Bytes, at: int, end: int) -> int:
    """Where the quote stands that ends the string whose first byte is `at`; -1 = not before `end`."""
    while at < end:
        word = word_at(data, at)
        quotes = word ^ 0x2222222222222222
        slashes = word ^ 0x5C5C5C5C5C5C5C5C
        # the high bit of each byte that is 0, the lowest of which is sure (Mycroft)
        found = ((quotes - 0x0101010101010101) & ~quotes | (slashes - 0x0101010101010101) & ~slashes) & _HIGH_BITS
        if found == 0:
            at += 8
            continue
        if found & 0x80808080 == 0:
            at += 4
            found >>= 32
        if found & 0x8080 == 0:
            at += 2
            found >>= 16
        at += found & 0x80 == 0
        if at >= end:
            return -1
        if word_at(data, at) & 0xFF == 34:
            return at
        at += 2
    return -1


@kernel
def value_end(data: Bytes, at: int, end: int) -> int:
    """The byte after the JSON value at `at`; -1 = it does not end before `end`; `at` where no value begins."""
    depth = 0
    while at < end:
        byte = word_at(data, at) & 0xFF
        if byte == 34:
            at = string_end(data, at + 1, end)
            if at < 0:
                return -1
            if depth == 0:
                return at + 1
        elif byte == 123 or byte == 91:
            depth += 1
        elif byte == 125 or byte == 93:
            depth -= 1
            if depth <= 0:
                return at + (depth == 0)
        elif depth == 0:
            while at < end:
                byte = word_at(data, at) & 0xFF
                if not 45 < byte < 58 and (byte <= 34 or byte == 44 or byte == 58 or byte == 93 or byte == 125):
                    return at
                at += 1
            return -1
        at += 1
    return -1


@kernel
def nanoseconds(data: Bytes, low: int, high: int, out: Longs) -> int:
    """The microseconds in `data[low:high]`, a number, as ns in `out[0]` and further 1/1000 ns in `out[1]`.

    Returns 1, 0 if it is no number, 2 if 64 bits do not hold it: then it is the nearest that they hold.
    """
    out[0] = out[1] = 0
    negative = low < high and data[low] == 45
    if negative:
        low += 1
    exponent = point = 0
    value: Any = 0  # times 10**exponent
    seen = False
    at = low
    while at < high:
        byte = word_at(data, at) & 0xFF
        if 48 <= byte <= 57:
            seen = True
            if value < 922_337_203_685_477_580:
                value = value * 10 + byte - 48
                exponent -= point
            else:
                exponent += 1 - point
        elif byte == 46 and not point:
            point = 1
        elif (byte == 101 or byte == 69) and seen:
            at += 1
            sign = 1
            if at < high and (data[at] == 45 or data[at] == 43):
                sign = -1 if data[at] == 45 else 1
                at += 1
            power: Any = 0
            if at == high:
                return 0
            while at < high:
                byte = word_at(data, at) & 0xFF
                if not 48 <= byte <= 57:
                    return 0
                power = min(power * 10 + byte - 48, 100_000)
                at += 1
            exponent += sign * power
            break
        else:
            return 0
        at += 1
    if not seen:
        return 0
    exponent += 3  # ns
    whole, rest = value, 0
    status = 1
    while exponent > 0 and whole:
        if whole > _MOST // 10:
            status = 2
            whole = _MOST
            break
        whole *= 10
        exponent -= 1
    if exponent < 0:
        unit = 1
        for _ in range(min(-exponent, 18)):
            unit *= 10
        whole = value // unit if exponent >= -18 else 0
        rest = value - whole * unit
        rest = rest * 1000 // unit if unit <= 10**15 else rest // (unit // 1000)
        if exponent < -18:
            rest = 0
    out[0], out[1] = (-whole, -rest) if negative else (whole, rest)
    return status


@kernel
def identity(data: Bytes, low: int, high: int, out: Longs) -> int:
    """Read the id of a process or thread, a whole number, into `out[0]`. 0 = it is another text."""
    negative = low < high and data[low] == 45
    if negative:
        low += 1
    if low >= high or high - low > 18:
        return 0
    value: Any = 0
    for at in range(low, high):
        byte = np.int64(data[at])
        if not 48 <= byte <= 57:
            return 0
        value = value * 10 + byte - 48
    out[0] = -value if negative else value
    return 1


@kernel
def text_number(
    data: Bytes,
    low: int,
    high: int,
    text: Bytes,
    ptr: Longs,
    hashes: Longs,
    slots: npt.NDArray[np.int32],
    counts: Longs,
) -> Any:
    """The number of the text in the bytes `low` to `high`, a new one if it was not seen yet; -1 if the table is full.

    text, ptr  the texts, one behind the other; eight bytes are left free behind them
    hashes     of each text
    slots      a hash table of numbers, -1 = free; its length is a power of two
    """
    size: Any = np.int64(high - low)
    rest = (1 << 8 * (size & 7)) - 1  # mask of the bytes in the last word
    whole = size >> 3
    code = size
    for place in range(whole):
        code = (code ^ word_at(data, low + 8 * place)) * 0x2545F4914F6CDD1D
        code ^= code >> 32
    code = (code ^ word_at(data, low + 8 * whole) & rest) * 0x2545F4914F6CDD1D
    code ^= code >> 29
    mask = len(slots) - 1
    slot = code & mask
    while slots[slot] >= 0:
        number = np.int64(slots[slot])
        begin = ptr[number]
        if hashes[number] == code and ptr[number + 1] - begin == size:
            differ = (word_at(text, begin + 8 * whole) ^ word_at(data, low + 8 * whole)) & rest
            for place in range(whole):
                differ |= word_at(text, begin + 8 * place) ^ word_at(data, low + 8 * place)
            if differ == 0:
                return number
        slot = (slot + 1) & mask
    number, used = counts[TEXTS], counts[TEXT_BYTES]
    if number + 1 >= len(ptr) or 2 * number >= len(slots) or used + size + 8 > len(text):
        return -1
    for place in range(size):
        text[used + place] = data[low + place]
    ptr[number + 1] = counts[TEXT_BYTES] = used + size
    hashes[number] = code
    slots[slot] = number
    counts[TEXTS] += 1
    return number


@kernel
def thread_number(process: int, thread: int, keys: Longs, slots: npt.NDArray[np.int32], counts: Longs) -> Any:
    """The row of a thread, a new one if it was not seen yet; -1 if the table is full. `keys` has two for each row."""
    mask = len(slots) - 1
    code = (process * np.int64(1099511628211) ^ thread) * np.int64(1099511628211)
    slot = (code ^ (code >> np.int64(29))) & mask
    while slots[slot] >= 0:
        row = np.int64(slots[slot])
        if keys[2 * row] == process and keys[2 * row + 1] == thread:
            return row
        slot = (slot + 1) & mask
    row = counts[THREADS]
    if 2 * row + 1 >= len(keys) or 2 * row >= len(slots):
        return -1
    keys[2 * row], keys[2 * row + 1] = process, thread
    slots[slot] = row
    counts[THREADS] += 1
    return row


# Places of the ranges of bytes of an event's values. Those from `_NAME` to `_PID` - 1 are kept as texts.
_PH, _TS, _DUR, _TDUR, _TTS, _NAME, _CAT, _ID, _ARGS, _PID, _TID, _MARK, _BIND, _FIELDS = range(14)


@kernel
def fields(  # noqa: C901 -- a branch for each key
    data: Bytes, at: int, end: int, low: Longs, high: Longs
) -> int:
    """Find the values of the event whose first byte is `at`: their first byte, and the one behind.

    Returns the byte behind the event, -1 if it does not end before `end`, -2 if it is no JSON, -3 if it is a whole
    trace. The quotes of texts are left out; of a value that is missing or null both are 0.
    """
    for field in range(_FIELDS):  # a slice would take Numba longer to compile than half of this function
        low[field] = high[field] = 0
    at += 1
    while True:
        while at < end and (word_at(data, at) & 0xFF <= 32 or word_at(data, at) & 0xFF == 44):
            at += 1
        if at >= end:
            return -1
        if word_at(data, at) & 0xFF != 34:
            return at + 1 if word_at(data, at) & 0xFF == 125 else -2
        key = at + 1
        at = string_end(data, key, end)
        if at < 0:
            return -1
        size = at - key
        if size == 11 and word_at(data, key) == 0x6576456563617274:  # traceEvents
            return -3
        at += 1
        while at < end and word_at(data, at) & 0xFF <= 32:
            at += 1
        if at < end and word_at(data, at) & 0xFF != 58:
            return -2
        at += 1
        while at < end and word_at(data, at) & 0xFF <= 32:
            at += 1
        if at >= end:
            return -1
        value = at
        at = value_end(data, value, end)
        if at < 0:
            return -1
        if at == value:
            return -2
        if size > 7:
            continue
        word = word_at(data, key) & ((1 << 8 * size) - 1)  # the first letter is the lowest byte
        if word == 0x656D616E:  # name
            field = _NAME
        elif word == 0x7374:
            field = _TS
        elif word == 0x6870:
            field = _PH
        elif word == 0x646970:
            field = _PID
        elif word == 0x646974:
            field = _TID
        elif word == 0x727564:
            field = _DUR
        elif word == 0x746163:
            field = _CAT
        elif word == 0x73677261:
            field = _ARGS
        elif word == 0x6469 or word == 0x326469:  # id, id2
            field = _ID
        elif word == 0x737474:
            field = _TTS
        elif word == 0x72756474:
            field = _TDUR
        elif word == 0x73 or word == 0x7062:  # s, bp
            field = _MARK
        elif word == 0x64695F646E6962:  # bind_id
            field = _BIND
        else:
            continue
        low[field], high[field] = value, at
        if word_at(data, value) & 0xFF == 34:
            low[field] += 1
            high[field] -= 1
        elif word_at(data, value) & 0xFF == 110 or (field == _ARGS and word_at(data, value) & 0xFF != 123):
            low[field] = high[field] = 0


@kernel
def scan(  # noqa: PLR0913, C901 -- a compiled loop takes columns, not objects
    data: Bytes,
    begin: int,
    end: int,
    text: Bytes,
    ptr: Longs,
    hashes: Longs,
    slots: npt.NDArray[np.int32],
    thread_keys: Longs,
    thread_slots: npt.NDArray[np.int32],
    thread: npt.NDArray[np.uint32],
    kind: Bytes,
    name: npt.NDArray[np.uint32],
    time: Longs,
    finish: Longs,
    arguments: npt.NDArray[np.uint32],
    cpu: Longs,
    other: npt.NDArray[np.uint32],
    other_time: Longs,
    counts: Longs,
) -> int:
    """Read elements of an array of events from `data[begin:end]` on; returns DONE, MORE or what is full.

    data             at least eight bytes more than `end`
    text ... slots   the texts, see `text_number`; the first one is empty
    thread_...       the threads, see `thread_number`
    thread ... cpu   columns of begins, ends and spans: thread, kind, text, ns, end of a span in ns, text of the
                     arguments (0 = none), ns of CPU time (of a span its length, else the clock; NOT_KNOWN)
    other            six columns of all other events: byte of the kind and, times 256, the byte of `s` or `bp`; thread;
                     texts of name, category, id and arguments
    other_time       their times in ns
    counts           see above

    An event that is not complete is not read: `counts[AT]` is where it begins.
    """
    low, high = np.zeros(_FIELDS, np.int64), np.zeros(_FIELDS, np.int64)
    number = np.zeros(2, np.int64)
    whole, part, status = np.zeros(_NAME, np.int64), np.zeros(_NAME, np.int64), np.zeros(_NAME, np.int64)
    own = np.zeros(_FIELDS, np.int64)  # numbers of the texts, and ids
    at = begin
    while True:
        while at < end and (data[at] <= 32 or data[at] == 44):
            at += 1
        counts[AT] = at
        if at >= end:
            return MORE
        if data[at] == 93:
            counts[AT] = at + 1
            return DONE
        row, rest = counts[CALLS], counts[OTHERS]
        if row >= len(kind) or rest >= len(other_time):
            return FULL
        if data[at] == 91:
            inner = at + 1
            while inner < end and data[inner] <= 32:
                inner += 1
            if inner >= end:
                return MORE
            if data[inner] == 123:
                return ANOTHER
        after = fields(data, at, end, low, high) if data[at] == 123 else -2
        if after == -3:
            return ANOTHER
        if after == -2:
            after = value_end(data, at, end)
            if after >= 0:
                counts[BAD if data[at] == 123 else STRAY] += 1
                at = max(after, at + 1)
                continue
        if after < 0:
            return MORE
        at = after
        phase = np.int64(data[low[_PH]]) if high[_PH] - low[_PH] == 1 else np.int64(0)
        is_call = phase == 66 or phase == 69 or phase == 88  # B, E, X
        if KEPT[phase] == 0:
            counts[KINDS + phase] += 1
            continue
        for field in range(_TS, _NAME):
            status[field] = 0
            if high[field] > low[field]:
                status[field] = nanoseconds(data, low[field], high[field], number)
                whole[field], part[field] = number[0], number[1]
        if status[_TS] == 0:
            if phase != 77:  # M
                counts[TIMELESS] += 1
                continue
            whole[_TS] = part[_TS] = 0
        for field in range(_NAME, _MARK):
            own[field] = 0
            if high[field] <= low[field]:
                own[field] = 0 if field < _PID else ABSENT
            elif field >= _PID and identity(data, low[field], high[field], number):
                own[field] = number[0]
            elif field == _ARGS and counts[TEXT_BYTES] > counts[LIMIT] * (1 if is_call else 8):
                counts[ARGUMENTS] += 1
            elif field >= _PID or not is_call or (field != _CAT and field != _ID):
                own[field] = text_number(data, low[field], high[field], text, ptr, hashes, slots, counts)
                if own[field] < 0:
                    return TEXTS_FULL
                if field >= _PID:
                    own[field] = CODED - own[field]
        its_thread = thread_number(own[_PID], own[_TID], thread_keys, thread_slots, counts)
        if its_thread < 0:
            return THREADS_FULL
        now = whole[_TS]
        start = now + (part[_TS] >= 500) - (part[_TS] < -500)
        counts[BEYOND] += status[_TS] == 2
        if not is_call:
            mark = np.int64(data[low[_MARK]]) if high[_MARK] > low[_MARK] else np.int64(0)
            other[rest, 0], other[rest, 1] = phase + 256 * mark, its_thread
            other[rest, 2], other[rest, 3] = own[_NAME], own[_CAT]
            other[rest, 4], other[rest, 5] = own[_ID], own[_ARGS]
            other_time[rest] = start
            counts[OTHERS] += 1
            continue
        counts[PARTED] += own[_PID] == ABSENT or own[_TID] == ABSENT
        counts[BOUND] += high[_BIND] > low[_BIND]
        clock = _TTS
        then = start
        if phase == 88:
            clock = _TDUR
            length = _DUR if status[_DUR] else _TDUR
            counts[ENDLESS] += status[length] == 0
            counts[BEYOND] += status[length] == 2
            if status[length] == 0:
                pass
            elif whole[length] < 0 or part[length] < 0:
                counts[BACKWARD] += 1
            elif now > 0 and whole[length] > 0 and whole[length] > _MOST - now - 2:
                counts[BEYOND] += 1
                then = _MOST
            else:
                then = max(then, now + whole[length] + (part[_TS] + part[length] + 500) // 1000)
        thread[row], name[row] = its_thread, own[_NAME]
        kind[row] = BEGIN if phase == 66 else END if phase == 69 else SPAN
        time[row], finish[row] = start, then
        arguments[row] = own[_ARGS]
        counts[HAS_ARGS] |= own[_ARGS] > 0
        cpu[row] = NOT_KNOWN
        if status[clock] == 1:
            cpu[row] = whole[clock] + (part[clock] >= 500)
            counts[HAS_CPU] = 1
        counts[CALLS] += 1
