"""Hostile source files: generated, never stored. `python -m tests.attack.source_files` analyses each of them.

A case is a folder of a few files that is meant to cost whoever reads it far more than its size is worth. The runner
analyses every one with the program itself, in a process of its own, and prints time, processor time and the most memory
that a single process took. It fails where one of them takes more than the limits below, or is told as a fault of ours.

    python -m tests.attack.source_files                 all of them, a line each
    python -m tests.attack.source_files kotlin terms    those with all these words in their name
    python -m tests.attack.source_files --size 60000    smaller ones, which are read without a process for them
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import psutil

Files = dict[str, bytes]
FULL = 4_900_000  # bytes of a case that grows: a little less than what is read at all

# -- the languages ---------------------------------------------------------------------------------------------------


class Words(NamedTuple):
    """How a language spells what cases are made of.

    before, after  what stands around statements
    opens, closes  one control structure
    function       a whole small function, with `@` in its name
    call, term     a statement with a call, or an expression, in the place of `%s`
    comments       what opens a comment that may nest, or a text with an end of its own
    """

    before: str
    after: str
    opens: str
    closes: str
    function: str
    call: str = "x = f(%s);"
    term: str = "x = %s;"
    comments: tuple[str, ...] = ("/*",)


_C = Words("int main(void) {\n", "}\n", "if (x) {", "}", "int f@(int a) { if (a) { return g(a); } return 1; }\n")
_JAVA = Words(
    "class A { void m() {\n",
    "} }\n",
    "if (x) {",
    "}",
    "class B@ { int f(int a) { if (a > 1) return g(a); return 1; } }\n",
)
_JS = Words(
    "function m() {\n",
    "}\n",
    "if (x) {",
    "}",
    "function f@(a) { if (a) { return g(a); } return 1; }\n",
    comments=("/*", "`${", "<a>", "/("),
)
_PROGRAM = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. A.\n"
_PROCEDURE = _PROGRAM + "       PROCEDURE DIVISION.\n"
_LINE_ENDS: dict[str, Any] = {"call": "x = f(%s)\n", "term": "x = %s\n"}
LANGUAGES: dict[str, Words] = {
    "c": _C,
    "h": _C,
    "cpp": _C._replace(comments=("/*", 'R"(', "a<")),
    "cs": _JAVA._replace(comments=("/*", '$"{', '@"')),
    "cbl": Words(
        _PROCEDURE + "       P.\n",
        "           STOP RUN.\n",
        "           IF X = 1\n",
        "           END-IF\n",
        "       P@.\n           PERFORM Q.\n           MOVE 1 TO X.\n",
        "           CALL 'F' USING %s.\n",
        "           COMPUTE X = %s.\n",
        ("           COPY A REPLACING ==\n", "           EXEC SQL\n"),
    ),
    "go": Words(
        "package a\nfunc m() {\n",
        "}\n",
        "if x {",
        "}\n",
        "func f@(a int) int { if a > 1 { return g(a) }; return 1 }\n",
        **_LINE_ENDS,
    ),
    "kt": Words(
        "fun m() {\n",
        "}\n",
        "if (x) {",
        "}",
        "fun f@(a: Int): Int { if (a > 1) { return g(a) }; return 1 }\n",
        **_LINE_ENDS,
        comments=("/*", '"${', '"""${'),
    ),
    "php": Words(
        "<?php\nfunction m() {\n",
        "}\n",
        "if ($x) {",
        "}",
        "function f@($a) { if ($a) { return g($a); } return 1; }\n",
        comments=("/*", '"{$', "<<<A\n", "?><?php "),
    ),
    "java": _JAVA,
    "js": _JS,
    "py": Words(
        "def m():\n",
        "\n",
        "",
        "",
        "def f@(a):\n    if a:\n        return g(a)\n    return 1\n",
        "    x = f(%s)\n",
        "    x = %s\n",
        ('f"{', '"""', "\\\n"),
    ),
    "rb": Words(
        "def m\n",
        "end\n",
        "if x\n",
        "end\n",
        "def f@(a)\n  if a\n    return g(a)\n  end\n  1\nend\n",
        **_LINE_ENDS,
        comments=("%w(", '"#{', "<<A\n", "/(", "%q{"),
    ),
    "rs": Words(
        "fn m() {\n",
        "}\n",
        "if x {",
        "}",
        "fn f@(a: i32) -> i32 { if a > 1 { return g(a); } 1 }\n",
        comments=("/*", 'r#"', "m!{", "#[a("),
    ),
    "scala": Words(
        "object A { def m() = {\n",
        "} }\n",
        "if (x) {",
        "}",
        "class B@ { def f(a: Int) = { if (a > 1) g(a) else 1 } }\n",
        **_LINE_ENDS,
        comments=("/*", 's"${', '"""'),
    ),
    "swift": Words(
        "func m() {\n",
        "}\n",
        "if x {",
        "}",
        "func f@(_ a: Int) -> Int { if a > 1 { return g(a) }; return 1 }\n",
        **_LINE_ENDS,
        comments=("/*", '"\\(', '#"'),
    ),
    "ts": _JS,
    "tsx": _JS._replace(comments=("<a b={",)),
}

