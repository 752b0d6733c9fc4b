"""From the syntax of Python's regular expressions to that of RE2, as far as a linear-time engine can follow."""

from __future__ import annotations

import re
import string
import unicodedata
from dataclasses import dataclass
from functools import cache

LONGEST = 1_000  # characters of a pattern
MOST_REPEATED = 1_000  # times; what RE2 allows

UNPAIRED = 0x10F000 - 0xD800  # from half a character, such as a byte of a name that is no UTF-8, to one of its own
NEWLINE = "\x0b"  # stands for a line feed in texts, which are searched as lines of one block
_NO_CHARACTER = r"\x{ff}"  # no byte of ASCII text, nor of UTF-8: what stands for something that cannot occur
_MOST = 0x10FFFF

_PLAIN = frozenset(f"{string.ascii_letters}{string.digits}_/ ,;=<>!@%~'\"#")  # themselves anywhere in a pattern
_REPEATED = re.compile(r"\{(\d*)(,?)(\d*)\}")
_NAME = re.compile(r"[^\W\d]\w*>")
_FLAGS = re.compile(r"([a-zA-Z]*)(?:-([a-zA-Z]+))?([:)])")
_OCTAL = re.compile(r"0[0-7]{0,2}|[0-3][0-7]{2}")
_HEX = {"x": re.compile("[0-9a-fA-F]{2}"), "u": re.compile("[0-9a-fA-F]{4}"), "U": re.compile("[0-9a-fA-F]{8}")}
_NAMED = re.compile(r"\{([^{}]+)\}")
_CONTROL = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}

# Insides of classes: [of ASCII, of Unicode]. RE2's own \w and \s know ASCII alone.
_SHORTHANDS = {
    "d": ("0-9", r"\p{Nd}"),
    "w": ("0-9A-Za-z_", r"\p{L}\p{N}_"),
    "s": (r"\t\x0b-\r\x1c-\x20", r"\t\x0b-\r\x1c-\x20\x{85}\p{Z}"),
}
_UNKNOWN = {
    "(?=": "looking ahead, (?=...)",
    "(?!": "looking ahead, (?!...)",
    "(?<=": "looking behind, (?<=...)",
    "(?<!": "looking behind, (?<!...)",
    "(?P=": "a reference back to a group, (?P=...)",
    "(?(": "a condition, (?(...)",
    "(?>": "an atomic group, (?>...)",
}
_INSTEAD = {
    "(?!": "say with `not` what must not match",
    "(?<!": "say with `not` what must not match",
    "(?=": "join two patterns with `and`",
    "(?<=": "join two patterns with `and`",
}


class PatternError(ValueError):
    """Why a pattern cannot be used: half a sentence."""


@dataclass(frozen=True)
class Translated:
    """One pattern in RE2's syntax, for texts that are lines.

    ascii     for lines of ASCII, to be compiled as Latin-1: much smaller, and exact at word boundaries
    unicode   for all others, as UTF-8
    within    no line feed is matched even where one may be, so that a block of lines can be searched as one text
    """

    ascii: str
    unicode: str
    within: bool = True


def translated(text: str) -> Translated:
    """`text`, in the syntax of `re`, for RE2. Raises PatternError for what no engine of linear time offers.

    `^` and `\\A` are the begin of a line, `$` and `\\Z` its end. `\\w`, `\\d`, `\\s` know Unicode; `\\b`, `\\B` go by
    the letters of ASCII.
    """
    plain = _Translation(text, unicode=False)
    return Translated(plain.run(), _Translation(text, unicode=True).run(), plain.within)


def translated_for_any(text: str) -> str:
    """The pattern for all texts alone: see `Translated.unicode`."""
    return _Translation(text, unicode=True).run()


def glob_translated(text: str) -> Translated:
    """`text`, in the syntax of `fnmatch`, for RE2; neither its begin nor its end is one of the line."""
    return Translated(_glob(text, unicode=False), _glob(text, unicode=True))


