"""Qualified names of C++ and Rust symbols: `_ZN4shop4CartIiE3addEi` is shop::Cart::add."""

from __future__ import annotations

import re

_STANDARD = {"t": "std", "a": "std::allocator", "b": "std::basic_string", "s": "std::basic_string"}
_STANDARD |= {"i": "std::basic_istream", "o": "std::basic_ostream", "d": "std::basic_iostream"}
_OPERATORS = {
    "nw": " new",
    "na": " new[]",
    "dl": " delete",
    "da": " delete[]",
    "aw": " co_await",
    "ps": "+",
    "ng": "-",
    "ad": "&",
    "de": "*",
    "co": "~",
    "pl": "+",
    "mi": "-",
    "ml": "*",
    "dv": "/",
    "rm": "%",
    "an": "&",
    "or": "|",
    "eo": "^",
    "aS": "=",
    "pL": "+=",
    "mI": "-=",
    "mL": "*=",
    "dV": "/=",
    "rM": "%=",
    "aN": "&=",
    "oR": "|=",
    "eO": "^=",
    "ls": "<<",
    "rs": ">>",
    "lS": "<<=",
    "rS": ">>=",
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "gt": ">",
    "le": "<=",
    "ge": ">=",
    "ss": "<=>",
    "nt": "!",
    "aa": "&&",
    "oo": "||",
    "pp": "++",
    "mm": "--",
    "cm": ",",
    "pm": "->*",
    "pt": "->",
    "cl": "()",
    "ix": "[]",
    "qu": "?",
}
_SPECIAL = {"TV": "vtable", "TT": "VTT", "TI": "typeinfo", "TS": "typeinfo name", "GV": "guard variable"}
_RUST_HASH = re.compile(r"h[0-9a-f]{16}$")
_CLONE = re.compile(r"\.(?:part|isra|constprop|cold|lto_priv|localalias|llvm)\b.*$")
_LONGEST = 20_000  # characters of a symbol; longer ones are kept as they are
_DEEPEST = 200


class _Unknown(Exception):
    """What is not of the grammar, or of a part that is not read."""


def qualified_name(symbol: str) -> str:
    """The qualified name of a function without parameters and template arguments; other symbols as they are.

    Source: the grammar of the Itanium C++ ABI, section 5.1. A name stands before all types that it depends on, so
    that types are only skipped. Suffixes of compilers (`.part.0`) and Rust's hashes go, and a lambda in f is
    f::{lambda}.
    """
    text = _CLONE.sub("", symbol)
    start = 1 if text.startswith("__Z") else 0
    if not text.startswith("_Z", start) or len(text) > _LONGEST:
        return symbol
    try:
        name = _Symbol(text, start + 2).encoding()
    except (_Unknown, IndexError, ValueError):
        return symbol
    return name or symbol