Make = Callable[[Words, int], str | bytes]


def _around(words: Words, text: str) -> str:
    return words.before + text + words.after


def _many(text: str, size: int, most: int = 100_000) -> str:
    return text * min(most, size // len(text))


def _lines(pattern: str, count: int) -> str:
    """That many lines; `@` is the number of each, `@@` the next one."""
    return "".join(pattern.replace("@@", str(i + 1)).replace("@", str(i)) for i in range(count))


def _ifs(words: Words, size: int) -> str:
    if not words.opens:  # Python: depth costs indentation
        depth = int(size**0.5)
        return "".join(" " * i + "if x:\n" for i in range(depth)) + " " * depth + "pass\n"
    count = min(50_000, size // (len(words.opens) + len(words.closes)))
    return _around(words, words.opens * count + words.closes * count)


def _calls(words: Words, size: int) -> str:
    return _around(words, words.call % (_many("f(", size // 2, 50_000) + _many(")", size // 2, 50_000)))


def _terms(words: Words, size: int) -> str:
    return _around(words, words.term % "+".join(["1"] * min(100_000, size // 2)))


def _generated(words: Words, size: int) -> str:
    head = words.before.partition("\n")[0] + "\n" if words.before.startswith(("package", "<?php")) else ""
    head = words.before if "DIVISION" in words.before else head
    return head + _lines(words.function, size // (len(words.function) + 4))


# What can be said in every language, by name.
SHAPES: dict[str, Make] = {
    "brackets": lambda words, size: _around(words, words.term % (_many("(", size // 2) + "1" + _many(")", size // 2))),
    "open_brackets": lambda words, size: _around(words, words.term % _many("(", size)),
    "open_braces": lambda words, size: words.before + _many("{", size),
    "open_squares": lambda words, size: _around(words, words.term % _many("[", size)),
    "closing": lambda words, size: words.before + _many("}])", size),
    "angles": lambda words, size: _around(words, words.term % _many("a<", size)),
    "ifs": _ifs,
    "open_ifs": lambda words, size: words.before + _many(words.opens or "if x:", size, 50_000),
    "terms": _terms,
    "calls": _calls,
    "members": lambda words, size: _around(words, words.call % ("a" + _many(".a", size))),
    "called_members": lambda words, size: _around(words, words.call % ("a" + _many(".a()", size))),
    "assigned": lambda words, size: _around(words, words.term % _many("a=", size) + "1"),
    "conditions": lambda words, size: _around(words, words.term % (_many("a?b:", size) + "c")),
    "generated": _generated,
    "one_line": lambda words, size: _generated(words, size).replace("\n", " "),
    "long_name": lambda words, size: _around(words, words.term % ("a" * size)),
    "long_text": lambda words, size: _around(words, words.term % ('"' + "a b " * (size // 4) + '"')),
    "quotes": lambda words, size: _around(words, _many('"', size)),
    "apostrophes": lambda words, size: _around(words, _many("'a ", size)),
    "backslashes": lambda words, size: _around(words, words.term % ('"' + _many("\\", size))),
    "blanks": lambda words, size: words.before + " " * size,
    "lines": lambda words, size: words.before + "\n" * size,
    "words": lambda words, size: " ".join(f"w{i % 97}" for i in range(size // 4)),
    "hashes": lambda words, size: _many("#if a\n", size, 800_000),
    "nul": lambda words, size: _generated(words, 5_000) + "\0" * 100,
    "lone_surrogate": lambda words, size: _generated(words, 5_000).encode() + b'"\xed\xa0\x80"\n',
    "utf8_mark": lambda words, size: b"\xef\xbb\xbf" + _generated(words, 5_000).encode(),
    "utf16": lambda words, size: _generated(words, min(size // 2, 2_000_000)).encode("utf-16"),
    "utf32_cut": lambda words, size: _generated(words, 5_000).encode("utf-32")[:-3],
    "marks_alone": lambda words, size: b"\xff\xfe",
    "too_large": lambda words, size: b" " * (10_000_000 if size == FULL else 10),
    "noise": lambda words, size: bytes((i * i * 31 + i // 7) % 255 + 1 for i in range(min(size, 300_000))),
    "letters": lambda words, size: "".join(chr(0x20 + (i * i + i // 3) % 95) for i in range(min(size, 300_000))),
}

# -- what only one language can say ----------------------------------------------------------------------------------

_GO = {"go.mod": "module a\n"}


def _ring(count: int, name: str, text: str) -> dict[str, str]:
    """That many files; `@` is the number of each, `<1>` the next one's, `<7>` that of another one, all in a ring."""
    return {
        name.replace("@", str(i)): text.replace("@", str(i))
        .replace("<1>", str((i + 1) % count))
        .replace("<7>", str(i * 7 % count))
        for i in range(count)
    }


def _all(count: int, name: str, before: str, each: str, after: str) -> dict[str, str]:
    """That many files that name all of them."""
    return {
        name.replace("@", str(i)): (before + _lines(each.replace("#", str(i)), count) + after).replace("#", str(i))
        for i in range(count)
    }


def _one(name: str, pattern: str, after: str = "", size: int = 0, before: str = "") -> Callable[[int], dict[str, str]]:
    """One file with lines of that pattern, so many (0 = as many as the size asks for), and what stands around them."""
    return lambda n: {
        name: before + _lines(pattern, min(size or 100_000, n // (len(pattern) + 12))) + after,
        **(_GO if name.endswith(".go") else {}),
    }


def _nest(name: str, before: str, opens: str, between: str, closes: str, after: str) -> Callable[[int], dict[str, str]]:
    """One file with something so deep in something."""
    return lambda n: {
        name: before
        + (depth := min(20_000, n // (len(opens) + len(closes)))) * opens
        + between
        + depth * closes
        + after
    }


SPECIAL: dict[str, Callable[[int], Mapping[str, str]]] = {
    "chain-typedefs.c": _one("a.c", "typedef t@ t@@;\n"),
    "chain-macros.c": _one("a.c", "#define M@ M@@\n", "int x = M0;\n"),
    "ring-macros.c": _one("a.c", "#define M@ M@@(M@@)\n", "#define M99 M0\nint x = M0;\n"),
    "ring-includes.c": lambda n: _ring(300, "a@.h", '#include "a<1>.h"\n#include "a<7>.h"\n'),
    "all-include-all.c": lambda n: _all(300, "a@.h", "", '#include "a@.h"\n', "int f#(void) { return f0(); }\n"),
    "chain-structs.c": _one(
        "a.c", "struct s@ { struct s@@ *next; };\n", f"int f(struct s0 *x) {{ return x{'->next' * 5_000}; }}\n"
    ),
    "chain-using.cpp": _one("a.cpp", "using t@@ = t@;\n"),
    "ring-using.cpp": _one("a.cpp", "using t@@ = t@;\n", "using t0 = t9;\nt1 f() { t1 x; x.g(); return x; }\n"),
    "chain-classes.cpp": _one("a.cpp", "class c@@ : public c@ { void f(); };\n", "void g() { c100 x; x.nothing(); }\n"),
    "ring-classes.cpp": _one("a.cpp", "class c@@ : public c@ { void f() { h(); } };\n", "class c0 : public c500 {};\n"),
    "deep-namespaces.cpp": _nest("a.cpp", "", "namespace a { ", "int f() { return a::a::a::g(); }", "}", ""),
    "many-namespaces.cpp": _one("a.cpp", "namespace n@ { using namespace n@@; int f() { return g(); } }\n"),
    "templates.cpp": _nest("a.cpp", "", "A<", "int", ">", " x;\n"),
    "cut-conditions.c": _nest("a.c", "", "#if A\n", "int x;\n", "#endif\n", ""),
    "prefixes.cpp": _nest("a.cpp", "class ", "EXPORT ", "x", "", ""),
    "annotations.cpp": _nest("a.cpp", "", "A_", "GUARDED_BY(", "", ""),
    "guards.cpp": _nest("a.cpp", "GUARDED_BY(", "(", "", "", ""),
    "ring-extends.java": lambda n: _ring(1_000, "C@.java", "class C@ extends C<1> { void m() { nothing(); } }\n"),
    "chain-extends.java": _one("A.java", "class C@@ extends C@ { void m@() { x(); super.y(); } }\n"),
    "diamond.java": _one(
        "A.java",
        "interface I@@ extends I@, J@ {}\ninterface J@@ extends I@, J@ {}\n",
        "class K implements I2000 { void f() { g(); this.h(); } }\n",
        3_000,
    ),
    "chain-fields.java": _one(
        "A.java",
        "class C@ { C@@ next; C@@ n() { return next; } }\n",
        f"class X {{ void f(C0 a) {{ a{'.next' * 3_000}.n(); a{'.n()' * 3_000}; }} }}\n",
    ),
    "stars.java": lambda n: _all(
        400, "p@/C@.java", "package p#;\n", "import p@.*;\n", "public class C# extends C0 { Unknown x; }\n"
    ),
    "overloads.java": _one("A.java", "void m(int a@) { m(1); m(m(2)); }\n", "}\n", before="class A {\n"),
    "generics.java": _nest("A.java", "class A { ", "A<", "A", ">", " x; }\n"),
    "lambdas.java": _nest("A.java", "class A { Object m() { return ", "x -> ", "1", "", "; } }\n"),
    "ring-stars.js": lambda n: {
        **_ring(1_000, "m@.js", "export * from './m<1>.js';\nexport * from './m<7>.js';\n"),
        "a.js": "import {nothing} from './m0.js'; nothing();\n",
    },
    "stars-of-one.js": lambda n: {
        "a.js": _lines("export * from './b.js';\n", 10_000),
        "b.js": _lines("export * from './a.js';\n", 10_000),
        "c.js": _lines("import {x@} from './a.js';\nx@();\n", 2_000),
    },
    "chain-exports.js": lambda n: {
        **_ring(3_000, "m@.js", "export {x} from './m<1>.js';\n"),
        "a.js": "import {x} from './m0.js'; x();\n",
    },
    "chain-aliases.js": _one("a.js", "const a@@ = a@;\n", "a100();\n"),
    "chain-extends.ts": _one("a.ts", "class C@@ extends C@ { m() { this.nothing(); } }\n"),
    "ring-types.ts": _one("a.ts", "type T@@ = T@ | T@[];\n", "type T0 = T100;\nlet x: T1; x.f();\n"),
    "ring-requires.js": lambda n: {
        **_ring(1_000, "m@.js", "module.exports = require('./m<1>');\n"),
        "a.js": "require('./m0').f();\n",
    },
    "markup.jsx": _nest("a.jsx", "x = ", "<a>", "", "</a>", ";\n"),
    "chain-embedded.go": _one(
        "a.go", "type T@ struct { *T@@ }\n", "func f(x T0) { x.nothing() }\n", before="package a\n"
    ),
    "ring-embedded.go": _one(
        "a.go",
        "type T@ struct { *T@@; *U@@ }\ntype U@ struct { *T@@; *U@@ }\n",
        "type T500 struct { T0 }\nfunc f(x T0) { x.nothing() }\n",
        500,
        "package a\n",
    ),
    "chain-types.go": _one("a.go", "type T@ = T@@\n", "func f(x T0) { x.m() }\n", before="package a\n"),
    "dots.go": lambda n: {
        **_GO,
        **_ring(500, "p@/a.go", 'package p@\nimport . "a/p<1>"\nimport . "a/p<7>"\nfunc f() { nothing() }\n'),
    },
    "ring-copies.cbl": lambda n: {
        **_ring(300, "c@.cpy", "       COPY c<1>.\n       COPY c<7>.\n"),
        "a.cbl": _PROGRAM + "       DATA DIVISION.\n       COPY c0.\n",
    },
    "replacing.cbl": _one(
        "a.cbl", "       COPY C@ REPLACING ==A@== BY ==B@ A@@==.\n", before=_PROGRAM + "       DATA DIVISION.\n"
    ),
    "moves.cbl": _one("a.cbl", "           MOVE V@ TO V@@.\n           CALL V@.\n", before=_PROCEDURE),
    "performs.cbl": _one("a.cbl", "       P@.\n           PERFORM P0 THRU P@@.\n", before=_PROCEDURE),
    "chain-uses.rs": _one("src/lib.rs", "pub use self::a@@ as a@;\n", "fn f() { a0(); }\n"),
    "stars.rs": _one("src/lib.rs", "pub mod m@ { pub use super::m@@::*; pub fn f@() { nothing(); } }\n"),
    "ring-extends.cs": _one("a.cs", "class C@ : C@@ { void M() { Nothing(); base.X(); } }\n", "class C50 : C0 {}\n"),
    "chain-usings.cs": _one("a.cs", "using A@ = A@@;\n", "class B { A0 x; }\n"),
    "ring-traits.php": _one(
        "a.php",
        "class C@ extends C@@ { use T@; function m() { $this->x(); parent::y(); } }\n",
        "class C50 extends C0 {}\n",
        before="<?php\n",
    ),
    "heredocs.php": _one("a.php", "$x = <<<A@\n", before="<?php\n"),
    "ring-supers.rb": _one(
        "a.rb", "class C@ < C@@\n include M@\n def m; nothing; super; end\nend\n", "class C50 < C0\nend\n"
    ),
    "ring-supers.kt": _one(
        "a.kt", "open class C@ : C@@() { fun m() { nothing(); super.x() } }\n", "open class C50 : C0()\n"
    ),
    "chain-aliases.kt": _one("a.kt", "typealias T@ = T@@\n", "fun f(x: T0) { x.m() }\n"),
    "ring-supers.swift": _one(
        "a.swift", "class C@ : C@@ { func m() { nothing(); super.x() } }\n", "class C50 : C0 {}\n"
    ),
    "ring-supers.scala": _one(
        "a.scala", "class C@ extends C@@ { def m() = { nothing(); super.x() } }\n", "class C50 extends C0\n"
    ),
    "chain-assigned.py": _nest("a.py", "", "a = ", "1", "", "\n"),
    "two-inherit.py": _one("a.py", "class A(B): pass\nclass B(A): pass\n", size=50),
    "stars.py": lambda n: {"a.py": _lines("from .a import *\n", min(n // 17, 5_900)), "__init__.py": ""},
    "decorators.py": _nest("a.py", "", "@a\n", "def f(): pass\n", "", ""),
    "lambdas.py": _nest("a.py", "x = ", "lambda: ", "1", "", "\n"),
    "comprehensions.py": _nest("a.py", "x = ", "[", "a", " for a in b]", "\n"),
    "encodings.py": lambda n: {"a.py": "# coding: idna\n" + "a" * min(n, 200_000)},
}


class Case(NamedTuple):
    """A hostile folder; `files` makes its files for about that many bytes."""

    name: str
    files: Callable[[int], Files]


def cases() -> Iterator[Case]:
    """All of them, in an order that stays the same."""
    for suffix, words in LANGUAGES.items():
        for shape, make in SHAPES.items():
            yield Case(f"{shape}.{suffix}", _file(suffix, words, make))
        for text in words.comments:
            yield Case(f"nested-{_spelled(text)}.{suffix}", _file(suffix, words, _nested(text)))
    for name, special in SPECIAL.items():
        yield Case(name, _encoded(special))


def _encoded(made: Callable[[int], Mapping[str, str]]) -> Callable[[int], Files]:
    return lambda size: {name: text.encode() for name, text in made(size).items()}


def _nested(text: str) -> Make:
    return lambda words, size: words.before + _many(text, size)


def _spelled(text: str) -> str:
    return "".join(letter if letter.isalnum() else f"{ord(letter):02x}" for letter in text)


def _file(suffix: str, words: Words, make: Make) -> Callable[[int], Files]:
    def files(size: int) -> Files:
        made = make(words, size)
        return {f"a.{suffix}": made.encode() if isinstance(made, str) else made}

    return files


def write(files: Mapping[str, bytes], folder: Path) -> None:
    """Put the files of a case below `folder`."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


# -- the attack ------------------------------------------------------------------------------------------------------

MOST_SECONDS = 20.0  # of processor time of all processes together
MOST_WAITING = 300.0  # seconds; then all processes are killed
MOST_MEMORY = 1.5e9  # bytes of any process
_TICK = 0.05
_FAULTS = ("inside cbvtool", "makes its reader fail", "Traceback", "Error:")


class Verdict(NamedTuple):
    """What a case cost, and what was wrong (empty = nothing).

    seconds    by the clock
    processor  seconds of all processes, as far as they were seen
    memory     most bytes of one process
    said       why the files were skipped, or relations are missing
    """

    seconds: float
    processor: float
    memory: float
    said: str
    wrong: str


def attacked(case: Case, size: int = FULL, jobs: int = 2) -> Verdict:
    """Analyse a case as a user would, in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="attack-") as folder:
        subject, home = Path(folder, "subject"), Path(folder, "home")
        home.mkdir()
        write(case.files(size), subject)
        command = [sys.executable, "-P", "-m", "cbvtool", "analyze", str(subject)]
        command += ["--no-cache", "--no-history", "--jobs", str(jobs)]
        began = time.monotonic()
        with open(Path(folder, "said"), "w+b") as said:
            program = subprocess.Popen(command, stdout=said, stderr=said, env=os.environ | {"TMPDIR": str(home)})
            processor, memory = _watched(program, began + MOST_WAITING)
            seconds = time.monotonic() - began
            said.seek(0)
            text = said.read().decode(errors="replace")
        left = sorted(path.name for path in home.iterdir())
    wrong = [f"exit status {program.returncode}"] if program.returncode else []
    wrong += [fault for fault in _FAULTS if fault in text]
    wrong += ["too long"] * (processor > MOST_SECONDS or seconds > MOST_WAITING)
    wrong += ["too much memory"] * (memory > MOST_MEMORY)
    wrong += [f"left behind: {left[0]}"] if left else []
    reasons = [line.strip() for line in text.splitlines() if line.endswith(": 1") or "are missing" in line]
    return Verdict(seconds, processor, memory, "; ".join(reasons)[:100], ", ".join(wrong))


def _watched(program: subprocess.Popen[bytes], deadline: float) -> tuple[float, float]:
    """Wait for a program; the seconds of processor time of it and its children, the most memory of one of them."""
    taken: dict[int, float] = {}
    memory = 0.0
    root = psutil.Process(program.pid)
    while program.poll() is None:
        try:
            processes = [root, *root.children(recursive=True)]
        except psutil.Error:
            continue
        for process in processes:
            try:
                times = process.cpu_times()
                memory = max(memory, process.memory_info().rss)
            except psutil.Error:
                continue
            taken[process.pid] = times.user + times.system
            if time.monotonic() > deadline:
                process.kill()
        time.sleep(_TICK)
    return sum(taken.values()), memory


def main() -> int:
    """Attack with all cases, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="only cases with all of these in their name")
    parser.add_argument("--size", type=int, default=FULL, help="bytes of a case that grows")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    chosen = [case for case in cases() if all(word in case.name for word in arguments.words)]
    bad = 0
    for case in chosen:
        verdict = attacked(case, arguments.size, arguments.jobs)
        bad += bool(verdict.wrong)
        print(
            f"{case.name:28} {verdict.seconds:6.1f} s {verdict.processor:6.1f} s of processor "
            f"{verdict.memory / 1e6:6.0f} MB  {verdict.wrong.upper()} {verdict.said}",
            flush=True,
        )
    print(f"{len(chosen)} cases, {bad} bad")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
