"""Patterns as automata of RE2: bounded in size and memory, linear in the text; other threads run while one searches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache
from itertools import islice

import re2

from cbvtool.matching.syntax import (
    LONGEST,
    NEWLINE,
    UNPAIRED,
    PatternError,
    Translated,
    glob_translated,
    translated,
    translated_for_any,
)

MOST_STEPS, MOST_UNICODE_STEPS = 2_000, 30_000  # instructions of an automaton; a byte of text costs these at most
LONGEST_LINE = 4_096  # characters; of a longer text only the beginning is searched
_MEMORY, _UNICODE_MEMORY = 1 << 20, 1 << 21  # bytes that an automaton takes with its cache
_SET_MEMORY = 1 << 22
_SET_SIZE = 8_000  # characters of the patterns of one set, so that no cache is too small for its automaton
_AT_ONCE = 1 << 24  # instructions times bytes between two calls of `spend`: 0.1 s, at worst
_IN_A_ROW = 3  # lines that matched one after the other, after which a whole run of them is looked for
_KEPT = 8  # patterns whose rows are remembered
_SMALL = 200  # instructions of an automaton of which there may be another one for runs
_UNANCHORED, _HERE = re2._re2.RE2.Anchor.UNANCHORED, re2._re2.RE2.Anchor.ANCHOR_START

_REASONS = (
    ("missing )", "a ) is missing"),
    ("unexpected )", "a ) has no ("),
    ("missing ]", "a ] is missing"),
    ("no argument for repetition", "there is nothing to repeat before * + ? or {"),
    ("bad repetition", "a repetition is repeated: put parentheses around the inner one"),
    ("invalid repetition", "its repetitions are too large"),
    ("invalid character class range", "a range in [...] has no characters between its ends"),
    ("pattern too large", "its repetitions are too large"),
)
_LONE = re.compile("[\ud800-\udfff]")

Spend = Callable[[int, int], object]


def _no_limit(count: int, size: int) -> None:
    pass


class Lines:
    """Texts to be searched: a block of those that are ASCII, and one of the others.

    ascii, unicode   (UTF-8 of the texts with a line feed after each, row in the texts of each line)
    found            rows of the patterns that were searched last: a filter is asked again after each step of a plan
    """

    def __init__(self, texts: Sequence[str]) -> None:
        plain = [row for row, text in enumerate(texts) if text.isascii()]
        others = [row for row, text in enumerate(texts) if not text.isascii()] if len(plain) < len(texts) else []
        self.found: dict[Pattern, list[int]] = {}
        self.ascii, self.unicode = (_block(texts, plain), plain), (_block(texts, others), others)


def _block(texts: Sequence[str], rows: list[int]) -> bytes:
    return _utf8("\n".join([*(_line(texts[row]) for row in rows), ""]))


def _line(text: str) -> str:
    return text[:LONGEST_LINE].replace("\n", NEWLINE) if "\n" in text or len(text) > LONGEST_LINE else text


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:  # bytes of a file name that are no UTF-8 (PEP 383): each has a character of its own
        return _LONE.sub(lambda sign: chr(ord(sign[0]) + UNPAIRED), text).encode()


class Pattern:
    """A pattern that is ready to search. Any number of threads may use it.

    Raises PatternError when it is too large, or not in the syntax of a pattern.
    """

    def __init__(self, text: Translated, *, ignore_case: bool = False) -> None:
        self._ascii = _automaton(text.ascii, _MEMORY, ignore_case, latin=True)
        self._unicode = _automaton(text.unicode, _UNICODE_MEMORY, ignore_case, latin=False)
        self._text, self._ignore_case = text, ignore_case
        if self._ascii.ProgramSize() > MOST_STEPS or self._unicode.ProgramSize() > MOST_UNICODE_STEPS:
            raise PatternError("its repetitions are too large")

    def search(self, text: str) -> bool:
        """Whether it matches somewhere in `text`, which is one line even if line feeds are in it."""
        return bool(self.rows(Lines((text,))))

    def first(self, text: str) -> str | None:
        """What it matches first in `text`, which is one line even if line feeds are in it; None = it does not match."""
        raw = _utf8(_line(text))
        begin, end = (self._ascii if raw.isascii() else self._unicode).Match(_UNANCHORED, raw, 0, len(raw))[0]
        return raw[begin:end].decode() if begin >= 0 else None

    def rows(self, lines: Lines, spend: Spend = _no_limit) -> list[int]:
        """Rows of the texts in which it matches, in no order.

        spend   called with (0, how many bytes come next) several times a second; may raise to end the search
        """
        before = lines.found.get(self)
        if before is not None:
            return before
        found = [
            *_rows(self._ascii, lambda: self._run, *lines.ascii, spend),
            *_rows(self._unicode, lambda: None, *lines.unicode, spend),
        ]
        # A new one, since other threads may be at it; what many patterns found is not kept for ever.
        lines.found = {**dict(islice(lines.found.items(), max(0, len(lines.found) - _KEPT + 1), None)), self: found}
        return found

    @cached_property
    def _run(self) -> re2._re2.RE2 | None:
        """Matches lines of ASCII one after the other in all of which the pattern matches; None = it is not worth it."""
        if not self._text.within or self._ascii.ProgramSize() > _SMALL:
            return None
        return _automaton(f"(?:^.*?(?:{self._text.ascii}).*\n)+", _MEMORY, self._ignore_case, latin=True, lines=True)


def _rows(
    automaton: re2._re2.RE2, run: Callable[[], re2._re2.RE2 | None], text: bytes, rows: list[int], spend: Spend
) -> list[int]:
    match, find, count = automaton.Match, text.find, text.count
    chunk = max(1_000, _AT_ONCE // automaton.ProgramSize())
    found: list[int] = []
    begin = line = in_a_row = 0
    while begin < len(text):
        end = find(b"\n", begin + chunk)
        end = len(text) - 1 if end < 0 else end  # the last line feed is no part of what is searched
        spend(0, end - begin)
        while begin <= end:
            place = match(_UNANCHORED, text, begin, end)[0][1]
            if place < 0:
                line += count(b"\n", begin, end) + 1
                break
            passed = count(b"\n", begin, place)
            line += passed
            found.append(rows[line])
            begin = find(b"\n", place) + 1
            line += 1
            in_a_row = 0 if passed else in_a_row + 1
            if in_a_row >= _IN_A_ROW and begin <= end and (together := run()) is not None:
                # Calls are what costs: one for each line would take five times as long as `re`.
                in_a_row, stop = 0, together.Match(_HERE, text, begin, end + 1)[0][1]
                if stop > begin:
                    row = line + count(b"\n", begin, stop)
                    found += rows[line:row]
                    begin, line = stop, row
        begin = end + 1
    return found


def _automaton(text: str, memory: int, ignore_case: bool, *, latin: bool, lines: bool = False) -> re2._re2.RE2:
    """lines: it may match several of them."""
    options = _options(memory)
    options.case_sensitive = not ignore_case
    options.never_nl = not lines
    if latin:
        options.encoding = re2.Options.Encoding.LATIN1
    # Not by `re2.compile`, which keeps 128 automata of any size for as long as the program runs.
    found = re2._re2.RE2(f"(?m){text}".encode("ascii"), options)
    if not found.ok():
        said = found.error().decode("utf-8", "replace")
        raise PatternError(next((reason for begin, reason in _REASONS if said.startswith(begin)), said))
    return found


def _options(memory: int) -> re2.Options:
    options = re2.Options()
    options.max_mem = memory
    options.log_errors = False
    options.never_capture = True
    return options


@lru_cache(maxsize=32)
def compiled(text: str, *, ignore_case: bool = False) -> Pattern:
    """The pattern that `text` is, in the syntax of `re` as far as it takes linear time. Raises PatternError."""
    if len(text) > LONGEST:
        raise PatternError(f"it is longer than {LONGEST:,} characters")
    return Pattern(translated(text), ignore_case=ignore_case)


@lru_cache(maxsize=32)
def glob(text: str, *, ignore_case: bool = False, begin: bool = True, end: bool = True) -> Pattern:
    """The pattern of texts that `text` describes as in `fnmatch`: * and ? are wild, [...] is one of some characters.

    begin, end   whether it must begin and end where `text` does

    Raises PatternError.
    """
    if len(text) > LONGEST:
        raise PatternError(f"it is longer than {LONGEST:,} characters")
    found = glob_translated(text)
    left, right = "^" if begin else "", "$" if end else ""
    return Pattern(Translated(f"{left}{found.ascii}{right}", f"{left}{found.unicode}{right}"), ignore_case=ignore_case)


class Set:
    """Many patterns, of which all that match are found at once.

    refused   (row, reason) of those that are no patterns; they match nothing
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self.refused: list[tuple[int, str]] = []
        self._sets: list[tuple[re2.Set, list[int]]] = []
        size = _SET_SIZE
        for row, text in enumerate(texts):
            try:
                pattern = translated_for_any(text)
                if not re2._re2.RE2(pattern.encode("ascii"), _options(_SET_MEMORY)).ok():
                    raise PatternError("it is no pattern")
            except PatternError as error:
                self.refused.append((row, str(error)))
                continue
            if size + len(pattern) > _SET_SIZE:
                self._sets.append((re2.Set.SearchSet(_options(_SET_MEMORY)), []))
                size = 0
            size += len(pattern)
            self._sets[-1][0].Add(pattern)
            self._sets[-1][1].append(row)
        for one, _ in self._sets:
            one.Compile()

    def matching(self, text: str, spend: Spend = _no_limit) -> list[int]:
        """Rows of the patterns that match somewhere in `text`, in no order; `spend` as in `Pattern.rows`."""
        raw, found = _utf8(_line(text)), list[int]()
        for one, rows in self._sets:
            spend(0, len(raw))
            found += [rows[place] for place in one.Match(raw) or ()]
        return found
