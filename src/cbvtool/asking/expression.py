"""The language of the search field: words, /patterns/, kinds, paths and metric expressions, as a tree of frozen nodes.

A text without any sign of an expression is plain words, for a fuzzy search. Otherwise:

    any    = all { "or" all }
    all    = not { ["and"] not }
    not    = "not" not | "(" any ")" | comparison | term
    term   = word | '"' text '"' | "/" regular expression "/" | ("kind:" | "path:" | "name:" | "like:") value | among
    among  = class metric ("==" | "!=") name | class metric ["not"] "in" "(" name { "," name } ")"
    comparison = sum compare sum { compare sum }        sum, product: + - * / over numbers, dates and metrics

Nothing is ever evaluated as code. A number may have a unit, which is ignored, except `%` and the factors `k` and `M`.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NoReturn

from cbvtool.errors import InputError
from cbvtool.matching import PatternError, compiled
from cbvtool.metrics.metric import Metric

LONGEST = 1_000  # characters of a query
DEEPEST = 40  # parentheses and "not"s inside each other
CLOSE = 0.5  # similarity from which another name is suggested
MOST_OFFERED = 50  # most names that are suggested
MOST_TOLD = 8  # most names in a sentence

# Common words -> names of metrics; the first one that exists counts.
ALIASES: Mapping[str, tuple[str, ...]] = {
    "changed_lines": ("churn",),
    "changes": ("change_frequency", "commits"),
    "frequency": ("change_frequency",),
    "loc": ("sloc",),
    "lines": ("sloc",),
    "size": ("sloc",),
    "length": ("sloc",),
    "cc": ("complexity",),
    "cyclomatic": ("complexity",),
    "mccabe": ("complexity",),
    "depth": ("nesting",),
    "params": ("parameters",),
    "arguments": ("parameters",),
    "developers": ("authors",),
    "committers": ("authors",),
    "users": ("fan_in",),
    "callers": ("fan_in",),
    "changed": ("last_change",),
    "modified": ("last_change",),
    "date": ("last_change",),
    "dead": ("unused",),
    "author": ("main_author",),
    "owner": ("main_author",),
    "lang": ("language",),
}


class QueryError(InputError):
    """A query that cannot be understood: one sentence; `start` and `end` delimit the faulty characters.

    offers   texts that may replace these characters, the most likely first
    """

    def __init__(self, sentence: str, start: int, end: int, offers: Sequence[str] = ()) -> None:
        super().__init__(f"{sentence} (character {start + 1}).")
        self.start, self.end, self.offers = start, end, tuple(offers)


# -- what a query consists of ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WordTerm:
    """Fuzzily like these words, all of them."""

    text: str


@dataclass(frozen=True)
class Name:
    """The name contains this text, whatever its case."""

    text: str


@dataclass(frozen=True)
class PatternTerm:
    """The name, or with `path` the id, contains a match of this regular expression."""

    text: str
    path: bool = False


@dataclass(frozen=True)
class Kind:
    """The kind begins with one of these words, which commas separate."""

    text: str


@dataclass(frozen=True)
class Path:
    """The node lies at or below a path that contains this text, from the start of a segment; * and ? are wildcards."""

    text: str


@dataclass(frozen=True)
class Number:
    """A number."""

    value: float


@dataclass(frozen=True)
class Day:
    """The first second of a day in UTC, the form of dates in metrics."""

    text: str

    @property
    def value(self) -> float:
        """Seconds since the epoch."""
        return datetime.datetime.fromisoformat(self.text).replace(tzinfo=datetime.UTC).timestamp()


@dataclass(frozen=True)
class Measure:
    """The value of a metric, by its name in the registry."""

    name: str


@dataclass(frozen=True)
class Negative:
    """The negative of an amount."""

    part: Amount


@dataclass(frozen=True)
class Arithmetic:
    """Two amounts joined by `sign`, one of + - * /."""

    sign: str
    left: Amount
    right: Amount


@dataclass(frozen=True)
class Comparison:
    """A chain such as 10 < sloc <= 50: between every two of `sides` stands one of `signs` (< <= > >= == !=)."""

    signs: tuple[str, ...]
    sides: tuple[Amount, ...]


@dataclass(frozen=True)
class Among:
    """The class of a categorical metric is one of `names`, ignoring case; with `other`, none of them.

    rows   indices of these classes in the metric; None = the metrics were not bound to a subject (`Metric.of`)
    """

    metric: str
    names: tuple[str, ...]
    other: bool = False
    rows: frozenset[int] | None = None


@dataclass(frozen=True)
class Not:
    """Nodes that do not match `part`."""

    part: Query


@dataclass(frozen=True)
class All:
    """Nodes that match all parts, at least two."""

    parts: tuple[Query, ...]


@dataclass(frozen=True)
class Any:
    """Nodes that match any part, at least two."""

    parts: tuple[Query, ...]


Amount = Number | Day | Measure | Negative | Arithmetic
Query = WordTerm | Name | PatternTerm | Kind | Path | Comparison | Among | Not | All | Any


def measures(part: Query | Amount) -> Iterator[str]:
    """Names of the metrics in a query, in order; may contain duplicates."""
    return (name for name, _ in _measures(part))


def amounts(part: Query | Amount) -> Iterator[str]:
    """As `measures`, only for metrics that are amounts; classes cannot be compared."""
    return (name for name, is_amount in _measures(part) if is_amount)


def _measures(part: Query | Amount) -> Iterator[tuple[str, bool]]:
    """(name, whether it is an amount) of each metric."""
    match part:
        case Measure(name):
            yield name, True
        case Among(name):
            yield name, False
        case Not(inner) | Negative(inner):
            yield from _measures(inner)
        case All(parts) | Any(parts):
            for one in parts:
                yield from _measures(one)
        case Comparison(_, sides):
            for side in sides:
                yield from _measures(side)
        case Arithmetic(_, left, right):
            yield from _measures(left)
            yield from _measures(right)


# -- reading -----------------------------------------------------------------------------------------------------

_SIGNS = {"=": "==", "<>": "!=", "≤": "<=", "≥": ">=", "≠": "!="}
_COMPARE = re.compile(r"<=|>=|==|!=|<>|[<>=≤≥≠]")
_FIELD = re.compile(r"(kind|path|name|like):(?!:)\s*", re.I)
_AMONG = re.compile(r"(==|=|!=|<>|≠)|(?:(not)\s+)?in\s*\(", re.I)
_EXPRESSION = re.compile(r"[<>=≤≥≠\"]|(?:^|[\s(])(?:(?:kind|path|name|like):(?!:)|/\S)|\w\s+in\s*\(", re.I)
_HAS_PATTERN = re.compile(r"(?:^|[\s(]|path:\s*)/\S", re.I)
_SPACE = re.compile(r"\s*")
_WORD = re.compile(r"[^\W\d][\w.]*")
_LINKS = re.compile(r"(?:and|or|not)(?![\w.:])", re.I)
_NUMBER = re.compile(r"((?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)\s*(%|[kM](?!\w))?")
_DAY = re.compile(r"\d{4}-\d\d-\d\d(?!\w)")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)("?)', re.S)
_PATTERN = re.compile(r"/((?:[^/\\]|\\.)*)(/?)", re.S)
_SINGLE = re.compile(r"'((?:[^'\\]|\\.)*)('?)", re.S)
_CLASS = re.compile(r"[^\s(),\"'<>=≤≥≠!][^\s()<>=≤≥≠]*")
_LISTED = re.compile(r"[^(),\"']+")
_BLOB = re.compile(r"(?:[^\s()<>=≤≥≠\"!]|!(?!=))+")
_AMOUNTS = re.compile(r"[\w\s.,+*/()%-]*")
_SCALES = {"%": 0.01, "k": 1e3, "M": 1e6}


@lru_cache(maxsize=64)
def _names(metrics: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """Name, label or alias in lower case -> name of the metric; from (name, label) of each."""
    there = {name for name, _ in metrics}
    known = {label.casefold().replace(" ", "_").replace(",", ""): name for name, label in metrics}
    known |= {alias: found for alias, meant in ALIASES.items() if (found := next(iter(_there(meant, there)), ""))}
    return known | {word_of(name).casefold(): name for name, _ in metrics}


def word_of(name: str) -> str:
    """How to write a metric in a query if its name is not a word: `net_salary` for `net salary`."""
    word = re.sub(r"\W+", "_", name)
    return word if _WORD.fullmatch(word) and not _LINKS.fullmatch(word) else f"_{word}"


def _there(names: tuple[str, ...], there: set[str]) -> Iterator[str]:
    return (name for name in names if name in there)


def asks_pattern(text: str) -> bool:
    """Whether a query may contain a regular expression: a hostile one may take longer than any other part."""
    return _HAS_PATTERN.search(text) is not None


def is_expression(text: str) -> bool:
    """Whether a query is more than words."""
    return _EXPRESSION.search(text) is not None


def parse(text: str, metrics: Mapping[str, Metric]) -> Query | None:
    """The query in `text`, None if it is empty; `metrics` are those that it may use.

    Raises QueryError for a text that is not a valid query.
    """
    if not text.strip():
        return None
    if len(text) > LONGEST:
        raise QueryError(f"The query is longer than {LONGEST:,} characters", LONGEST, len(text))
    if not is_expression(text):
        return WordTerm(" ".join(text.split()))
    return _Parser(text, metrics).query()


def metric_of(word: str, metrics: Mapping[str, Metric]) -> str:
    """Name of the metric that a word stands for. Raises QueryError when there is none."""
    parser = _Parser(word, metrics)
    if (name := parser.classes.get(word.casefold())) is not None:
        return name
    known = parser.known(Measure(parser.names.get(word.casefold(), word)), [(word, 0)])
    assert isinstance(known, Measure)
    return known.name


class _Parser:
    """Reads the text from left to right; `at` is the position of the next character."""

    def __init__(self, text: str, metrics: Mapping[str, Metric]) -> None:
        self.text, self.at, self.depth = text, 0, 0
        self.metrics = metrics
        # Classes (such as a language or an author) are not amounts.
        self.names = _names(tuple((name, m.label) for name, m in metrics.items() if m.names is None))
        self.classes = _names(tuple((name, m.label) for name, m in metrics.items() if m.names is not None))
        words = {word.casefold() for metric in metrics.values() for word in metric.unit.split()}
        self.units = words | {word.removesuffix("s") for word in words}

    def query(self) -> Query:
        found = self.any()
        if self.peek():
            self.fail("There is no ( for this )" if self.peek() == ")" else f"{self.peek()} is not expected here")
        return found

    # characters

    def peek(self) -> str:
        match = _SPACE.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        return self.text[self.at : self.at + 1]

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        self.peek()
        match = pattern.match(self.text, self.at)
        if match is not None:
            self.at = match.end()
        return match

    def link(self) -> str:
        """The next word if it is and, or, not; else empty. The position does not change."""
        self.peek()
        match = _LINKS.match(self.text, self.at)
        return match[0].casefold() if match else ""

    def fail(
        self, sentence: str, start: int | None = None, end: int | None = None, offers: Sequence[str] = ()
    ) -> NoReturn:
        start = self.at if start is None else start
        raise QueryError(sentence, start, max(start + 1, self.at if end is None else end), offers)

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            self.fail(f"The query is nested deeper than {DEEPEST} levels")

    # what matches

    def any(self) -> Query:
        parts = [self.all()]
        while self.link() == "or":
            self.take(_LINKS)
            parts.append(self.all())
        return parts[0] if len(parts) == 1 else Any(tuple(parts))

    def all(self) -> Query:
        parts = [self.negated()]
        while self.peek() not in ("", ")") and (link := self.link()) != "or":
            if link == "and":
                self.take(_LINKS)
            part, last = self.negated(), parts[-1]
            if link == "" and isinstance(part, WordTerm) and isinstance(last, WordTerm):
                parts[-1] = WordTerm(f"{last.text} {part.text}")  # adjacent words become one term
            else:
                parts.append(part)
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def negated(self) -> Query:
        if self.link() != "not":
            return self.term()
        self.take(_LINKS)
        self.deeper()
        part = self.negated()
        self.depth -= 1
        return Not(part)

    def term(self) -> Query:
        first, start = self.peek(), self.at
        if not first or first == ")" or self.link():
            before = self.text[:start].split()
            self.fail(f"Something is missing after {before[-1]}" if before else "Something is missing here")
        if first == '"':
            return Name(self.quoted())
        if first == "/":
            return self.pattern()
        if (field := self.take(_FIELD)) is not None:
            return self.value(field[1].casefold())
        if first == "(" and not self.holds_amount():
            self.at += 1
            self.deeper()
            found = self.any()
            if self.peek() != ")":
                self.fail("The ) for this ( is missing", start, start + 1)
            self.depth -= 1
            self.at += 1
            return found
        return self.among() or self.comparison() or self.word(start)

    def among(self) -> Among | None:
        """The next comparison of a class; None if there is none, and then the position does not change."""
        start, word = self.at, self.take(_WORD)
        name = self.classes.get(word[0].casefold()) if word is not None else None
        if word is None or name is None or (sign := self.take(_AMONG)) is None:
            if name is not None and self.peek() and _COMPARE.match(self.text, self.at):
                self.fail(f"{self.text[start : self.at].strip()} is a class: ask with ==, != or in (...)", start)
            self.at = start
            return None
        found = [self.class_name(name, _LISTED if sign[1] is None else _CLASS)]
        if sign[1] is None:
            while self.peek() == ",":
                self.at += 1
                found.append(self.class_name(name, _LISTED))
            if self.peek() != ")":
                self.fail("The ) for this ( is missing", sign.end() - 1, sign.end())
            self.at += 1
        known = [rows for _, rows in found if rows is not None]
        return Among(
            name,
            tuple(text for text, _ in found),
            sign[1] not in (None, "=", "==") or sign[2] is not None,
            frozenset().union(*known) if known else None,
        )

    def class_name(self, metric: str, bare: re.Pattern[str]) -> tuple[str, frozenset[int] | None]:
        """(the next name of a class, its indices in the metric, or None if these are unknown)."""
        first, start = self.peek(), self.at
        if first in ('"', "'"):
            text = self.quoted(_QUOTED if first == '"' else _SINGLE)
        else:
            text = plain[0].strip() if (plain := self.take(bare)) else ""
        known, label = self.metrics[metric].classes, self.metrics[metric].label.lower()
        names = () if known is None else known()
        if not text:
            self.fail(f"The name of a {label} is missing", start, start, tuple(map(_quoted, _offers("", names))))
        rows = frozenset(row for row, name in enumerate(names) if name.casefold() == text.casefold())
        if known is not None and not rows:
            offers = _offers(text, names)
            hint = f"did you mean {offers[0]}?" if offers else f"there are {_some(names)}"
            self.fail(f"No {label} is called {text}: {hint}", start, self.at, tuple(map(_quoted, offers)))
        return text, None if known is None else rows

    def value(self, field: str) -> Query:
        start = self.at
        if field == "path" and self.peek() == "/":
            return self.pattern(path=True)
        text = self.quoted() if self.peek() == '"' else blob[0] if (blob := self.take(_BLOB)) else ""
        if not text:
            self.fail(f"Something is missing after {field}:", start - len(field) - 1, start)
        if field == "like":
            return WordTerm(" ".join(text.split()) or text)
        if field == "name":
            return Name(text)
        return Kind(text) if field == "kind" else Path(text)

    def quoted(self, quotes: re.Pattern[str] = _QUOTED) -> str:
        start, match = self.at, self.take(quotes)
        assert match is not None
        if not match[1]:
            self.fail("There is nothing between the quotes", start)
        return re.sub(r"\\(.)", r"\1", match[1], flags=re.S)

    def pattern(self, path: bool = False) -> PatternTerm:
        start, match = self.at, self.take(_PATTERN)
        assert match is not None
        text = match[1].replace("\\/", "/")
        if not text:
            self.fail("The regular expression is empty", start)
        if (why := pattern_fault(text)) is not None:
            self.fail(f"The regular expression cannot be used: {why}", start)
        return PatternTerm(text, path)

    def word(self, start: int) -> Query:
        """A word that is not a metric in a comparison."""
        self.at = start
        blob = self.take(_BLOB)
        if blob is None:
            self.fail(f"{self.text[start]} has nothing before it")
        if self.peek() and _COMPARE.match(self.text, self.at):
            self.fail(f"{blob[0]} cannot be compared", start)
        return WordTerm(blob[0])

    # amounts

    def holds_amount(self) -> bool:
        """Whether the next parenthesis is part of a sum."""
        depth = 0
        for place in range(self.at, len(self.text)):
            depth += {"(": 1, ")": -1}.get(self.text[place], 0)
            if depth == 0:
                after = self.text[place + 1 :].lstrip()
                inside = self.text[self.at + 1 : place]
                return (
                    _AMOUNTS.fullmatch(inside) is not None
                    and not re.search(r"\b(and|or|not)\b", inside, re.I)
                    and (after[:1] in ("+", "-", "*", "/") or _COMPARE.match(after) is not None)
                )
        return False

    def comparison(self) -> Comparison | None:
        """The next comparison; None if there is none, and then the position is undefined."""
        left = self.sum()
        if left is None or self.peek() == "" or _COMPARE.match(self.text, self.at) is None:
            return None
        sides, signs = [self.known(*left)], []
        while (sign := self.take(_COMPARE)) is not None:
            place = self.at - len(sign[0])
            signs.append(_SIGNS.get(sign[0], sign[0]))
            side = self.sum()
            if side is None:
                self.fail(f"A number or a metric is missing after {sign[0]}", place, place + len(sign[0]))
            sides.append(self.known(*side))
        return Comparison(tuple(signs), tuple(sides))

    def known(self, amount: Amount, used: list[tuple[str, int]]) -> Amount:
        """The amount itself, after checking that all its metrics exist."""
        for name, place in used:
            if name.casefold() in self.classes:
                self.fail(f"{name} is a class, which has no amount", place, place + len(name))
            if name.casefold() not in self.names:
                from rapidfuzz import process  # slow to import, and rarely needed
                from rapidfuzz.distance import OSA

                close = process.extractOne(
                    name.casefold(), [*self.names, *self.classes], scorer=OSA.normalized_similarity, score_cutoff=CLOSE
                )
                hint = (
                    f": did you mean {close[0]}?"
                    if close
                    else f"; there are {', '.join(dict.fromkeys(self.names.values()))}"
                )
                begun = [word for word in self.names.values() if word.startswith(name.casefold())]
                offers = dict.fromkeys([*(close[:1] if close else ()), *begun])
                self.fail(f"{name} is not a metric{hint}", place, place + len(name), tuple(offers))
        return amount

    def sum(self) -> tuple[Amount, list[tuple[str, int]]] | None:
        """A sum, and the words in it that should be metrics, with positions; None if there is no sum here."""
        used: list[tuple[str, int]] = []
        found = self.added(used)
        return None if found is None else (found, used)

    def added(self, used: list[tuple[str, int]]) -> Amount | None:
        left = self.multiplied(used)
        while left is not None and (sign := self.peek()) in ("+", "-"):
            self.at += 1
            right = self.multiplied(used)
            left = None if right is None else Arithmetic(sign, left, right)
        return left

    def multiplied(self, used: list[tuple[str, int]]) -> Amount | None:
        left = self.single(used)
        while left is not None and (sign := self.peek()) in ("*", "/"):
            self.at += 1
            right = self.single(used)
            left = None if right is None else Arithmetic(sign, left, right)
        return left

    def single(self, used: list[tuple[str, int]]) -> Amount | None:
        first = self.peek()
        if first in ("-", "("):
            self.at += 1
            self.deeper()
            part = self.single(used) if first == "-" else self.added(used)
            self.depth -= 1
            if part is None or first == "-":
                return None if part is None else Negative(part)
            if self.peek() != ")":
                return None
            self.at += 1
            return part
        if (day := self.take(_DAY)) is not None:
            return self.day(day)
        if (number := self.take(_NUMBER)) is not None:
            return self.number(number)
        if self.link() or (word := self.take(_WORD)) is None:
            return None
        used.append((word[0], word.start()))
        return Measure(self.names.get(word[0].casefold(), word[0]))

    def day(self, match: re.Match[str]) -> Day:
        try:
            _ = Day(match[0]).value
        except (ValueError, OverflowError):
            self.fail(f"{match[0]} is not a valid date", match.start())
        return Day(match[0])

    def number(self, match: re.Match[str]) -> Number:
        value = float(match[1].replace(",", "")) * _SCALES.get(match[2] or "", 1.0)
        if value == float("inf"):
            self.fail(f"{match[0].strip()} is too large", match.start())
        place = self.at
        unit = self.take(_WORD)
        if unit is None or unit[0].casefold() not in self.units or self.in_sum():
            self.at = place
        return Number(value)

    def in_sum(self) -> bool:
        """Whether the previous word belongs to a comparison of its own: `authors == 1 commits > 3`."""
        return self.peek() in ("+", "-", "*", "/") or _COMPARE.match(self.text, self.at) is not None


def _offers(text: str, names: Sequence[str]) -> tuple[str, ...]:
    """The names that `text` may mean: names that begin with it, that contain it, that are spelled similarly."""
    from rapidfuzz import process  # slow to import, and rarely needed
    from rapidfuzz.distance import OSA

    folded, wanted = [name.casefold() for name in names], text.casefold()
    close = process.extract(wanted, folded, scorer=OSA.normalized_similarity, score_cutoff=CLOSE, limit=MOST_OFFERED)
    found = [row for row, name in enumerate(folded) if name.startswith(wanted)]
    found += [row for row, name in enumerate(folded) if wanted in name]
    found += [row for _, _, row in close]
    return tuple(names[row] for row in list(dict.fromkeys(found))[:MOST_OFFERED])


def _some(names: Sequence[str]) -> str:
    more = len(names) - MOST_TOLD
    return ", ".join(names[:MOST_TOLD]) + (f" and {more:,} more" if more > 0 else "") if names else "none"


def pattern_fault(text: str) -> str | None:
    """Why a regular expression cannot be used; None if it can."""
    try:
        compiled(text, ignore_case=ignores_case(text))
    except PatternError as error:
        return str(error)
    return None


def ignores_case(text: str) -> bool:
    """Whether a regular expression ignores case: it does if it has no capital letter."""
    return not any(map(str.isupper, text))


# -- writing -----------------------------------------------------------------------------------------------------


def to_text(query: Query) -> str:
    """A text that is parsed as `query` again."""
    if isinstance(query, WordTerm) and not is_expression(query.text):
        return query.text
    return _written(query)


def _written(part: Query) -> str:
    match part:
        case WordTerm(text):
            return f"like:{_quoted(text)}"
        case Name(text):
            return _quoted(text)
        case PatternTerm(text, path):
            return ("path:" if path else "") + "/" + re.sub(r"(\\.)|/", lambda m: m[1] or "\\/", text, flags=re.S) + "/"
        case Kind(text):
            return f"kind:{_value(text)}"
        case Path(text):
            return f"path:{_value(text)}"
        case Not(inner):
            return f"not {_inside(inner)}"
        case All(parts):
            return " and ".join(map(_inside, parts))
        case Any(parts):
            return " or ".join(map(_inside, parts))
        case Comparison(signs, sides):
            rest = (f" {sign} {_amount(side)}" for sign, side in zip(signs, sides[1:], strict=True))
            return _amount(sides[0]) + "".join(rest)
        case Among(name, names, other):
            if len(names) == 1:
                return f"{word_of(name)} {'!=' if other else '=='} {_quoted(names[0])}"
            return f"{word_of(name)} {'not ' * other}in ({', '.join(map(_quoted, names))})"


def _inside(part: Query) -> str:
    return f"({_written(part)})" if isinstance(part, All | Any) else _written(part)


def _value(text: str) -> str:
    plain = _BLOB.fullmatch(text) and not text.startswith(("/", ":"))
    return text if plain else _quoted(text)


def _quoted(text: str) -> str:
    return '"' + re.sub(r'(["\\])', r"\\\1", text) + '"'


def _amount(part: Amount) -> str:
    match part:
        case Number(value):
            return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else repr(value)
        case Day(text):
            return text
        case Measure(name):
            return word_of(name)
        case Negative(inner):
            return f"-{_amount(inner)}" if isinstance(inner, Number | Measure | Day) else f"-({_amount(inner)})"
        case Arithmetic(sign, left, right):
            return f"({_amount(left)}) {sign} ({_amount(right)})"
