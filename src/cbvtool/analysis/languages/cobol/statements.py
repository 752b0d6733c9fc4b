"""The statements of COBOL's procedure division, and those of other languages that are embedded in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from cbvtool.analysis.facts import CALL, REFER
from cbvtool.analysis.languages.cobol.copies import Copies
from cbvtool.analysis.languages.cobol.outline import DEEP
from cbvtool.analysis.languages.cobol.text import SourceText
from cbvtool.analysis.languages.cobol.words import NO_NAME, QUOTES, copied_by, literal
from cbvtool.analysis.marks import Entry

_PLAIN_VERBS = (
    "ACCEPT",
    "ADD",
    "CLOSE",
    "COMMIT",
    "COMPUTE",
    "CONTINUE",
    "DELETE",
    "DISPLAY",
    "DIVIDE",
    "EXAMINE",
    "EXHIBIT",
    "GENERATE",
    "GOBACK",
    "INITIALIZE",
    "INITIATE",
    "INSPECT",
    "INVOKE",
    "MERGE",
    "MULTIPLY",
    "OPEN",
    "RAISE",
    "READ",
    "RECEIVE",
    "RELEASE",
    "RETURN",
    "REWRITE",
    "ROLLBACK",
    "SEND",
    "SET",
    "SORT",
    "START",
    "STOP",
    "STRING",
    "SUBTRACT",
    "SUPPRESS",
    "TERMINATE",
    "TRANSFORM",
    "UNLOCK",
    "UNSTRING",
    "WRITE",
)
_CONDITIONAL = frozenset({"IF", "EVALUATE", "PERFORM", "SEARCH"})  # statements with conditions
_ARITHMETIC = ("ADD", "SUBTRACT", "MULTIPLY", "DIVIDE", "COMPUTE")
# Phrases that contain statements -> verbs that they may belong to.
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
_BEHIND_GO = frozenset({".", "", "DEPENDING", "NOT", "ON", "AT"})
_INLINE = frozenset({"VARYING", "WITH", "TEST", "FOREVER"})


class _Control:
    """An open control structure.

    verb   of its statement; "ELSE" for an IF after its ELSE
    depth  nesting depth of the statements inside
    """

    __slots__ = ("depth", "verb")

    def __init__(self, verb: str, depth: int) -> None:
        self.verb, self.depth = verb, depth


class Statements(Copies):
    """Scanner of uses of programs and paragraphs, of decisions, and of nesting.

    verb     of the current statement
    open     open control structures by verb
    moves    words of MOVE statements
    called   data items by which programs are called; `functions`: names declared as functions, used without FUNCTION
    """

    def __init__(self, text: SourceText) -> None:
        super().__init__(text)
        self.uses: list[tuple[int, int, str, str, int]] = []
        self.in_procedure = False
        self.verb = ""
        self.controls: list[_Control] = []
        self.open: Counter[str] = Counter()
        self.moves: list[int] = []
        self.called: set[str] = set()
        self.functions: set[str] = set()

    def _procedure(self, i: int, end: int) -> None:
        """Read the statements from word `i` up to word `end`."""
        upper, actions = self.upper, ACTIONS
        self.in_procedure = True
        begins = True  # whether a sentence begins here
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
                begins = upper[i - 1] == "."  # only COPY and the like take their own period
            elif begins and upper[i + 1] in (".", "SECTION") and word[0] not in NO_NAME:
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
        """Count a statement at word `i`, at `depth` or else at the current depth; returns its depth."""
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

    def _push(self, verb: str, depth: int) -> None:
        self.controls.append(_Control(verb, depth))
        self.open[verb] += 1

    def _pop(self) -> None:
        self.open[self.controls.pop().verb] -= 1

    def _back_to(self, *verbs: str) -> _Control | None:
        """Close everything inside the innermost open control structure of these `verbs`; None = there is none."""
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
        """Skip USE, whose words look like phrases of other statements."""
        self._begin(i)
        while self.upper[i] not in (".", ""):
            i += 1
        return i

    def _if(self, i: int) -> int:
        if self.upper[i - 1] == "ELSE" and not self.words.is_first(i) and self.controls:  # ELSE IF: no deeper nesting
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
        """Read END-IF and other ends of control structures."""
        verb = self.upper[i][4:]
        control = self._back_to("IF", "ELSE") if verb == "IF" else self._back_to(verb)
        if control:
            self._turn(i, control.depth > DEEP)
            self._pop()
        self.verb = ""
        return i + 1

    def _condition(self, i: int) -> int:
        """Read AND or OR."""
        if self.verb in _CONDITIONAL:
            self._decide()
        return i + 1

    def _loop(self, i: int) -> int:
        """Read UNTIL or TIMES."""
        if self.verb == "PERFORM":
            self._decide()
        return i + 1

    def _phrase(self, i: int) -> int:
        """Read AT END or a similar phrase: the first of a statement's pair of phrases is a decision."""
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
            after = self.words.behind_parentheses(after)
        if first in _INLINE or first in ACTIONS or first[:1] in NO_NAME or self.upper[after] == "TIMES":
            self._push("PERFORM", (self.controls[-1].depth if self.controls else 0) + 1)
            return i + 1
        return self._performed(i, name, end)

    def _performed(self, i: int, name: str, end: int) -> int:
        """Record a PERFORM of `name`, or of a range if word `end` is THRU; returns the word after it."""
        self.uses.append((self.scope, CALL, name, "perform", self.lines[i]))
        if self.upper[end] in ("THRU", "THROUGH"):
            last, end = self._name(end + 1)
            self.uses.append((self.scope, CALL, last, f"perform {name}", self.lines[i]))
        return end

    def _name(self, i: int) -> tuple[str, int]:
        """The name of a paragraph or section at word `i` (`A` or `A OF B`), and the word after it."""
        upper = self.upper
        if upper[i + 1] in ("OF", "IN"):
            return f"{upper[i]} OF {upper[i + 2]}", i + 3
        return upper[i], i + 1

    def _go(self, i: int) -> int:
        """Read GO TO p, or GO TO p q r DEPENDING ON x."""
        self._begin(i)
        at = i + 2 if self.upper[i + 1] == "TO" else i + 1
        names = []
        while self.upper[at] not in _BEHIND_GO and self.upper[at] not in ACTIONS:
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
        """Read ALTER p TO [PROCEED TO] q, which redirects the GO TO in p to q."""
        self._begin(i)
        at = i + 1
        while self.upper[at] not in (".", "") and self.upper[at] not in ACTIONS:
            if self.upper[at] == "TO" and self.upper[at + 1] != "PROCEED":
                name, at = self._name(at + 1)
                self.uses.append((self.scope, CALL, name, "perform", self.lines[i]))
            else:
                at += 1
        return at

    def _sorting(self, i: int) -> int:
        """Read INPUT PROCEDURE IS p THRU q, of SORT and MERGE, or PROCESSING PROCEDURE of XML PARSE."""
        if self.verb in ("SORT", "MERGE", "XML") and self.upper[i - 1] in ("INPUT", "OUTPUT", "PROCESSING"):
            name, end = self._name(i + 2 if self.upper[i + 1] == "IS" else i + 1)
            return self._performed(i, name, end)
        return i + 1

    def _exit(self, i: int) -> int:
        """Read EXIT, EXIT PERFORM CYCLE, EXIT PROGRAM, ..."""
        self._begin(i)
        i += 1
        while self.upper[i] in ("PROGRAM", "PERFORM", "CYCLE", "PARAGRAPH", "SECTION", "FUNCTION", "METHOD"):
            i += 1
        return i

    def _next(self, i: int) -> int:
        """Read NEXT SENTENCE; any other NEXT is part of a READ."""
        return self._plain(i) + 1 if self.upper[i + 1] == "SENTENCE" else i + 1

    def _generate(self, i: int) -> int:
        """Read XML GENERATE, JSON PARSE or another statement of two words."""
        if self.upper[i + 1] in ("GENERATE", "PARSE"):
            return self._plain(i) + 1
        return i + 1

    def _call(self, i: int) -> int:
        self._begin(i)
        return self._program(i, i + 1, CALL)

    def _cancel(self, i: int) -> int:
        self._begin(i)
        i += 1
        while self.upper[i] not in (".", "") and self.upper[i] not in ACTIONS:
            i = self._program(i, i, REFER)
        return i

    def _program(self, i: int, at: int, kind: int) -> int:
        """Record the use of the program named by word `at`, in the statement at word `i`; returns the word after it."""
        tokens = self.tokens
        if tokens[at][:1] not in QUOTES and tokens[at + 1][:1] in QUOTES and self.upper[at] not in ACTIONS:
            if self.upper[at] == "X":  # X"91": number of a system routine
                self.uses.append((self.scope, kind, f"X{tokens[at + 1]}", "program", self.lines[i]))
                return at + 2
            at += 1  # skip a calling convention
        token = tokens[at]
        if token[:1] in QUOTES:
            if name := literal(token):
                self.uses.append((self.scope, kind, name, "program", self.lines[i]))
        elif token and token[0] not in NO_NAME:
            self.called.add(self.upper[at])
            self.uses.append((self.scope, kind, self.upper[at], "data", self.lines[i]))
            at = self.words.qualified(at)
        return at + 1

    def _entry(self, i: int) -> int:
        """Read ENTRY 'X', a further name of the program, or SET ... TO ENTRY 'X'."""
        if self.upper[i - 1] == "TO":
            return self._program(i, i + 1, REFER)
        self._begin(i)
        if self.units and self.tokens[i + 1][:1] in QUOTES:
            self.marks.append(Entry(literal(self.upper[i + 1]), self.units[-1]))
        return i + 2

    def _move(self, i: int) -> int:
        self._begin(i)
        self.moves.append(i)
        return i + 1

    def _function(self, i: int) -> int:
        """Read FUNCTION X(...): a function of the language or of the user."""
        self.uses.append((self.scope, CALL, self.upper[i + 1], "function", self.lines[i]))
        return i + 2

    # -- embedded languages ------------------------------------------------------------------------------------------

    def _exec(self, i: int) -> int:
        """Read EXEC ... END-EXEC; returns the word after it."""
        upper = self.upper
        if upper[i + 1] not in _EXEC:
            return i + 1
        end = i + 2
        while upper[end] not in ("END-EXEC", "") and not self.broken:
            end += 1
        if upper[end] != "END-EXEC":
            self.broken = True  # END-EXEC is missing; no further one is searched
            return i + 2
        if self.in_procedure:
            self._begin(i)
        if upper[i + 1] == "CICS":
            self._cics(i, end)
        elif upper[i + 1] == "SQL":
            self._sql(i, end)
        return end + 1

    def _cics(self, i: int, end: int) -> None:
        """Read EXEC CICS from word `i` to END-EXEC at word `end`: programs and paragraphs that it uses."""
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
        """Read EXEC SQL at word `i`, with END-EXEC at word `end`: INCLUDE, and WHENEVER ... GO TO."""
        if self.upper[i + 2] == "INCLUDE":
            if copied := copied_by(self.words, i + 3):
                self._import(copied.name, i, "sql")
        elif self.upper[i + 2] == "WHENEVER":
            target = self.upper[end - 1].strip(":")
            if target not in ("CONTINUE", "STOP"):
                self.uses.append((self.scope, CALL, target, "perform", self.lines[i]))


