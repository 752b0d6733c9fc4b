"""The names of a graph as one byte array, so that all are searched in milliseconds while the user types."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from threading import Lock

import numpy as np
import numpy.typing as npt

from cbvtool.budget import Budget
from cbvtool.matching import Lines, Pattern, PatternError
from cbvtool.matching import glob as pattern_of

Mask = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]
Levels = npt.NDArray[np.uint8]
IntColumn = npt.NDArray[np.int32]

# Levels of how well a name matches a word, from best to worst; 0 = no match.
SAME, STEM, BEGINS, WORD, HUMPS, INSIDE, SLIP, SLIPS, LETTERS = 9, 8, 7, 6, 5, 4, 3, 2, 1
_guard = Lock()
_AT_ONCE = 1 << 14  # names in a batch
_END = 0xFF  # end mark after each name; it does not occur in UTF-8
_LONGEST = 40  # bytes; a longer word must occur in the name without gaps (see `_in_order`)
_TYPO_FROM = 4  # letters from which one typing error is allowed; from twice as many, two are


@dataclass(frozen=True, eq=False)
class DistinctNames:
    """The distinct names of n nodes: d names, b bytes.

    name_of  int32[n]  index of each node's name
    names    str[d]
    text     uint8[b]  lower-case UTF-8 of each name, followed by an end mark
    begins   bool[b]   a word of the name begins here: `_Parser`, `HTTPServer`, `a_b2` have 1, 2 and 3 words
    owner    int32[b]  index of the name to which each byte belongs
    first    int64[d]  position of the first byte of each name
    """

    name_of: IntColumn
    names: tuple[str, ...]
    text: Bytes
    begins: Mask
    owner: IntColumn
    first: npt.NDArray[np.int64]

    @staticmethod
    def of(names: tuple[str, ...]) -> DistinctNames:
        """The index of the names of all nodes of a graph; if another thread is building it, this one waits."""
        with _guard:
            return DistinctNames._of(names)

    @staticmethod
    @lru_cache(maxsize=2)  # moving nodes does not change names
    def _of(names: tuple[str, ...]) -> DistinctNames:
        rows: dict[str, int] = {}
        name_of = np.fromiter((rows.setdefault(name, len(rows)) for name in names), np.int32, len(names))
        raw = [name.encode("utf-8", "surrogatepass") for name in rows]
        lower = [_lower(name, given) for name, given in zip(rows, raw, strict=True)]
        original = np.frombuffer(b"\xff".join([*raw, b""]), np.uint8)
        text = np.frombuffer(b"\xff".join([*lower, b""]), np.uint8)
        size = np.array([len(one) + 1 for one in raw], np.int64)
        first = np.cumsum(size) - size
        owner = np.empty(len(text), np.int32)
        for begin in range(0, len(raw), _AT_ONCE):  # `np.repeat` on all at once would block other threads
            sizes = size[begin : begin + _AT_ONCE]
            numbers = np.arange(begin, begin + len(sizes), dtype=np.int32)
            owner[first[begin] : first[begin] + sizes.sum()] = np.repeat(numbers, sizes)
        return DistinctNames(name_of, tuple(rows), text, _word_starts(original), owner, first)

    @cached_property
    def letters(self) -> npt.NDArray[np.uint64]:
        """uint64[d]: set of the bytes in each name, modulo 64."""
        bits = np.uint64(1) << (self.text % 64).astype(np.uint64)
        bits[self.text == _END] = 0
        return np.bitwise_or.reduceat(bits, self.first) if len(self.first) else np.empty(0, np.uint64)

    @property
    def length(self) -> IntColumn:
        """int32[n]: bytes of each node's name."""
        return np.diff(np.append(self.first, len(self.text))).astype(np.int32)[self.name_of]

    @cached_property
    def words(self) -> tuple[tuple[str, ...], IntColumn, IntColumn]:
        """(distinct words of names; index of the word, and index of the name, for each occurrence)."""
        start = np.flatnonzero(self.begins)
        stops = np.flatnonzero(self.begins | ~_is_letter(self.text))
        stop = stops[np.searchsorted(stops, start, "right")]
        text, rows = self.text.tobytes(), dict[bytes, int]()
        cut = (text[a:b] for a, b in zip(start.tolist(), stop.tolist(), strict=True))
        word = np.fromiter((rows.setdefault(one, len(rows)) for one in cut), np.int32, len(start))
        return tuple(one.decode("utf-8", "replace") for one in rows), word, self.owner[start]

    # -- one word ------------------------------------------------------------------------------------------

    def fit(self, word: str) -> Levels:
        """uint8[d]: how well each name matches `word` as typed; `roughly` allows for typing errors."""
        level = np.zeros(len(self.names), np.uint8)
        wanted = _bytes(word)
        if not len(wanted):
            return level
        if 2 <= len(wanted) <= _LONGEST:
            level[self._in_order(wanted, words=True)] = HUMPS
        at = self._places(wanted)
        owner = self.owner[at]
        rising = ((INSIDE, np.ones(len(at), np.bool_)), (WORD, self.begins[at]), (BEGINS, at == self.first[owner]))
        for value, there in rising:
            rows = owner[there]
            level[rows] = np.maximum(level[rows], value)
        whole = at == self.first[owner]
        after = self.text[at + len(wanted)]
        level[owner[whole & (after == ord("."))]] = STEM
        level[owner[whole & (after == _END)]] = SAME
        return level

    def roughly(self, word: str) -> Levels:
        """uint8[d]: names that match with mistyped letters; if there are none, with left-out letters."""
        level = np.zeros(len(self.names), np.uint8)
        if len(word) >= _TYPO_FROM:
            for wrong in range(min(len(word) // _TYPO_FROM, 2), 0, -1):
                level[self._misspelled(word.lower(), wrong)] = SLIP if wrong == 1 else SLIPS
        wanted = _bytes(word)
        if not level.any() and 2 <= len(wanted) <= _LONGEST:
            level[self._in_order(wanted, words=False)] = LETTERS
        return level

    def _places(self, wanted: Bytes) -> npt.NDArray[np.int64]:
        """Positions of these bytes in the text."""
        if len(wanted) > len(self.text):
            return np.empty(0, np.int64)
        length = len(self.text) - len(wanted)  # the end mark of the last name is never searched for
        at = np.flatnonzero(self.text[:length] == wanted[0])
        for step, byte in enumerate(wanted[1:].tolist(), 1):
            at = at[self.text[at + step] == byte]
        return at

    def _in_order(self, wanted: Bytes, *, words: bool) -> IntColumn:
        """Names that contain these bytes in this order, with other bytes between.

        words  after a gap, the next byte must begin a word of the name: `sm` finds `StrMod`, not `asm`
        """
        bits = np.bitwise_or.reduce(np.uint64(1) << (wanted % 64).astype(np.uint64))
        candidate = (self.letters & bits) == bits
        rows = np.flatnonzero(candidate[self.owner])
        text, owner = self.text[rows], self.owner[rows]
        jump = self.begins[rows] if words else np.ones(len(rows), np.bool_)
        place = np.arange(len(rows), dtype=np.int32)
        begin = np.zeros(len(rows), np.int32)  # for each byte: where its name begins
        if len(rows):
            new = np.flatnonzero(np.append(True, owner[1:] != owner[:-1]))
            begin = np.repeat(new, np.diff(np.append(new, len(rows)))).astype(np.int32)
        reached = (text == wanted[0]) & jump
        for byte in wanted[1:].tolist():
            last = np.maximum.accumulate(np.where(reached, place, np.int32(-1)))
            before = np.zeros(len(rows), np.bool_)
            before[1:] = reached[:-1] | (jump[1:] & (last[:-1] >= begin[1:]))
            reached = before & (text == byte)
        result: IntColumn = owner[reached]
        return result

    def _misspelled(self, word: str, wrong: int) -> IntColumn:
        """Names that are `word` with up to `wrong` typing errors, or contain such a word; may contain duplicates."""
        from rapidfuzz import process  # slow to import, and the window should appear soon
        from rapidfuzz.distance import OSA

        words, row, owner = self.words
        near, whole = (
            process.cdist([word], of, scorer=OSA.distance, score_cutoff=wrong, dtype=np.uint8)[0] <= wrong
            for of in (words, self.lower)
        )
        return np.concatenate((owner[near[row]], np.flatnonzero(whole).astype(np.int32)))

    @cached_property
    def lower(self) -> tuple[str, ...]:
        """str[d]: the names in lower case."""
        return tuple(name.lower() for name in self.names)

    # -- whole names ---------------------------------------------------------------------------------------

    def holding(self, text: str) -> Mask:
        """bool[n]: whether the name contains `text`, ignoring case."""
        found = np.zeros(len(self.names), np.bool_)
        found[self.owner[self._places(_bytes(text))]] = True
        return np.take(found, self.name_of)

    @cached_property
    def lines(self) -> Lines:
        """The names in the form in which regular expressions search them."""
        return Lines(self.names)

    def matching(self, pattern: Pattern, budget: Budget | None = None) -> Mask:
        """bool[n]: whether the regular expression matches somewhere in the name. Raises OverBudget, or Cancelled."""
        found = np.zeros(len(self.names), np.bool_)
        found[pattern.rows(self.lines, (budget or Budget("The search")).spend)] = True
        return np.take(found, self.name_of)

    def like(self, glob: str, *, begin: bool, end: bool) -> Mask:
        """bool[n]: whether `glob` (* and ? are wildcards) matches in the name, at its `begin`, up to its `end`."""
        found = np.zeros(len(self.names), np.bool_)
        if "*" in glob or "?" in glob:
            try:
                pattern = pattern_of(glob.lower().replace("[", "[[]"), ignore_case=True, begin=begin, end=end)
                found[pattern.rows(self.lines)] = True
            except PatternError:
                pass  # the pattern is too large, so that no name matches
        elif glob:
            wanted = _bytes(glob)
            at = self._places(wanted)
            at = at[at == self.first[self.owner[at]]] if begin else at
            at = at[self.text[at + len(wanted)] == _END] if end else at
            found[self.owner[at]] = True
        else:
            found[:] = True
        result: Mask = found[self.name_of]
        return result


def _bytes(text: str) -> Bytes:
    return np.frombuffer(_lower(text, text.encode("utf-8", "surrogatepass")), np.uint8)


def _lower(name: str, raw: bytes) -> bytes:
    """Lower case with the same number of bytes; if that would change, only ASCII letters are lowered."""
    lower = name.lower().encode("utf-8", "surrogatepass")
    return lower if len(lower) == len(raw) else raw.lower()


def _is_letter(text: Bytes) -> Mask:
    """Mask of letters and digits of ASCII, and of every byte outside ASCII."""
    letter: Mask = ((text >= 97) & (text <= 122)) | ((text >= 65) & (text <= 90)) | ((text >= 48) & (text <= 57))
    letter |= (text >= 128) & (text != _END)
    return letter


def _word_starts(text: Bytes) -> Mask:
    """bool[b]: whether a word begins at this byte of names with end marks."""
    letter = _is_letter(text)
    upper = (text >= 65) & (text <= 90)
    digit = (text >= 48) & (text <= 57)
    before = np.append(False, letter[:-1])
    upper_before, digit_before = np.append(False, upper[:-1]), np.append(False, digit[:-1])
    small_after = np.append(letter[1:] & ~upper[1:] & ~digit[1:], False)
    hump = upper & (~upper_before | small_after)
    begins: Mask = letter & (~before | hump | (digit != digit_before))
    return begins
