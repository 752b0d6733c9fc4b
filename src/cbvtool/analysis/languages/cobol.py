"""Facts of one COBOL file: one pass over its words, no parser, as no grammar knows all dialects.

A file is cut into divisions first; each kind of division has its own loop. What counts as what is documented in
docs/accuracy.md.

Uses say in `other` what their name is:

CALL    "program" (a literal), "data" (an item that holds a program's name), "perform" (a paragraph or section, `A` or
        `A OF B`), "perform A" (the last of a range that begins with A), "function"
REFER   "program" or "data": CANCEL, LOAD, SET ... TO ENTRY
ASSIGN  the data item `name` may hold `other`: a literal in quotes, or another item; `table 'X'` is less sure: one of
        the values of a table

Marks: `entry NAME ROW` (the definition in that row can be called by NAME), `replacing ROW` followed by tabs and pairs
of texts (what the import in that row replaces).

Forms of imports: "sql" (EXEC SQL INCLUDE), "dotted" (`COPY a.cpy`, without quotes, which not all compilers take).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from cbvtool.analysis.facts import ASSIGN, CALL, REFER, Definition, FileFacts, Import, Uses
from cbvtool.analysis.languages.cobol_text import CODE, COMMENT, Text, read_text

DEEP = 3  # a statement inside this many control structures counts as deeply nested (SPEC CBV-4, NL3+)
_DEEP_CODE = 3  # one more mark of lines
_CODE_BYTE, _DEEP_BYTE = bytes([CODE]), bytes([_DEEP_CODE])

# The string of a PICTURE may hold periods; names may hold colons (`:TAG:-NAME`, to be replaced).
_TOKEN = re.compile(
    r"(?i:PIC(?:TURE)?)(?:\s+(?i:IS))?\s+\S*[^\s.]"
    r"|[\w#@$:][\w#@$:-]*(?:\.(?i:cpy|cbl|cob|inc)\b)?"
    r"""|"[^"]*(?:""[^"]*)*"?|'[^']*(?:''[^']*)*'?"""
    r"|==|\.(?!\d)|[()]"
)
_QUOTES = ('"', "'")
_PROGRAM_NAME = re.compile(r"[A-Za-z#@$][\w#@$-]{0,29}$")
_LONGEST = 200  # characters of a text to be replaced that is worth remembering
_LONGEST_SUBSCRIPT = 50  # words
_DEEPEST_UNIT = 20  # programs in programs
_MOST_VALUES = 2000  # pairs of a table's item and a value in it

_DIVISIONS = frozenset({"IDENTIFICATION", "ID", "ENVIRONMENT", "DATA", "PROCEDURE"})
_UNITS = {
    "PROGRAM-ID": "program", "FUNCTION-ID": "function", "CLASS-ID": "class", "INTERFACE-ID": "interface",
    "METHOD-ID": "method",
}  # fmt: skip
_UNIT_ENDS = frozenset({"PROGRAM", "FUNCTION", "CLASS", "INTERFACE", "METHOD"})
_CUTS = frozenset({"DIVISION", "END", *_UNITS})

# Paragraphs of the identification division that hold free text.
_ENTRIES = frozenset({
    "AUTHOR", "INSTALLATION", "DATE-WRITTEN", "DATE-COMPILED", "DATE-MODIFIED", "SECURITY", "REMARKS", "ABSTRACT",
})  # fmt: skip
_ENVIRONMENT = frozenset({
    "CONFIGURATION", "INPUT-OUTPUT", "SOURCE-COMPUTER", "OBJECT-COMPUTER", "SPECIAL-NAMES", "REPOSITORY",
    "FILE-CONTROL", "I-O-CONTROL", "FILE", "WORKING-STORAGE", "LOCAL-STORAGE", "LINKAGE", "SCREEN", "REPORT",
    "COMMUNICATION",
})  # fmt: skip
_NO_PARAMETERS = frozenset({
    "BY", "REFERENCE", "VALUE", "CONTENT", "OPTIONAL", "UNSIGNED", "SIZE", "IS", "AUTO", "DEFAULT", "ANY",
})  # fmt: skip

_PLAIN_VERBS = (
    "ACCEPT", "ADD", "CLOSE", "COMMIT", "COMPUTE", "CONTINUE", "DELETE", "DISPLAY", "DIVIDE", "EXAMINE", "EXHIBIT",
    "GENERATE", "GOBACK", "INITIALIZE", "INITIATE", "INSPECT", "INVOKE", "MERGE", "MULTIPLY", "OPEN",
    "RAISE", "READ", "RECEIVE", "RELEASE", "RETURN", "REWRITE", "ROLLBACK", "SEND", "SET", "SORT", "START", "STOP",
    "STRING", "SUBTRACT", "SUPPRESS", "TERMINATE", "TRANSFORM", "UNLOCK", "UNSTRING", "WRITE",
)  # fmt: skip
_CONDITIONAL = frozenset({"IF", "EVALUATE", "PERFORM", "SEARCH"})  # statements with conditions
_ARITHMETIC = ("ADD", "SUBTRACT", "MULTIPLY", "DIVIDE", "COMPUTE")
# Phrases that run statements, and whose they may be.
_PHRASES = {
    "END": ("READ", "RETURN", "SEARCH", "RECEIVE"),
    "INVALID": ("READ", "WRITE", "REWRITE", "DELETE", "START"),
    "SIZE": _ARITHMETIC,
    "OVERFLOW": ("STRING", "UNSTRING", "CALL"),
    "EXCEPTION": ("CALL", "ACCEPT", "XML", "JSON", "INVOKE"),
    "EOP": ("WRITE",),
    "END-OF-PAGE": ("WRITE",),
}
_EXEC = frozenset({"CICS", "SQL", "DLI", "SQLIMS", "ADO", "HTML", "ORACLE", "IDMS", "MQ", "JAVA"})


def read_facts(data: bytes, name: str = "") -> FileFacts:
    """Facts of a file, given its bytes as they are on disk; raises Unreadable."""
    text = read_text(data)
    scan = _Scan(text)
    scan.run()
    definitions, own = scan.measured()
    return FileFacts(
        len(text.marks), own.sloc, own.nl3_lines, own.complexity, definitions, tuple(scan.imports),
        Uses.pack([*scan.uses, *scan.assigned()]), scan.broken, own.statements, own.nesting, own.comments,
        marks=tuple(scan.marks),
    )  # fmt: skip


def read_imports(data: bytes, name: str = "") -> FileFacts:
    """Copied and included files alone, many times faster; raises Unreadable."""
    text = read_text(data)
    imports = []
    for at, (line, code) in enumerate(text.lines):
        upper = code.upper()
        if "COPY" in upper or "INCLUDE" in upper:
            words = _Words(text.lines[at : at + 3])  # what is copied may stand on one of the next lines
            replaced = False
            for i, word in enumerate(words.upper[: bisect_right(words.lines, line, 0, words.count)]):
                replaced ^= word == "=="
                sql = word == "INCLUDE" and words.upper[i - 1] == "SQL"
                is_copy = word == "COPY" or sql or _is_include(words, i)
                if is_copy and not replaced and (copied := _copied(words, i + 1)):
                    imports.append(Import(copied.name, 0, None, line, form="sql" if sql else copied.form))
    sloc = text.marks.count(CODE)
    return FileFacts(len(text.marks), sloc, 0, 0, imports=tuple(imports), comments=text.marks.count(COMMENT))


class _Words:
    """The words of some lines, literals and signs among them.

    tokens, upper  as written and in capitals; a few empty ones follow the last
    lines          the line of each
    count          number of words
    """

    def __init__(self, lines: Sequence[tuple[int, str]]) -> None:
        self.tokens: list[str] = []
        self.lines: list[int] = []
        find = _TOKEN.findall
        for line, code in lines:
            found = find(code)
            self.tokens += found
            self.lines += [line] * len(found)
        self.count = len(self.tokens)
        self.tokens += [""] * 8
        self.lines += [self.lines[-1] if self.lines else 1] * 8
        self.upper = list(map(str.upper, self.tokens))

    def is_first(self, i: int) -> bool:
        """Whether word `i` is the first on its line."""
        return i == 0 or self.lines[i] != self.lines[i - 1]


class _Copied(NamedTuple):
    """What a COPY names, `library/name` where it names both, the word behind that, and `Import.form`."""

    name: str
    end: int
    form: str


def _copied(words: _Words, i: int) -> _Copied | None:
    """What is named from word `i` on; None = nothing."""
    name = words.tokens[i]
    if name in ("", ".", "==", "(", ")"):
        return None
    form = "dotted" if "." in name and name[0] not in _QUOTES else ""
    name = literal(name)
    i += 1
    if words.upper[i] in ("OF", "IN"):
        name = f"{literal(words.tokens[i + 1])}/{name}"
        i += 2
    return _Copied(name, i, form) if name else None


def _is_include(words: _Words, i: int) -> bool:
    """Whether word `i` is `INCLUDE name.`, which some compilers take for COPY."""
    return words.upper[i] == "INCLUDE" and words.upper[i + 2] == "." and words.upper[i - 1] in (".", "")


def literal(token: str) -> str:
    """The value of a literal, without blanks at its ends; other words are returned as they are."""
    if token[:1] not in _QUOTES:
        return token
    quote = token[0]
    inside = token[1:-1] if len(token) > 1 and token[-1] == quote else token[1:]
    return inside.replace(quote * 2, quote).strip()


class _Own(NamedTuple):
    """What is a definition's own, or the file's."""

    sloc: int
    nl3_lines: int
    complexity: int
    statements: int
    nesting: int
    comments: int


class _Control:
    """A control structure that is not closed yet.

    verb   of its statement; an IF that has had its ELSE is an "ELSE"
    depth  nesting of the statements in it
    """

    __slots__ = ("depth", "verb")

    def __init__(self, verb: str, depth: int) -> None:
        self.verb, self.depth = verb, depth


class _Item(NamedTuple):
    """An entry of the data division: its level, its name, the row of the group that it is in, what it redefines."""

    level: int
    name: str
    group: int
    redefines: str


class _Scan:
    """One pass over the words of a file; `run`, then read what was found.

    Lists of rows begin with the file's own values: definition r has r + 1.
    """

    def __init__(self, text: Text) -> None:
        self.line_marks = text.marks
        self.words = words = _Words(text.lines)
        self.tokens, self.upper, self.lines = words.tokens, words.upper, words.lines
        self.imports: list[Import] = []
        self.uses: list[tuple[int, int, str, str, int]] = []
        self.marks: list[str] = []
        self.broken = False
        # Definitions, and what is counted for them.
        self.found: list[_Found] = []
        self.statements, self.decisions, self.nesting = [0], [0], [0]
        # Where the scan stands.
        self.units: list[int] = []
        self.unit_names: Counter[str] = Counter()
        self.in_procedure = False
        self.section = self.paragraph = self.scope = -1
        self.verb = ""
        self.controls: list[_Control] = []
        self.open: Counter[str] = Counter()  # controls by verb
        self.turns: list[tuple[int, bool]] = []  # lines from which on code is deep, or is no longer
        self.deep = False
        self.ends = Counter(
            literal(self.upper[i + 2]) for i in range(words.count)
            if self.upper[i] == "END" and self.upper[i + 1] in _UNIT_ENDS
        )  # fmt: skip
        # What data items hold.
        self.items: list[_Item] = []
        self.groups: list[int] = []
        self.values: list[tuple[int, str, int]] = []  # item, literal, line
        self.moves: list[int] = []
        self.called: set[str] = set()
        self.functions: set[str] = set()

    # -- divisions -------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Scan the file."""
        cuts = [*self._cuts(), (self.words.count, "")]
        first = cuts[0][0]
        if first:
            self._fragment(0, first)
        header = -1  # of an identification division whose program is not named yet
        for (i, what), (end, _) in pairwise(cuts):
            if what in ("ID", "IDENTIFICATION"):
                header = i
                self._leave_paragraphs(i)
            elif what in _UNITS:
                self._unit(i, end, i if header < 0 else header)
                header = -1
            elif what == "END":
                self._end_unit(i)
            elif what == "PROCEDURE":
                self._procedure(self._using(i, end), end)
            else:
                self._data(i, end)
        self._leave_paragraphs(self.words.count)
        last = self._last_line(self.words.count)
        while self.units:
            self._close(self._leave_unit(), last)

    def _cuts(self) -> Iterator[tuple[int, str]]:
        """Where divisions and programs begin and end: word and what it is."""
        upper, words = self.upper, self.words
        for i, word in enumerate(upper):
            if word not in _CUTS:
                continue
            if word == "DIVISION":
                if i and upper[i - 1] in _DIVISIONS and (words.is_first(i - 1) or upper[i - 2] == "."):
                    yield i - 1, upper[i - 1]
            elif word == "END":
                if upper[i + 1] in _UNIT_ENDS:
                    yield i, word
            elif words.is_first(i) or upper[i - 1] == ".":
                yield i, word

    def _fragment(self, i: int, end: int) -> None:
        """What stands before any division: a copybook, for the most part."""
        first = i
        while first < end and self.upper[first] in ("COPY", "REPLACE", "EXEC"):
            first = self._skipped(first, end)
        word, following = self.upper[first], self.upper[first + 1]
        is_level = (word[:1].isdigit() and following not in (".", "SECTION")) or " " in word
        is_label = following in (".", "SECTION") and word not in _ENVIRONMENT
        if not is_level and (is_label or word in _ACTIONS):
            self._procedure(i, end)
        else:
            self._data(i, end)

    def _skipped(self, i: int, end: int) -> int:
        """The word behind a statement that text is copied by, without noting anything."""
        stop = "END-EXEC" if self.upper[i] == "EXEC" else "."
        while i < end and self.upper[i] != stop:
            i += 1
        i += 1
        return i + 1 if stop != "." and self.upper[i] == "." else i

    def _unit(self, i: int, end: int, header: int) -> None:
        """PROGRAM-ID and the like at word `i`; what follows are its options and comments, up to word `end`."""
        tokens, upper = self.tokens, self.upper
        at = i + 2 if upper[i + 1] == "." else i + 1
        name = literal(tokens[at])
        self._leave_paragraphs(header)
        last = self._last_line(header)
        # Where nothing says that a program ends later, what follows is beside it.
        while self.units and (not self.ends[self._unit_name()] or len(self.units) >= _DEEPEST_UNIT):
            self._close(self._leave_unit(), last)
        row = self._define(name, _UNITS[upper[i]], header, self.units[-1] if self.units else -1)
        self.units.append(row)
        self.unit_names[name.upper()] += 1
        self.scope = row
        if upper[at + 1] == "AS" and tokens[at + 2][:1] in _QUOTES:
            self.marks.append(f"entry {literal(tokens[at + 2]).upper()} {row}")
        at += 1
        while at < end:
            word = upper[at]
            if word in _ENTRIES and upper[at + 1] == ".":
                at += 2
                while at < end and not (self.words.is_first(at) and upper[at] in _ENTRIES):
                    at += 1
            elif word in _EVERYWHERE:
                at = _EVERYWHERE[word](self, at)
            else:
                at += 1

    def _end_unit(self, i: int) -> None:
        """END PROGRAM at word `i`."""
        name = literal(self.upper[i + 2])
        self._leave_paragraphs(i)
        self.ends[name] -= 1
        if self.unit_names[name]:
            last = self._last_line(i)
            while self._unit_name() != name:
                self._close(self._leave_unit(), last)
        if self.units:
            self._close(self._leave_unit(), self.lines[i + 2])
        self.scope = self.units[-1] if self.units else -1

    def _unit_name(self) -> str:
        return self.found[self.units[-1]].name.upper()

    def _leave_unit(self) -> int:
        self.unit_names[self._unit_name()] -= 1
        return self.units.pop()

    def _using(self, i: int, end: int) -> int:
        """Count the parameters in the header of a procedure division at word `i`; the word behind it."""
        parameters = 0
        counting = False
        while i < end and self.upper[i] != ".":
            word = self.upper[i]
            if word in ("USING", "CHAINING"):
                counting = True
            elif word == "RETURNING":
                counting = False
            elif counting and word not in _NO_PARAMETERS:
                parameters += 1
            i += 1
        if self.units:
            self.found[self.units[-1]].parameters = parameters
        return i + 1

    # -- definitions -----------------------------------------------------------------------------------------------

    def _define(self, name: str, kind: str, i: int, parent: int) -> int:
        self.found.append(_Found(parent, name, kind, self.lines[i]))
        for counts in (self.statements, self.decisions, self.nesting):
            counts.append(0)
        return len(self.found) - 1

    def _close(self, row: int, last: int) -> None:
        self.found[row].last = max(last, self.found[row].first)

    def _last_line(self, i: int) -> int:
        """The last line with code before word `i`."""
        if i and i < self.words.count and not self.words.is_first(i):
            return self.lines[i]
        line = self.lines[i] - 1 if i < self.words.count else len(self.line_marks)
        first = self.lines[i - 1] if i else 1
        while line > first and self.line_marks[line - 1] != CODE:
            line -= 1
        return line

    def _leave_paragraphs(self, i: int) -> None:
        """End the paragraph and the section before word `i`."""
        if self.paragraph >= 0 or self.section >= 0:
            last = self._last_line(i)
            for row in (self.paragraph, self.section):
                if row >= 0:
                    self._close(row, last)
        self.section = self.paragraph = -1
        self.scope = self.units[-1] if self.units else -1

    def _label(self, i: int) -> int:
        """A section or a paragraph at word `i`; the word behind its header."""
        if self.upper[i + 1] == "SECTION":
            self._leave_paragraphs(i)
            row = self._define(self.tokens[i], "section", i, self.scope)
            self.section = self.scope = row
            return i + 3 + (self.upper[i + 2] != ".")  # a segment number may stand between
        if self.paragraph >= 0:
            self._close(self.paragraph, self._last_line(i))
        parent = self.section if self.section >= 0 else self.units[-1] if self.units else -1
        row = self._define(self.tokens[i], "paragraph", i, parent)
        self.paragraph = self.scope = row
        return i + 2

    # -- the procedure division ------------------------------------------------------------------------------------

    def _procedure(self, i: int, end: int) -> None:
        """Statements from word `i` up to word `end`."""
        upper, actions = self.upper, _ACTIONS
        self.in_procedure = True
        begins = True  # a sentence
        while i < end:
            word = upper[i]
            if word == ".":
                self._end_sentence()
                begins = True
                i += 1
                continue
            action = actions.get(word)
            if action is not None:
                i = action(self, i)
                begins = upper[i - 1] == "."  # only what is copied ends with its period
            elif begins and upper[i + 1] in (".", "SECTION") and word[0] not in _NO_NAME:
                self._turn(i, False)
                i = self._label(i)
            else:
                if word in self.functions and upper[i - 1] != "FUNCTION":
                    self.uses.append((self.scope, CALL, word, "function", self.lines[i]))
                begins = False
                i += 1
        self._end_sentence()

    def _end_sentence(self) -> None:
        if self.controls:
            self.controls.clear()
            self.open.clear()
        self.verb = ""

    def _begin(self, i: int, depth: int = -1) -> int:
        """Count a statement that begins at word `i`, at that `depth`, if not at the present one; its depth."""
        if depth < 0:
            depth = self.controls[-1].depth if self.controls else 0
        row = self.scope + 1
        self.statements[row] += 1
        if depth > self.nesting[row]:
            self.nesting[row] = depth
        self.verb = self.upper[i]
        deep = depth >= DEEP
        if deep != self.deep:
            self._turn(i, deep)
        return depth

    def _turn(self, i: int, deep: bool) -> None:
        """Code is `deep` from word `i` on; what else is on that line belongs to the word at its beginning."""
        if deep != self.deep:
            self.deep = deep
            self.turns.append((self.lines[i] + (not self.words.is_first(i)), deep))

    def _push(self, verb: str, depth: int) -> None:
        self.controls.append(_Control(verb, depth))
        self.open[verb] += 1

    def _pop(self) -> None:
        self.open[self.controls.pop().verb] -= 1

    def _back_to(self, *verbs: str) -> _Control | None:
        """Close what is inside the innermost control structure of those `verbs`; None = there is none."""
        if not any(self.open[verb] for verb in verbs):
            return None
        while self.controls[-1].verb not in verbs:
            self._pop()
        return self.controls[-1]

    def _decide(self, count: int = 1) -> None:
        self.decisions[self.scope + 1] += count

    def _plain(self, i: int) -> int:
        self._begin(i)
        return i + 1

    def _skip(self, i: int) -> int:
        return i + 1

    def _skip_sentence(self, i: int) -> int:
        """USE, whose words look like phrases of other statements."""
        self._begin(i)
        while self.upper[i] not in (".", ""):
            i += 1
        return i

    def _if(self, i: int) -> int:
        if self.upper[i - 1] == "ELSE" and not self.words.is_first(i) and self.controls:  # a ladder, not one deeper
            depth = self._begin(i, self.controls[-1].depth - 1)
        else:
            depth = self._begin(i)
        self._push("IF", depth + 1)
        self._decide()
        return i + 1

    def _else(self, i: int) -> int:
        control = self._back_to("IF")
        if control:
            self._pop()
            self._push("ELSE", control.depth)
            self._turn(i, control.depth > DEEP)
        self.verb = ""
        return i + 1

    def _evaluate(self, i: int) -> int:
        self._push(self.upper[i], self._begin(i) + 1)
        return i + 1

    def _when(self, i: int) -> int:
        control = self._back_to("EVALUATE", "SEARCH")
        if control:
            self._decide(self.upper[i + 1] != "OTHER")
            self._turn(i, control.depth > DEEP)
            self.verb = "EVALUATE"
        return i + 1

    def _end_verb(self, i: int) -> int:
        """END-IF and the like."""
        verb = self.upper[i][4:]
        control = self._back_to("IF", "ELSE") if verb == "IF" else self._back_to(verb)
        if control:
            self._turn(i, control.depth > DEEP)
            self._pop()
        self.verb = ""
        return i + 1

    def _condition(self, i: int) -> int:
        """AND, OR."""
        if self.verb in _CONDITIONAL:
            self._decide()
        return i + 1

    def _loop(self, i: int) -> int:
        """UNTIL, TIMES."""
        if self.verb == "PERFORM":
            self._decide()
        return i + 1

    def _phrase(self, i: int) -> int:
        """AT END and the like: the first of a statement's pair of phrases is a decision."""
        word = self.upper[i]
        following = self.upper[i + 1]
        if (word == "SIZE" and following != "ERROR") or (word == "END" and following == "DECLARATIVES"):
            return i + 2
        verbs = _PHRASES[word]
        if self.verb in verbs:
            self._decide()
            if self.verb != "SEARCH":
                self._push(self.verb, (self.controls[-1].depth if self.controls else 0) + 1)
        elif control := self._back_to(*verbs):
            first = i
            while self.upper[first - 1] in ("NOT", "ON", "AT"):
                first -= 1
            self._turn(first, control.depth > DEEP)
        else:
            return i + 1
        self.verb = ""
        return i + 1

    def _perform(self, i: int) -> int:
        self._begin(i)
        first = self.upper[i + 1]
        name, end = self._name(i + 1)
        after = end
        if self.upper[after] == "(":
            after = self._behind_parentheses(after)
        if first in _INLINE or first in _ACTIONS or first[:1] in _NO_NAME or self.upper[after] == "TIMES":
            self._push("PERFORM", (self.controls[-1].depth if self.controls else 0) + 1)
            return i + 1
        return self._performed(i, name, end)

    def _performed(self, i: int, name: str, end: int) -> int:
        """Note that `name` is performed, up to another one if word `end` is THRU; the word behind."""
        self.uses.append((self.scope, CALL, name, "perform", self.lines[i]))
        if self.upper[end] in ("THRU", "THROUGH"):
            last, end = self._name(end + 1)
            self.uses.append((self.scope, CALL, last, f"perform {name}", self.lines[i]))
        return end

    def _name(self, i: int) -> tuple[str, int]:
        """The name of a paragraph or section at word `i`, `A` or `A OF B`, and the word behind it."""
        upper = self.upper
        if upper[i + 1] in ("OF", "IN"):
            return f"{upper[i]} OF {upper[i + 2]}", i + 3
        return upper[i], i + 1

    def _behind_parentheses(self, i: int) -> int:
        end = i + _LONGEST_SUBSCRIPT
        while i < end and self.upper[i] not in (")", ".", ""):
            i += 1
        return i + 1

    def _go(self, i: int) -> int:
        """GO TO p, or GO TO p q r DEPENDING ON x."""
        self._begin(i)
        at = i + 2 if self.upper[i + 1] == "TO" else i + 1
        names = []
        while self.upper[at] not in _BEHIND_GO and self.upper[at] not in _ACTIONS:
            name, at = self._name(at)
            names.append(name)
        if self.upper[at] == "DEPENDING":
            self._decide(len(names))
        else:
            del names[1:]
        for name in names:
            self.uses.append((self.scope, CALL, name, "perform", self.lines[i]))
        return at

    def _alter(self, i: int) -> int:
        """ALTER p TO [PROCEED TO] q: p will go to q."""
        self._begin(i)
        at = i + 1
        while self.upper[at] not in (".", "") and self.upper[at] not in _ACTIONS:
            if self.upper[at] == "TO" and self.upper[at + 1] != "PROCEED":
                name, at = self._name(at + 1)
                self.uses.append((self.scope, CALL, name, "perform", self.lines[i]))
            else:
                at += 1
        return at

    def _sorting(self, i: int) -> int:
        """INPUT PROCEDURE IS p THRU q, of SORT and MERGE, and PROCESSING PROCEDURE of XML PARSE."""
        if self.verb in ("SORT", "MERGE", "XML") and self.upper[i - 1] in ("INPUT", "OUTPUT", "PROCESSING"):
            name, end = self._name(i + 2 if self.upper[i + 1] == "IS" else i + 1)
            return self._performed(i, name, end)
        return i + 1

    def _exit(self, i: int) -> int:
        """EXIT, EXIT PERFORM CYCLE, EXIT PROGRAM, ..."""
        self._begin(i)
        i += 1
        while self.upper[i] in ("PROGRAM", "PERFORM", "CYCLE", "PARAGRAPH", "SECTION", "FUNCTION", "METHOD"):
            i += 1
        return i

    def _next(self, i: int) -> int:
        """NEXT SENTENCE; any other NEXT is part of a READ."""
        return self._plain(i) + 1 if self.upper[i + 1] == "SENTENCE" else i + 1

    def _generate(self, i: int) -> int:
        """XML GENERATE, JSON PARSE, ...: a statement of two words."""
        if self.upper[i + 1] in ("GENERATE", "PARSE"):
            return self._plain(i) + 1
        return i + 1

    def _call(self, i: int) -> int:
        self._begin(i)
        return self._program(i, i + 1, CALL)

    def _cancel(self, i: int) -> int:
        self._begin(i)
        i += 1
        while self.upper[i] not in (".", "") and self.upper[i] not in _ACTIONS:
            i = self._program(i, i, REFER)
        return i

    def _program(self, i: int, at: int, kind: int) -> int:
        """Note the use of the program that word `at` names, in the statement at word `i`; the word behind it."""
        tokens = self.tokens
        if tokens[at][:1] not in _QUOTES and tokens[at + 1][:1] in _QUOTES and self.upper[at] not in _ACTIONS:
            if self.upper[at] == "X":  # X"91": a routine of the system, by its number
                self.uses.append((self.scope, kind, f"X{tokens[at + 1]}", "program", self.lines[i]))
                return at + 2
            at += 1  # a calling convention
        token = tokens[at]
        if token[:1] in _QUOTES:
            if name := literal(token):
                self.uses.append((self.scope, kind, name, "program", self.lines[i]))
        elif token and token[0] not in _NO_NAME:
            self.called.add(self.upper[at])
            self.uses.append((self.scope, kind, self.upper[at], "data", self.lines[i]))
            at = self._qualified(at)
        return at + 1

    def _qualified(self, i: int) -> int:
        """The last word of the data item at word `i`: its groups and subscripts belong to it."""
        while self.upper[i + 1] in ("OF", "IN"):
            i += 2
        return self._behind_parentheses(i + 1) - 1 if self.upper[i + 1] == "(" else i

    def _entry(self, i: int) -> int:
        """ENTRY 'X', another name for the program, or SET ... TO ENTRY 'X'."""
        if self.upper[i - 1] == "TO":
            return self._program(i, i + 1, REFER)
        self._begin(i)
        if self.units and self.tokens[i + 1][:1] in _QUOTES:
            self.marks.append(f"entry {literal(self.upper[i + 1])} {self.units[-1]}")
        return i + 2

    def _move(self, i: int) -> int:
        self._begin(i)
        self.moves.append(i)
        return i + 1

    def _function(self, i: int) -> int:
        """FUNCTION X(...): one of the language's, or of the user's."""
        self.uses.append((self.scope, CALL, self.upper[i + 1], "function", self.lines[i]))
        return i + 2

    # -- embedded languages ----------------------------------------------------------------------------------------

    def _exec(self, i: int) -> int:
        """EXEC ... END-EXEC; the word behind it."""
        upper = self.upper
        if upper[i + 1] not in _EXEC:
            return i + 1
        end = i + 2
        while upper[end] not in ("END-EXEC", "") and not self.broken:
            end += 1
        if upper[end] != "END-EXEC":
            self.broken = True  # and no more are looked for
            return i + 2
        if self.in_procedure:
            self._begin(i)
        if upper[i + 1] == "CICS":
            self._cics(i, end)
        elif upper[i + 1] == "SQL":
            self._sql(i, end)
        return end + 1

    def _cics(self, i: int, end: int) -> None:
        """EXEC CICS at word `i`, END-EXEC at word `end`: programs and paragraphs that it passes control to."""
        command, what = self.upper[i + 2], self.upper[i + 3]
        if command in ("LINK", "XCTL", "LOAD", "RELEASE") or (command, what) == ("HANDLE", "ABEND"):
            kind = CALL if command in ("LINK", "XCTL", "HANDLE") else REFER
            for at in range(i + 3, end - 1):
                if self.upper[at + 1] == "(":
                    if self.upper[at] == "PROGRAM":
                        self._program(i, at + 2, kind)
                    elif self.upper[at] == "LABEL":
                        self.uses.append((self.scope, CALL, self.upper[at + 2], "perform", self.lines[i]))
        elif command == "HANDLE":
            for at in range(i + 4, end - 1):
                if self.upper[at] == "(":
                    self.uses.append((self.scope, CALL, self.upper[at + 1], "perform", self.lines[i]))

    def _sql(self, i: int, end: int) -> None:
        """EXEC SQL at word `i`, END-EXEC at word `end`: INCLUDE, and WHENEVER ... GO TO."""
        if self.upper[i + 2] == "INCLUDE":
            if copied := _copied(self.words, i + 3):
                self._import(copied.name, i, "sql")
        elif self.upper[i + 2] == "WHENEVER":
            target = self.upper[end - 1].strip(":")
            if target not in ("CONTINUE", "STOP"):
                self.uses.append((self.scope, CALL, target, "perform", self.lines[i]))

    # -- text that is copied and replaced --------------------------------------------------------------------------

    def _import(self, name: str, i: int, form: str) -> None:
        self.imports.append(Import(name, 0, None, self.lines[i], form=form, scope=self.scope))

    def _include(self, i: int) -> int:
        return self._copy(i) if _is_include(self.words, i) else i + 1

    def _copy(self, i: int) -> int:
        """COPY at word `i`; the word behind it and its period."""
        copied = _copied(self.words, i + 1)
        if not copied:
            return i + 1
        self._import(copied.name, i, copied.form)
        at = copied.end
        while self.upper[at] in ("SUPPRESS", "PRINTING"):
            at += 1
        if self.upper[at] == "REPLACING":
            pairs, at = self._replacing(at + 1)
            if pairs:
                self.marks.append("\t".join((f"replacing {len(self.imports) - 1}", *pairs)))
        return at + 1 if self.upper[at] == "." else at

    def _replace(self, i: int) -> int:
        """REPLACE at word `i`: nothing in it is code."""
        _, at = self._replacing(i + 1)
        return at + 1 if self.upper[at] == "." else at

    def _replacing(self, i: int) -> tuple[list[str], int]:
        """Texts replaced and their replacements, in turns, from word `i` on, and the word behind them, a period."""
        upper = self.upper
        texts: list[str] = []
        part = ""  # LEADING or TRAILING, of a word
        while upper[i] not in (".", ""):
            start = i
            if upper[i] == "==":
                i += 1
                while upper[i] not in ("==", ""):
                    i += 1
                self.broken |= upper[i] == ""
                texts.append(part + " ".join(upper[start + 1 : i]))
                part = ""
            elif upper[i] in ("LEADING", "TRAILING"):
                part = f"{upper[i]} "
            elif upper[i] not in ("BY", "ALSO", "OFF"):
                i = self._qualified(i)
                texts.append(upper[start] if i == start else "")
            i += upper[i] != ""
        kept = [
            text for pair in zip(texts[::2], texts[1::2], strict=False)
            if pair[0] and len(pair[0]) + len(pair[1]) <= _LONGEST and "\t" not in "".join(pair)
            for text in pair
        ]  # fmt: skip
        return kept, i

    # -- data ------------------------------------------------------------------------------------------------------

    def _data(self, i: int, end: int) -> None:
        """Descriptions from word `i` up to word `end`: of the environment, or of data."""
        upper = self.upper
        self.in_procedure = False
        begins = True
        while i < end:
            word = upper[i]
            if word == ".":
                begins = True
                i += 1
            elif word in _EVERYWHERE:
                i = _EVERYWHERE[word](self, i)
                begins = upper[i - 1] == "."
            elif begins and word.isdigit() and upper[i + 1] != ".":
                i = self._level(i)
                begins = False
            else:
                begins = False
                if word in ("VALUE", "VALUES", "AS"):
                    self._value(i)
                elif word == "REDEFINES" and self.items:
                    self.items[-1] = self.items[-1]._replace(redefines=upper[i + 1])
                elif word == "FUNCTION":
                    self.functions.add(upper[i + 1])
                i += 1

    def _level(self, i: int) -> int:
        """An entry with a level number at word `i`; the word behind its name."""
        level = int(self.upper[i][:3])
        if level in (66, 88):
            self.items.append(_Item(level, "", -1, ""))
            return i + 2
        while self.groups and (self.items[self.groups[-1]].level >= level or level in (77, 78)):
            self.groups.pop()
        name = self.upper[i + 1]
        self.items.append(_Item(level, "" if name in _UNNAMED else name, self.groups[-1] if self.groups else -1, ""))
        self.groups.append(len(self.items) - 1)
        return i + 1 if name in _UNNAMED or name in _EVERYWHERE else i + 2

    def _value(self, i: int) -> None:
        """VALUE at word `i`, kept if it could be the name of a program."""
        at = i + 2 if self.upper[i + 1] in ("IS", "ARE") else i + 1
        if self.items and self.items[-1].level != 88 and self.tokens[at][:1] in _QUOTES:
            value = literal(self.tokens[at])
            if _PROGRAM_NAME.match(value):
                self.values.append((len(self.items) - 1, value, self.lines[at]))

    def assigned(self) -> Iterator[tuple[int, int, str, str, int]]:
        """What data items hold that programs are called by, as uses; in a copybook, of all items."""
        wanted = set(self.called)
        moves = list(self._moved()) if wanted else []
        sources: dict[str, set[str]] = {}
        for source, target, _ in moves:
            sources.setdefault(target, set()).add(source)
        todo = list(wanted)
        while todo:
            for source in sources.get(todo.pop(), ()):
                if source[0] not in _QUOTES and source not in wanted:
                    wanted.add(source)
                    todo.append(source)
        for source, target, line in moves:
            if target in wanted:
                yield -1, ASSIGN, target, source, line
        is_copybook = not self.found or self.found[0].kind not in _UNITS.values()
        for item, value, line in self.values:
            name = self.items[item].name
            if name and (is_copybook or name in wanted):
                yield -1, ASSIGN, name, f"'{value}'", line
        for name, value, line in self._tables():
            if is_copybook or name in wanted:
                yield -1, ASSIGN, name, f"table '{value}'", line

    def _moved(self) -> Iterator[tuple[str, str, int]]:
        """Source, target and line of every MOVE of one item or of a literal that could be the name of a program."""
        upper = self.upper
        for i in self.moves:
            token = self.tokens[i + 1]
            if token[:1] in _QUOTES:
                value = literal(token)
                at = i + 2
                source = f"'{value}'" if _PROGRAM_NAME.match(value) else ""
            else:
                source = upper[i + 1]
                at = self._qualified(i + 1) + 1
            if upper[at] != "TO" or not source or (source[0] in _NO_NAME and source[0] != "'"):
                continue
            at += 1
            while upper[at] not in (".", "") and upper[at] not in _ACTIONS:
                yield source, upper[at], self.lines[i]
                at = self._qualified(at) + 1

    def _tables(self) -> Iterator[tuple[str, str, int]]:
        """Items of a group that redefines another one, and each value in that: how COBOL fills tables."""
        redefined = {item.redefines for item in self.items if item.redefines}
        if not redefined or not self.values:
            return
        values: dict[str, list[tuple[str, int]]] = {}
        for item, value, line in self.values:
            for name in (self.items[group].name for group in self._group_rows(item)):
                if name in redefined:
                    values.setdefault(name, []).append((value, line))
        pairs = 0
        for row, held in enumerate(self.items):
            if held.name:
                for group in self._group_rows(row):
                    for value, line in values.get(self.items[group].redefines, ()):
                        pairs += 1
                        if pairs > _MOST_VALUES:
                            return
                        yield held.name, value, line

    def _group_rows(self, row: int) -> Iterator[int]:
        """The row of an item and those of the groups around it."""
        while row >= 0:
            yield row
            row = self.items[row].group

    # -- measures --------------------------------------------------------------------------------------------------

    def measured(self) -> tuple[tuple[Definition, ...], _Own]:
        """The definitions, and what is the file's own."""
        marks = self._deep_marks()
        sloc, deep, comments = ([0] * (len(self.found) + 1) for _ in range(3))
        for first, end, row in self._pieces(len(marks)):
            deep_lines = marks.count(_DEEP_CODE, first, end)
            deep[row + 1] += deep_lines
            sloc[row + 1] += marks.count(CODE, first, end) + deep_lines
            comments[row + 1] += marks.count(COMMENT, first, end)
        owns = [
            _Own(*values)
            for values in zip(sloc, deep, self.decisions, self.statements, self.nesting, comments, strict=True)
        ]
        definitions = []
        for found, own in zip(self.found, owns[1:], strict=True):
            runs = found.kind == "paragraph" or own.statements > 0
            definitions.append(
                Definition(
                    found.parent, found.name or "(unnamed)", found.kind, found.first, found.last, own.sloc,
                    own.nl3_lines, own.complexity + runs, own.statements, own.nesting, own.comments, found.parameters,
                )
            )  # fmt: skip
        return tuple(definitions), owns[0]

    def _deep_marks(self) -> bytearray:
        """The marks of all lines, with `_DEEP_CODE` where statements are nested deeply."""
        marks = self.line_marks
        turns = [*self.turns, (len(marks) + 1, False)]
        for (first, deep), (end, _) in pairwise(turns):
            if deep:
                marks[first - 1 : end - 1] = marks[first - 1 : end - 1].replace(_CODE_BYTE, _DEEP_BYTE)
        return marks

    def _pieces(self, lines: int) -> Iterator[tuple[int, int, int]]:
        """(first, end, row): runs of lines, 0-based and half open, and the definition that they belong to.

        Of several that begin on one line, the last one has it.
        """
        around: list[int] = []
        begins: list[tuple[int, int]] = [(0, -1)]
        for row, found in enumerate(self.found):
            while around and around[-1] != found.parent:
                closed = self.found[around.pop()]
                begins.append((min(closed.last, found.first - 1), closed.parent))
            around.append(row)
            begins.append((found.first - 1, row))
        while around:
            closed = self.found[around.pop()]
            begins.append((closed.last, closed.parent))
        at, owner = 0, -1
        for first, row in begins:
            if first > at:
                yield at, first, owner
                at = first
            owner = row
        yield at, lines, owner


class _Found:
    """A definition whose end is not known yet; lines are 1-based and inclusive."""

    __slots__ = ("first", "kind", "last", "name", "parameters", "parent")

    def __init__(self, parent: int, name: str, kind: str, first: int) -> None:
        self.parent, self.name, self.kind, self.first, self.last = parent, name, kind, first, first
        self.parameters = 0


_NO_NAME = "\"'().="  # what no name begins with
_UNNAMED = frozenset({"FILLER", "PIC", "PICTURE", "VALUE", "REDEFINES", "USAGE", "OCCURS", "."})
_BEHIND_GO = frozenset({".", "", "DEPENDING", "NOT", "ON", "AT"})
_INLINE = frozenset({"VARYING", "WITH", "TEST", "FOREVER"})

_Action = Callable[[_Scan, int], int]
# What is told from other text in every division, and in the procedure division.
_EVERYWHERE: dict[str, _Action] = {
    "COPY": _Scan._copy, "INCLUDE": _Scan._include, "REPLACE": _Scan._replace, "EXEC": _Scan._exec,
    "EXECUTE": _Scan._exec,
}  # fmt: skip
_VERBS_THAT_END = (*_PLAIN_VERBS, "CALL", "EVALUATE", "IF", "PERFORM", "SEARCH", "XML", "JSON")
_ACTIONS: dict[str, _Action] = {
    **_EVERYWHERE,
    **dict.fromkeys(_PLAIN_VERBS, _Scan._plain),
    **dict.fromkeys(_PHRASES, _Scan._phrase),
    **{f"END-{verb}": _Scan._end_verb for verb in _VERBS_THAT_END},
    **dict.fromkeys(("DECLARATIVES", "EJECT", "SKIP1", "SKIP2", "SKIP3", "THEN"), _Scan._skip),
    "ALTER": _Scan._alter, "AND": _Scan._condition, "CALL": _Scan._call, "CANCEL": _Scan._cancel,
    "CHAIN": _Scan._call, "ELSE": _Scan._else, "ENTRY": _Scan._entry, "EVALUATE": _Scan._evaluate,
    "EXIT": _Scan._exit, "FUNCTION": _Scan._function, "GO": _Scan._go, "IF": _Scan._if, "JSON": _Scan._generate,
    "MOVE": _Scan._move, "NEXT": _Scan._next, "OR": _Scan._condition, "PERFORM": _Scan._perform,
    "PROCEDURE": _Scan._sorting, "SEARCH": _Scan._evaluate, "TIMES": _Scan._loop, "UNTIL": _Scan._loop,
    "USE": _Scan._skip_sentence, "WHEN": _Scan._when, "XML": _Scan._generate,
}  # fmt: skip
