"""Ruby: facts of one file, and the resolver of names.

Constants are looked up by nesting in the whole folder, as autoloaders do; `require` is resolved by the load path.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from posixpath import normpath

import tree_sitter_ruby
from tree_sitter import Language

from cbvtool.analysis.facts import CALL, CREATE, EXACT, RESOLVED, TYPE, FileFacts, Import
from cbvtool.analysis.languages import qualified
from cbvtool.analysis.names import NameRules
from cbvtool.analysis.read import to_utf8
from cbvtool.analysis.resolution import IMPORT, Folder, Outside, Resolution, outside_notes
from cbvtool.analysis.sweep import Syntax, callee, declared, dotted, imports_only, sweep


def _spell(text: bytes) -> str:
    """A used name with dots: `Foo.Bar.new` for `Foo::Bar.new`, `self.@x.f` for `@x.f`; `/.Foo` for `::Foo`."""
    plain = text.partition(b"\n")[0] if text.endswith((b"end", b"}")) else text  # a block follows
    absolute = plain.startswith(b"::")
    plain = plain.replace(b"&.", b".").replace(b"::", b".").strip(b".")
    plain = _BLOCK.sub(b"", plain).rstrip()
    name = callee(plain) if plain.endswith(b")") else dotted(_BARE_ARGUMENTS.sub(b"", plain))
    if name.startswith("@"):
        return f"self.{name}"
    return f"/.{name}" if absolute and name else name


_BLOCK = re.compile(rb"\s*(?:\{|\bdo\b).*$", re.DOTALL)
_BARE_ARGUMENTS = re.compile(rb"(?<=[\w?!])[ \t]+[^.].*$", re.DOTALL)  # `include Foo`, `a.f b, c`

SYNTAX = Syntax(
    "Ruby",
    Language(tree_sitter_ruby.language()),
    """
    (call !receiver method: (identifier) @word arguments: (argument_list . (string . (string_content) .) .)) @require
    (call !receiver method: (identifier) @mixin arguments: (argument_list [(constant) (scope_resolution)] @inherit)
        (#any-of? @mixin "include" "extend" "prepend"))
    (class name: [(constant) (scope_resolution)] @name) @def.class
    (module name: [(constant) (scope_resolution)] @name) @def.module
    (method name: (_) @name) @def.function
    (singleton_method name: (_) @name) @def.function
    (method parameters: (method_parameters) @parameters)
    (singleton_method parameters: (method_parameters) @parameters)
    [(if) (unless) (while) (until) (for) (case) (case_match) (begin) (do_block) (block)] @control
    [(if) (unless) (elsif) (while) (until) (for) (when) (in_clause) (rescue) (conditional)
     (if_modifier) (unless_modifier) (while_modifier) (until_modifier) (rescue_modifier) "&&" "||" "and" "or"] @decision
    [(body_statement) (then) (do) (else) (block_body) (program)] @block
    (comment) @comment
    (call) @call
    (superclass [(constant) (scope_resolution)] @inherit)
    (scope_resolution (constant) @part .)
    [(constant) (scope_resolution)] @refer
    (assignment) @declare
    """,
    frozenset({"body_statement", "then", "do", "block_body"}),
    frozenset({"elsif", "else", "when", "in_clause", "rescue", "ensure"}),
    _spell,
    _spell,
)
_RULES = NameRules(own=frozenset({"self"}), above=frozenset({"super"}), apart=frozenset({TYPE}))
_SCHEME = qualified.Scheme("Ruby", _RULES)


def read_facts(data: bytes, name: str = "") -> FileFacts:
    """Facts of a file, given its bytes as they are on disk; raises Unreadable."""
    swept = sweep(SYNTAX, to_utf8(data))
    imports = []
    for node in swept.nodes("require"):
        found = _import(swept.text(node), node.start_point[0] + 1)
        imports += [found] if found else []
    made = [
        (scope, CREATE, text.removesuffix(".new"), other, line)
        if kind == CALL and text.endswith(".new")
        else (scope, kind, text, other, line)
        for scope, kind, text, other, line in swept.uses
    ]
    definitions = tuple(row._replace(name=row.name.replace("::", ".").strip(".")) for row in swept.definitions)
    return swept._replace(uses=made, definitions=definitions).facts(imports, uses=declared(swept, _variables))


def read_imports(data: bytes, name: str = "") -> FileFacts:
    """Only the imports, each of which begins a line."""
    source = to_utf8(data)
    imports = []
    for line in _LINE.finditer(source):
        found = _import(line[1], source.count(b"\n", 0, line.start(1)) + 1)
        imports += [found] if found else []
    return imports_only(source, imports)


_WORDS = rb"require_relative|require_dependency|require|load"
_LINE = re.compile(rb"^[ \t]*((?:" + _WORDS + rb")\b[^\n]*)", re.MULTILINE)
_PARTS = re.compile(rb"(" + _WORDS + rb")\s*\(?\s*['\"]([^'\"#\n]+)['\"]")


def _import(text: bytes, line: int) -> Import | None:
    """The import of a `require`; its form is the method name."""
    found = _PARTS.match(text)
    if found is None:
        return None
    return Import(found[2].decode("utf-8", "replace"), 0, None, line, form=found[1].decode())


def resolve(folder: Folder, facts: Mapping[int, FileFacts]) -> Resolution:
    """Relations between the Ruby files in `facts`."""
    rows = {path: row for row, path in enumerate(folder.paths)}
    result = qualified.resolve(_SCHEME, {file: found._replace(imports=()) for file, found in facts.items()})
    below_lib: dict[str, list[int]] = {}
    for file in facts:
        inner = folder.paths[file].partition("lib/")[2] if "lib/" in f"/{folder.paths[file]}" else ""
        if inner:
            below_lib.setdefault(inner, []).append(file)
    for file, found in sorted(facts.items()):
        where = folder.paths[file].rpartition("/")[0]
        for statement in found.imports:
            path = statement.module if statement.module.endswith(".rb") else f"{statement.module}.rb"
            if statement.form == "require_relative":
                targets, confidence = [rows.get(normpath(f"{where}/{path}").lstrip("/"))], EXACT
            else:
                nearest = sorted(
                    below_lib.get(path, ()), key=lambda row: -_shared(folder.paths[row], folder.paths[file])
                )
                targets = [*nearest[:1], rows.get(normpath(path)), rows.get(f"{where}/{path}".lstrip("/"))]
                confidence = EXACT if len(nearest) == 1 else RESOLVED
            target = next((row for row in targets if row is not None), None)
            if target is not None:
                result.relations.add((file, -1), (target, -1), IMPORT, statement.line, confidence=confidence)
            elif statement.form != "require_relative":
                result.outside.append(Outside(file, statement.module.partition("/")[0], statement.line))
    result.notes = outside_notes("Ruby", "Ruby libraries", result.outside)
    return result


def _shared(a: str, b: str) -> int:
    """Number of leading folders that both paths share."""
    count = 0
    for x, y in zip(a.split("/"), b.split("/"), strict=False):
        if x != y:
            break
        count += 1
    return count


def _variables(text: bytes) -> tuple[tuple[str, ...], str]:
    """(`x`, `Foo`) of `x = Foo.new`."""
    found = _MADE.match(text)
    if found is None:
        return (), ""
    name = found[1].decode("utf-8", "replace")
    return (f"self.{name}" if name.startswith("@") else name,), _spell(found[2])


_MADE = re.compile(rb"(@{0,2}\w+)\s*(?:\|\|)?=\s*((?:::)?[A-Z]\w*(?:::[A-Z]\w*)*)\.new\b")