class _Symbol:
    """A cursor over a mangled symbol."""

    def __init__(self, text: str, at: int) -> None:
        self.text, self.at, self.depth = text, at, 0

    def take(self, prefix: str) -> bool:
        """Whether the rest begins with it, which is then passed."""
        if self.text.startswith(prefix, self.at):
            self.at += len(prefix)
            return True
        return False

    def peek(self) -> str:
        return self.text[self.at]

    def encoding(self) -> str:
        """A function, a variable, or what the compiler made for one."""
        if self.take("GTt"):  # a copy for transactions
            return self.encoding()
        pair = self.text[self.at : self.at + 2]
        if pair in _SPECIAL:
            self.at += 2
            return f"{_SPECIAL[pair]} for {self.name()}"
        if pair in ("Th", "Tv"):  # a thunk, as the function that it calls
            self.at += 2
            self.number()
            if pair == "Tv":
                self.expect("_")
                self.number()
            self.expect("_")
            return self.encoding()
        return self.name()

    def expect(self, text: str) -> None:
        if not self.take(text):
            raise _Unknown

    def number(self) -> int:
        self.take("n")
        start = self.at
        while self.peek().isdecimal():
            self.at += 1
        return int(self.text[start : self.at])

    def name(self) -> str:
        """<name>: nested, local, or a single one, perhaps of std."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise _Unknown
        if self.take("N"):
            return self.nested()
        if self.take("Z"):
            return self.local()
        parts = []
        if self.text.startswith("St", self.at):
            self.at += 2
            parts.append("std")
        elif self.peek() == "S":
            parts.append(self.standard())
            self.arguments()
            return parts[0]
        parts.append(self.unqualified(parts))
        self.arguments()
        return "::".join(parts)

    def nested(self) -> str:
        """N [qualifiers] parts E: the parts of a name, joined."""
        while self.peek() in "rVKRO":
            self.at += 1
        parts: list[str] = []
        while not self.take("E"):
            if self.peek() == "S":
                parts += self.standard().split("::")
            elif self.peek() == "I":
                self.arguments()
            elif self.peek() in "TD" and self.text[self.at + 1] not in "0123459":
                raise _Unknown
            elif not self.take("M"):  # the initialiser of a member, around a lambda
                parts.append(self.unqualified(parts))
        if len(parts) > 1 and _RUST_HASH.match(parts[-1]):
            parts.pop()
        return "::".join(parts)

    def local(self) -> str:
        """Z function E entity: what stands in a function."""
        outer = self.name()
        while not self.take("E"):
            self.skip()
        if self.take("s"):
            self.discriminator()
            return outer
        if self.take("d"):
            if self.peek().isdecimal():
                self.number()
            self.expect("_")
        inner = self.name()
        return f"{outer}::{inner}"

    def discriminator(self) -> None:
        if self.take("__"):
            self.number()
            self.expect("_")
        elif self.take("_"):
            self.at += 1

    def standard(self) -> str:
        """One of the abbreviations of the standard library; others point back to types."""
        letter = self.text[self.at + 1]
        if letter not in _STANDARD:
            raise _Unknown
        self.at += 2
        return _STANDARD[letter]

    def unqualified(self, before: list[str]) -> str:
        """One part of a name, with its ABI tags passed."""
        self.take("L")
        char = self.peek()
        if char.isdecimal():
            name = self.source()
        elif char in "CD" and self.text[self.at + 1] in "0123459I":
            inherited = self.take("CI")
            self.at += 1 if inherited else 2
            if inherited:
                self.skip()
            if not before:
                raise _Unknown
            name = ("~" if char == "D" else "") + before[-1].split("::")[-1]
        elif self.take("Ul"):
            while not self.take("E"):
                self.skip()
            self.until("_")
            name = "{lambda}"
        elif self.take("Ut"):
            self.until("_")
            name = "{unnamed}"
        elif self.take("DC"):
            while not self.take("E"):
                self.source()
            name = "{structured binding}"
        elif self.take("cv"):
            start = self.at
            self.skip()
            name = "operator " + self.type_text(start)
        elif self.take("li"):
            name = 'operator""' + self.source()
        else:
            name = "operator" + _OPERATORS[self._pair()]
        while self.take("B"):
            self.source()
        return name

    def _pair(self) -> str:
        pair = self.text[self.at : self.at + 2]
        if pair not in _OPERATORS:
            raise _Unknown
        self.at += 2
        return pair

    def type_text(self, start: int) -> str:
        """The type from `start` on where it is a name, else its code."""
        code = self.text[start : self.at]
        if not (code[:1].isdecimal() or code[:1] == "N" or code[:2] == "St"):
            return {"b": "bool", "i": "int", "j": "unsigned int", "l": "long", "m": "unsigned long", "d": "double"}.get(
                code, code
            )
        end, self.at = self.at, start
        name = self.name()
        self.at = end
        return name

    def source(self) -> str:
        """A length and as many characters."""
        size = self.number()
        name = self.text[self.at : self.at + size]
        if len(name) < size or not size:
            raise _Unknown
        self.at += size
        return "{anonymous}" if name.startswith("_GLOBAL__N") else name

    def until(self, end: str) -> None:
        self.at = self.text.index(end, self.at) + len(end)

    def arguments(self) -> None:
        """Template arguments, if there are any: skipped."""
        while self.peek_or_end() == "I":
            self.at += 1
            while not self.take("E"):
                self.skip()

    def peek_or_end(self) -> str:
        return self.text[self.at] if self.at < len(self.text) else ""

    def skip(self) -> None:
        """Pass a type or an expression, with all that stands in its brackets."""
        open_brackets = 0
        while True:
            if self.peek() == "E" and not open_brackets:
                raise _Unknown
            change, is_prefix = self._token()
            open_brackets += change
            if not open_brackets and not is_prefix:
                return

    def _token(self) -> tuple[int, bool]:
        """Pass one token: by how much it opens brackets, and whether what it belongs to still follows."""
        char, pair = self.peek(), self.text[self.at : self.at + 2]
        if char.isdecimal():
            self.source()
        elif char == "S":
            self.at += 2
            if pair[1:] not in _STANDARD:
                self.at -= 1
                self.until("_")
            return 0, pair == "St"
        elif char == "T":
            self.until("_")
        elif char == "L":  # a literal: its value may begin with digits that are no length
            self.literal()
        elif pair == "Ul":
            self.at += 2
            while not self.take("E"):
                self.skip()
            self.until("_")
        elif pair in ("DT", "Dt"):
            self.at += 2
            return 1, False
        elif pair in _OPERATORS or char == "D":
            self.at += 2
        elif char in "NIJXFZ":
            self.at += 1
            return 1, False
        else:
            self.at += 1
            return -1 if char == "E" else 0, char in "PROKVrCGU"
        return 0, False

    def literal(self) -> None:
        """L type value E, or L mangled name E."""
        self.at += 1
        if self.take("_Z") or self.take("Z"):
            self.name()
            while not self.take("E"):
                self.skip()
            return
        self.skip()
        self.until("E")