def _glob(text: str, *, unicode: bool) -> str:
    out, at = [], 0
    while at < len(text):
        sign = text[at]
        at += 1
        end = text.find("]", at + 1 + (text[at : at + 1] == "!")) if sign == "[" else -1
        if end >= 0:
            inside = text[at:end].replace("\\", "\\\\")
            inside = f"^{inside[1:]}" if inside[0] == "!" else f"\\{inside}" if inside[0] == "^" else inside
            out.append(_Translation(f"[{inside}]", unicode=unicode).run())
            at = end + 1
        else:
            out.append({"*": ".*", "?": "."}.get(sign) or _character(sign, unicode))
    return "".join(out)


def _character(sign: str, unicode: bool) -> str:
    if sign == "\n":
        sign = NEWLINE
    code = ord(sign)
    if 0xD800 <= code <= 0xDFFF:
        code += UNPAIRED
    if code >= 0x80 and not unicode:
        return _NO_CHARACTER
    return sign if sign in _PLAIN else f"\\x{{{code:x}}}"


class _Translation:
    """Goes through a pattern once; `at` is the place of the next character."""

    def __init__(self, text: str, *, unicode: bool) -> None:
        self.text, self.unicode, self.at = text, unicode, 0
        self.within = True

    def run(self) -> str:
        """The whole pattern."""
        out = []
        while self.at < len(self.text):
            out.append(self._part())
        return "".join(out)

    def _peek(self, length: int = 1) -> str:
        return self.text[self.at : self.at + length]

    def _take(self) -> str:
        sign = self._peek()
        self.at += 1
        return sign

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self.text, self.at)
        if match is not None:
            self.at = match.end()
        return match

    def _part(self) -> str:
        sign = self._take()
        if sign == "\\":
            return self._escape()
        if sign == "[":
            return self._class()
        if sign == "(":
            return self._group()
        if sign == "{":
            return self._times()
        return sign if sign in "*+?.^$|)" else _character(sign, self.unicode)

    def _times(self) -> str:
        """A repetition whose { was taken; a { that begins none is itself."""
        match = _REPEATED.match(self.text, self.at - 1)
        if match is None or match[0] == "{}":
            return _character("{", self.unicode)
        self.at = match.end()
        least, comma, most = match.groups()
        if max(len(least), len(most)) > 4 or max(int(least or 0), int(most or 0)) > MOST_REPEATED:
            raise PatternError(f"it repeats something more than {MOST_REPEATED:,} times")
        return f"{{{int(least or 0)}{comma}{most and int(most)}}}"

    def _group(self) -> str:
        """The begin of a group whose ( was taken. What groups are called does not matter: nothing asks for them."""
        if self._peek() != "?":
            return "("
        for begin, what in _UNKNOWN.items():
            if self.text.startswith(begin, self.at - 1):
                hint = f": {_INSTEAD[begin]}" if begin in _INSTEAD else ""
                raise PatternError(f"it uses {what}, which no engine of linear time has{hint}")
        self.at += 1
        if self._peek(2) == "P<":
            self.at += 2
            if self._match(_NAME) is None:
                raise PatternError("the name of a group is no name")
            return "(?:"
        if self._peek() == "#":
            end = self.text.find(")", self.at)
            if end < 0:
                raise PatternError("a ) is missing")
            self.at = end + 1
            return ""
        flags = self._match(_FLAGS)
        if flags is None:
            raise PatternError(f"(?{self._peek()} begins no group")
        on, off, closing = flags[1], flags[2] or "", flags[3]
        if strange := next((flag for flag in on + off if flag not in "imsu"), ""):
            raise PatternError(f"the flag (?{strange}) is not known here, only i, m, s and u")
        self.within = self.within and "s" not in on
        on, off = ("".join(flag for flag in flags if flag in "is") for flags in (on, off))
        if closing == ")" and not on:
            return ""
        return f"(?{on}{off and '-'}{off}{closing}"

    # what begins with a backslash, or stands in [...]

    def _escape(self) -> str:
        sign = self._peek()
        if sign in ("b", "B", "A", "Z"):
            self.at += 1
            return {"A": "^", "Z": "$"}.get(sign, f"\\{sign}")
        if sign.isdigit() and _OCTAL.match(self.text, self.at) is None:
            raise PatternError(f"it uses a reference back to a group, \\{sign}, which no engine of linear time has")
        shorthand, sign = self._escaped()
        return f"[{shorthand}]" if shorthand else _character(sign, self.unicode)

    def _escaped(self) -> tuple[str, str]:
        """(the inside of a class, or nothing; else the character) that what follows a backslash stands for."""
        sign = self._take()
        if not sign:
            raise PatternError("a \\ stands at its end")
        if sign.lower() in _SHORTHANDS:
            return self._shorthand(sign), ""
        if sign in _HEX:
            digits = self._match(_HEX[sign])
            if digits is None or int(digits[0], 16) > _MOST:
                raise PatternError(f"\\{sign} is not followed by the number of a character")
            return "", chr(int(digits[0], 16))
        if sign == "N" and (name := self._match(_NAMED)) is not None:
            try:
                return "", unicodedata.lookup(name[1])
            except KeyError:
                raise PatternError(f"no character is called {name[1]}") from None
        self.at -= 1
        if (octal := self._match(_OCTAL)) is not None:
            return "", chr(int(octal[0], 8))
        self.at += 1
        if sign in _CONTROL:
            return "", _CONTROL[sign]
        if sign.isascii() and sign.isalnum():
            raise PatternError(f"\\{sign} means nothing")
        return "", sign

    def _shorthand(self, sign: str) -> str:
        if sign.islower():
            return _SHORTHANDS[sign][self.unicode]
        return _outside(sign.lower()) if self.unicode else _outside_ascii(sign.lower())

    def _class(self) -> str:
        """A class whose [ was taken."""
        out = ["["]
        if self._peek() == "^":
            self.at += 1
            out.append("^\n")
        first = True
        while (sign := self._peek()) != "]" or first:
            if not sign:
                raise PatternError("a ] is missing")
            first = False
            shorthand, least = self._member()
            if self._peek() != "-" or self._peek(2) in ("-", "-]"):
                out.append(shorthand or self._range(least, least))
                continue
            self.at += 1
            other, most = self._member()
            if shorthand or other or most < least:
                raise PatternError("a range in [...] has no characters between its ends")
            out.append(self._range(least, most))
        self.at += 1
        return "".join((*out, "]"))

    def _member(self) -> tuple[str, str]:
        sign = self._take()
        if sign != "\\":
            return "", sign
        if self._peek() == "b":
            self.at += 1
            return "", "\b"
        return self._escaped()

    def _range(self, least: str, most: str) -> str:
        if least == most:
            return _character(least, self.unicode)
        first, last = ord(least), ord(most)
        if first <= 10 <= last:  # a line feed is written otherwise, and stands for none here
            before = self._range(least, "\t") if first < 10 else ""
            return before + self._range(NEWLINE, most if last > 10 else NEWLINE)
        if first >= 0x80 and not self.unicode:
            return _NO_CHARACTER
        return f"\\x{{{first:x}}}-\\x{{{last if self.unicode else min(last, 0x7F):x}}}"


def _is_of(shorthand: str, sign: str) -> bool:
    """Whether Python's `re` takes a character for one of \\d, \\w, \\s."""
    if shorthand == "d":
        return sign.isdecimal()
    return sign.isspace() if shorthand == "s" else sign.isalnum() or sign == "_"


@cache
def _outside_ascii(shorthand: str) -> str:
    """Inside of a class: what \\D, \\W, \\S are among bytes. None above ASCII, for there is none."""
    return _ranges([code for code in range(0x80) if code != 10 and not _is_of(shorthand, chr(code))])


@cache
def _outside(shorthand: str) -> str:
    """The same among all characters; RE2 joins no complement of several properties with something else."""
    return _ranges([code for code in range(_MOST + 1) if code != 10 and not _is_of(shorthand, chr(code))])


def _ranges(codes: list[int]) -> str:
    found, first = [], 0
    for row in range(1, len(codes) + 1):
        if row == len(codes) or codes[row] != codes[row - 1] + 1:
            found.append(f"\\x{{{codes[first]:x}}}-\\x{{{codes[row - 1]:x}}}")
            first = row
    return "".join(found)