_Action = Callable[[Statements, int], int]
# Words that are recognised in every division, and in the procedure division.
EVERYWHERE: dict[str, _Action] = {
    "COPY": Statements._copy,
    "INCLUDE": Statements._include,
    "REPLACE": Statements._replace,
    "EXEC": Statements._exec,
    "EXECUTE": Statements._exec,
}
_VERBS_THAT_END = (*_PLAIN_VERBS, "CALL", "EVALUATE", "IF", "PERFORM", "SEARCH", "XML", "JSON")
ACTIONS: dict[str, _Action] = {
    **EVERYWHERE,
    **dict.fromkeys(_PLAIN_VERBS, Statements._plain),
    **dict.fromkeys(_PHRASES, Statements._phrase),
    **{f"END-{verb}": Statements._end_verb for verb in _VERBS_THAT_END},
    **dict.fromkeys(("DECLARATIVES", "EJECT", "SKIP1", "SKIP2", "SKIP3", "THEN"), Statements._skip),
    "ALTER": Statements._alter,
    "AND": Statements._condition,
    "CALL": Statements._call,
    "CANCEL": Statements._cancel,
    "CHAIN": Statements._call,
    "ELSE": Statements._else,
    "ENTRY": Statements._entry,
    "EVALUATE": Statements._evaluate,
    "EXIT": Statements._exit,
    "FUNCTION": Statements._function,
    "GO": Statements._go,
    "IF": Statements._if,
    "JSON": Statements._generate,
    "MOVE": Statements._move,
    "NEXT": Statements._next,
    "OR": Statements._condition,
    "PERFORM": Statements._perform,
    "PROCEDURE": Statements._sorting,
    "SEARCH": Statements._evaluate,
    "TIMES": Statements._loop,
    "UNTIL": Statements._loop,
    "USE": Statements._skip_sentence,
    "WHEN": Statements._when,
    "XML": Statements._generate,
}
