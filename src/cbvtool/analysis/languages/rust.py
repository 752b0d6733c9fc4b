"""Rust: facts of one file, and the resolver of modules, paths and names.

A crate's root file declares its modules with `mod`, these declare theirs, and so on (The Rust Reference, "Modules").
Only files reached in this way belong to a crate. Packages of the same workspace are found by their `Cargo.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from posixpath import normpath

import tree_sitter_rust
from tree_sitter import Language

from cbvtool.analysis.circular import Circular
from cbvtool.analysis.facts import ALWAYS, EXACT, Definition, FileFacts, Import
from cbvtool.analysis.names import DEEPEST, FoundPlaces, NameIndex, NameRules
from cbvtool.analysis.read import to_utf8
from cbvtool.analysis.resolution import IMPORT, Folder, Outside, Place, Resolution, outside_notes
from cbvtool.analysis.sweep import Syntax, declared, dotted, imports_only, small_variables, sweep
from cbvtool.config import toml_of

_PRIMITIVE = frozenset(
    {
        b"bool",
        b"char",
        b"f32",
        b"f64",
        b"i8",
        b"i16",
        b"i32",
        b"i64",
        b"i128",
        b"isize",
        b"str",
        b"u8",
        b"u16",
        b"u32",
        b"u64",
        b"u128",
        b"usize",
        b"String",
        b"Vec",
        b"Option",
        b"Result",
        b"Box",
        b"Some",
        b"None",
        b"Ok",
        b"Err",
    }
)


def _spell(text: bytes) -> str:
    return "" if text in _PRIMITIVE else dotted(text)


def _typed(text: bytes) -> str:
    """The type behind references: Foo for `&'a mut dyn Foo<T>`."""
    return _spell(_REFERENCE.sub(b"", text).partition(b"<")[0])


_REFERENCE = re.compile(rb"^(?:&\s*|'\w+\s+|mut\s+|dyn\s+|impl\s+|(?:Box|Rc|Arc|RefCell|Cell|Mutex)<)+")

SYNTAX = Syntax(
    "Rust",
    Language(tree_sitter_rust.language()),
    """
    (mod_item !body name: (identifier)) @module
    (attribute_item (attribute (identifier) value: (string_literal))) @attribute
    (use_declaration) @import
    (extern_crate_declaration) @import
    (mod_item name: (identifier) @name body: (_)) @def.namespace
    (struct_item name: (type_identifier) @name) @def.struct
    (union_item name: (type_identifier) @name) @def.union
    (enum_item name: (type_identifier) @name) @def.enum
    (trait_item name: (type_identifier) @name) @def.trait
    (impl_item type: [(type_identifier) (scoped_type_identifier)] @name) @def.extension
    (impl_item type: (generic_type type: [(type_identifier) (scoped_type_identifier)] @name)) @def.extension
    (function_item name: (identifier) @name) @def.function
    (function_signature_item name: (identifier) @name) @def.function
    (function_item return_type: (_) @result)
    (function_signature_item return_type: (_) @result)
    (function_item parameters: (parameters [(parameter) (self_parameter)] @parameter))
    (function_signature_item parameters: (parameters [(parameter) (self_parameter)] @parameter))
    [(if_expression) (for_expression) (while_expression) (loop_expression) (match_expression)] @control
    (else_clause (if_expression) @chained)
    [(if_expression) (for_expression) (while_expression) (loop_expression) (match_arm) (try_expression)
     "&&" "||"] @decision
    (block) @block
    [(line_comment) (block_comment)] @comment
    (call_expression function: [(identifier) (scoped_identifier) (field_expression)] @call)
    (call_expression function: (generic_function function: [(identifier) (scoped_identifier) (field_expression)] @call))
    (struct_expression name: [(type_identifier) (scoped_type_identifier)] @create)
    (impl_item trait: [(type_identifier) (scoped_type_identifier)] @inherit)
    (impl_item trait: (generic_type type: [(type_identifier) (scoped_type_identifier)] @inherit))
    (trait_item bounds: (trait_bounds [(type_identifier) (scoped_type_identifier)] @inherit))
    (scoped_type_identifier name: (type_identifier) @part)
    [(type_identifier) (scoped_type_identifier)] @type
    [(parameter) (let_declaration) (field_declaration)] @declare
    (parameter pattern: (identifier) @local)
    (let_declaration pattern: (identifier) @local)
    (closure_parameters (identifier) @local)
    (for_expression pattern: (identifier) @local)
    (tuple_struct_pattern type: (_) (identifier) @small)
    (field_pattern name: (shorthand_field_identifier) @small)
    (field_pattern pattern: (identifier) @small)
    (match_pattern . (identifier) @small)
    [(tuple_pattern (identifier) @small) (slice_pattern (identifier) @small) (reference_pattern (identifier) @small)
     (ref_pattern (identifier) @small) (mut_pattern (identifier) @small) (captured_pattern . (identifier) @small)]
    [(let_declaration) (let_condition)] @let
    [(function_item) (function_signature_item) (closure_expression) (block) (for_expression) (if_expression)
     (while_expression) (match_arm) (function_type)] @region
    [(declaration_list) (field_declaration_list)] @members
    """,
    frozenset({"block"}),
    frozenset({"else_clause", "match_block", "match_arm"}),
    _spell,
    _typed,
    amend=small_variables,
)
_RULES = NameRules(own=frozenset({"self", "Self"}), above=frozenset(), bare_members=False)
_IMPL = "impl "  # prefix of the name of an `impl` block
_DEEPEST = 5  # longest chain of `use` aliases of a module
_STANDARD = frozenset({"std", "core", "alloc", "proc_macro", "test"})


def read_facts(data: bytes, name: str = "") -> FileFacts:
    """Facts of a file, given its bytes as they are on disk; raises Unreadable."""
    source = to_utf8(data)
    plain = _without_conditions(source)
    swept = sweep(SYNTAX, plain, source)
    if swept.broken and plain != source:
        swept = sweep(SYNTAX, source)
    source = swept.source
    imports = [
        row._replace(scope=swept.scope_of(node.start_byte))
        for node in swept.nodes("import")
        for row in _uses(swept.text(node), node.start_point[0] + 1)
    ]
    for node in swept.nodes("module"):
        start = source.rfind(b"\n", 0, max(source.rfind(b"#", 0, node.start_byte), 0)) + 1
        for at in (start, node.start_byte):  # start of its attributes, or its own
            found = _MODULE.match(source, at)
            if found and found.end() == node.end_byte:
                scope = swept.scope_of(node.start_byte)
                imports.append(_module(found, node.start_point[0] + 1)._replace(scope=scope))
                break
    imports.sort(key=lambda row: row.line)
    definitions = tuple(
        row._replace(name=f"{_IMPL}{row.name}") if row.kind == "extension" else row for row in swept.definitions
    )
    return swept._replace(definitions=definitions).facts(imports, uses=declared(swept, _variables))


def read_imports(data: bytes, name: str = "") -> FileFacts:
    """Only the imports, each of which begins a line."""
    source = to_utf8(data)
    imports: list[Import] = []
    for found in _LINE.finditer(source):
        line = source.count(b"\n", 0, found.start(1)) + 1
        imports += _uses(found[1], line)
    for found in _MODULE_LINE.finditer(source):
        imports.append(_module(found, source.count(b"\n", 0, found.end()) + 1))
    imports.sort(key=lambda row: row.line)
    return imports_only(source, imports)


def _without_conditions(source: bytes) -> bytes:
    """`source`, of the same length, without macros around conditional items (`cfg_if!`, tokio's `cfg_rt!`).

    The grammar does not parse the arguments of macros. rustfmt ends such a macro in the column where it begins.
    """
    if b"cfg_" not in source:
        return source
    text = bytearray(source)
    for found in _CONDITIONAL.finditer(source):
        indent = found[1]
        end = source.find(b"\n" + indent + b"}", found.end() - 1)
        if end < 0:
            continue
        blank = [found.span(2), (end + 1 + len(indent), end + 2 + len(indent))]
        if found[3] == b"if":
            inside = re.compile(rb"^" + re.escape(indent) + rb"    (?:if #\[.*\{|\} else.*\{|\})$", re.MULTILINE)
            blank += [branch.span() for branch in inside.finditer(source, found.end(), end + 1)]
        for first, last in blank:
            text[first:last] = b" " * (last - first)
    return bytes(text)


_CONDITIONAL = re.compile(rb"^([ \t]*)((?:\w+::)*cfg_(\w+)!\s*\{)[ \t]*$", re.MULTILINE)
_VISIBLE = rb"(?:pub(?:\s*\([^)]*\))?\s+)?"
_LINE = re.compile(rb"^[ \t]*(" + _VISIBLE + rb"(?:use\s[^;]*|extern\s+crate\s[^;]*);)", re.MULTILINE)
_MODULE = re.compile(
    rb"(?:[ \t]*#\[\s*path\s*=\s*\"([^\"\n]+)\"\s*\]\s*)?(?:\s*#\[[^\]]*\])*\s*" + _VISIBLE + rb"mod\s+(?:r#)?(\w+)\s*;"
)
_MODULE_LINE = re.compile(rb"^" + _MODULE.pattern, re.MULTILINE)
_WORD = re.compile(rb"(?:r#)?[\w]+|::|[{},*]")


def _module(found: re.Match[bytes], line: int) -> Import:
    """The import for `mod x;`: form `mod`, with its path if an attribute gives one."""
    path = (found[1].decode("utf-8", "replace"),) if found[1] else ()
    return Import(found[2].decode(), 0, None, line, form="mod", aliases=path)


def _uses(text: bytes, line: int) -> Iterator[Import]:
    """One import for each leaf of the tree of a `use`; form `pub` if it is re-exported."""
    form = "pub" if text.startswith(b"pub") else ""
    body = re.sub(rb"//[^\n]*|/\*.*?\*/", b" ", text, flags=re.DOTALL)
    body = re.sub(rb"^" + _VISIBLE + rb"(?:use|extern\s+crate)\s+", b"", body)
    stack: list[list[str]] = []
    prefix: list[str] = []
    path: list[str] = []
    alias, naming = "", False
    for word in [*(found[0].decode("utf-8", "replace") for found in _WORD.finditer(body)), ","]:
        if word == "::":
            continue
        if word == "{":
            stack.append(prefix)
            prefix, path = prefix + path, []
        elif word in (",", "}"):
            if path:
                whole = prefix + path
                if whole[-1] == "*":
                    yield Import("::".join(whole[:-1]), 0, ("*",), line, form=form)
                else:
                    whole = whole[:-1] if whole[-1] == "self" and len(whole) > 1 else whole
                    yield Import("::".join(whole), 0, None, line, form=form, aliases=(alias,) if alias else ())
            path, alias, naming = [], "", False
            if word == "}" and stack:
                prefix = stack.pop()
        elif word == "as":
            naming = True
        elif naming:
            alias = word
        else:
            path.append(word.removeprefix("r#"))


def _variables(text: bytes) -> tuple[tuple[str, ...], str]:
    """(`x`, `Foo`) of `x: &Foo` and `let x = Foo { .. }`, (`x`, `f()`) of `let x = f()`."""
    found = _TYPED.match(text)
    if found is None:
        return (), ""
    name = found[1].decode("utf-8", "replace")
    if found[2]:
        return (name,), SYNTAX.typed(found[2])
    return (name,), SYNTAX.spell(found[3]) + ("()" if found[4] == b"(" else "")


_TYPED = re.compile(
    rb"(?:pub(?:\([^)]*\))?\s+|let\s+|mut\s+|ref\s+)*(\w+)\s*"
    rb"(?::\s*([&'\w][^=;,{(]*?)\s*(?:[=;,{)]|$)|=\s*([A-Za-z_][\w:]*)(?:::<[^()]*>)?\s*([({]))"
)


def resolve(folder: Folder, facts: Mapping[int, FileFacts]) -> Resolution:
    """Relations between the Rust files in `facts`."""
    crates = _Crates(folder, facts)
    result = Resolution()
    outside: set[Outside] = set()
    for file in sorted(facts):
        for statement, target in crates.import_targets(file):
            result.relations.add((file, -1), (target, -1), IMPORT, statement.line)
        for statement in facts[file].imports:
            if statement.form == "mod":
                continue
            found = crates.file_of(file, statement)
            if found is not None:
                result.relations.add((file, -1), (found, -1), IMPORT, statement.line, ALWAYS, EXACT)
            else:
                name = statement.module.partition("::")[0]
                if name and name not in ("crate", "self", "super", "Self"):
                    outside.add(Outside(file, name, statement.line, standard=name in _STANDARD))
    names = _RustNames(facts, crates)
    names.relate(result.relations)
    result.outside = sorted(outside)
    result.notes = outside_notes("Rust", "crates", result.outside)
    return result


class _Crates:
    """Modules of all crates. A module path is a tuple that begins with the row of the crate's root file.

    file      module path -> file of the module, or file that contains it
    module    file -> its module path
    roots     crate's name -> root file of the library
    """

    def __init__(self, folder: Folder, facts: Mapping[int, FileFacts]) -> None:
        self.paths, self.facts = folder.paths, facts
        self.rows = {folder.paths[file]: file for file in facts}
        self.file: dict[tuple[object, ...], int] = {}
        self.module: dict[int, tuple[object, ...]] = {}
        self.roots: dict[str, int] = {}
        self._children: dict[int, list[tuple[Import, int]]] = {}
        self._names: dict[int, dict[str, list[Import]]] = {}
        manifests = sorted(path for path in folder.paths if path.rpartition("/")[2] == "Cargo.toml")
        for manifest in manifests:
            for name, root in self._targets(folder, manifest):
                if name:
                    self.roots.setdefault(name, root)
                self._follow(root, (root,))
        for file in sorted(facts):  # crates that no manifest names: their root has modules below it, or is a script
            if file not in self.module and self.paths[file].rpartition("/")[2] in ("lib.rs", "main.rs"):
                self._follow(file, (file,))
        for file in sorted(facts, key=lambda file: (not self._has_modules(file), self.paths[file].count("/"), file)):
            if file not in self.module:
                self._follow(file, (file,))

    def _has_modules(self, file: int) -> bool:
        return any(statement.form == "mod" for statement in self.facts[file].imports)

    def _targets(self, folder: Folder, manifest: str) -> Iterator[tuple[str, int]]:
        """(name, root file) of a package's crates; the name is empty for crates that cannot be imported."""
        where = manifest.rpartition("/")[0]
        try:
            data = toml_of((folder.read(manifest) or b"").decode("utf-8", "replace"))
        except ValueError:
            data = {}
        package = data.get("package")
        name = str(package.get("name", "")) if isinstance(package, dict) else ""
        library = data.get("lib") if isinstance(data.get("lib"), dict) else {}
        assert isinstance(library, dict)
        path = library.get("path") if isinstance(library.get("path"), str) else "src/lib.rs"
        row = self.rows.get(normpath(f"{where}/{path}").lstrip("/"))
        if row is not None:
            yield str(library.get("name") or name).replace("-", "_"), row
        above = f"{where}/" if where else ""
        for other, row in self.rows.items():
            if other.startswith(above):
                parts = other[len(above) :].split("/")
                single = parts in (["src", "main.rs"], ["build.rs"])
                binary = (
                    len(parts) in (2, 3)
                    and parts[0] in ("tests", "examples", "benches")
                    and (len(parts) == 2 or parts[2] == "main.rs")
                )
                if single or binary or (parts[:2] == ["src", "bin"] and len(parts) == 3):
                    yield "", row

    def _follow(self, root: int, module: tuple[object, ...]) -> None:
        todo = [(root, module)]
        while todo:
            file, here = todo.pop()
            if file in self.module:
                continue
            self.module[file] = here
            self.file.setdefault(here, file)
            for row in self.facts[file].definitions:
                if row.kind == "namespace" and row.parent < 0:
                    self.file.setdefault((*here, row.name), file)
            for statement, target in self._declared(file):
                self._children.setdefault(file, []).append((statement, target))
                todo.append((target, (*here, *self._inside(file, statement.scope), statement.module)))

    def _inside(self, file: int, scope: int) -> list[str]:
        """Names of the inline modules around a statement."""
        names: list[str] = []
        definitions = self.facts[file].definitions
        while scope >= 0:
            if definitions[scope].kind == "namespace":
                names.insert(0, definitions[scope].name)
            scope = definitions[scope].parent
        return names

    def _declared(self, file: int) -> Iterator[tuple[Import, int]]:
        """The `mod x;` of a file with the files to which they refer, looked up now."""
        path = self.paths[file]
        folder, _, name = path.rpartition("/")
        stem = name.removesuffix(".rs")
        is_root = stem in ("mod", "lib", "main", "build") or self.module[file] == (file,)
        base = folder if is_root else f"{folder}/{stem}"
        for statement in self.facts[file].imports:
            if statement.form != "mod":
                continue
            inner = "/".join([base, *self._inside(file, statement.scope)])
            if statement.aliases:
                options = [f"{folder}/{statement.aliases[0]}"]
            else:
                options = [f"{inner}/{statement.module}.rs", f"{inner}/{statement.module}/mod.rs"]
            target = next(
                (row for option in options if (row := self.rows.get(normpath(option).lstrip("/"))) is not None), None
            )
            if target is not None:
                yield statement, target

    def import_targets(self, file: int) -> list[tuple[Import, int]]:
        """The `mod x;` of a file with the files to which they refer, cached."""
        return self._children.get(file, [])

    def absolute(self, file: int, scope: int, path: list[str], depth: int = 0) -> tuple[object, ...] | None:
        """The path from the root of its crate; None = it leads to an external crate, or begins with a local name."""
        here = (*self.module[file], *self._inside(file, scope))
        head = path[0] if path else ""
        if head == "crate":
            return (here[0], *path[1:])
        if head == "self":
            return (*here, *path[1:])
        if head == "super":
            while path and path[0] == "super":
                here, path = here[:-1] if len(here) > 1 else here, path[1:]
            return (*here, *path)
        if (*here, head) in self.file or self._defines(here, head):
            return (*here, *path)
        if head in self.roots:
            return (self.roots[head], *path[1:])
        for statement in self._imported(file).get(head, ()) if depth < _DEEPEST else ():
            whole = self.absolute(file, statement.scope, statement.module.split("::"), depth + 1)
            if whole is not None and whole in self.file:  # a module imported by `use`
                return (*whole, *path[1:])
        return None

    def _imported(self, file: int) -> dict[str, list[Import]]:
        """Local name -> the `use`s of a file that bind it, without those whose paths begin with that name."""
        found = self._names.get(file)
        if found is None:
            found = self._names[file] = {}
            for statement in self.facts[file].imports:
                if statement.form != "mod" and statement.names is None:
                    name = statement.aliases[0] if statement.aliases else statement.module.rpartition("::")[2]
                    if name != statement.module.partition("::")[0]:
                        found.setdefault(name, []).append(statement)
        return found

    def _defines(self, module: tuple[object, ...], name: str) -> bool:
        file = self.file.get(module)
        return (
            file is not None
            and len(module) == len(self.module[file])
            and any(
                row.name == name and row.parent < 0 and row.kind != "extension" for row in self.facts[file].definitions
            )
        )

    def file_of(self, file: int, statement: Import) -> int | None:
        """The file of the innermost module named in the `use`."""
        whole = self.absolute(file, statement.scope, statement.module.split("::"))
        while whole:
            found = self.file.get(whole)
            if found is not None:
                return found
            whole = whole[:-1]
        return None


def _type_of(block: Definition) -> str:
    """The last part of the name of the type of an `impl` block."""
    return block.name.removeprefix(_IMPL).rpartition("::")[2]


class _RustNames(NameIndex):
    """Rust's members: a type has the functions of all its `impl` blocks in the crate.

    A module also has the names that its `use` and `mod` bind, public or not.
    """

    def __init__(self, facts: Mapping[int, FileFacts], crates: _Crates) -> None:
        self._crates = crates
        self._impl: dict[str, list[Place]] = {}
        super().__init__(facts, _RULES, self._bound, self._bound)
        self._paths = Circular[tuple[int, int, str], FoundPlaces | None](self.searches, DEEPEST // 2)
        for file, found in facts.items():
            for row, definition in enumerate(found.definitions):
                above = found.definitions[definition.parent] if definition.parent >= 0 else None
                if above is not None and above.kind == "extension":
                    self._impl.setdefault(f"{_type_of(above)}.{definition.name}", []).append(Place(file, row))
                    self._named[definition.name].append(Place(file, row))

    def own_members(self, place: Place, name: str) -> tuple[Place, ...]:
        """Functions in `impl` blocks for the name of a type: those in its own file, else all in its crate."""
        own = super().own_members(place, name)
        definition = self.definition(place)
        if own or definition is None or definition.kind not in ("struct", "enum", "union", "trait"):
            return tuple(hit for hit in own if self.kind(hit) != "extension")
        found = self._impl.get(f"{definition.name}.{name}", [])
        same = [hit for hit in found if hit.file == place.file]
        crate = self._crates.module[place.file][0]
        return tuple(same or [hit for hit in found if self._crates.module[hit.file][0] == crate])

    def type_around(self, place: Place) -> Place | None:
        """Inside an `impl` block, its type."""
        for at in self.around(place):
            if self.kind(at) == "extension":
                whole = self.facts[at.file].definitions[at.definition].name.removeprefix(_IMPL)
                found = self.lookup(Place(at.file, -1), whole.replace("::", "."))
                return found.places[0] if found and found.places else None
        return super().type_around(place)

    def _bound(self, file: int, name: str) -> FoundPlaces | None:
        """The meaning of `name` in a file by `use` and `mod`, or as the name of a crate."""
        crates = self._crates
        if name in ("crate", "super"):
            target = crates.file.get(crates.absolute(file, -1, [name]) or ())
            return None if target is None else FoundPlaces((Place(target),), EXACT)
        wholes = []
        for statement in self.facts[file].imports:
            if statement.names is not None:
                wholes.append(statement)
            elif statement.form == "mod":
                if statement.module == name:
                    target = next((row for other, row in crates.import_targets(file) if other is statement), None)
                    return None if target is None else FoundPlaces((Place(target),), EXACT)
            elif name == (statement.aliases[0] if statement.aliases else statement.module.rpartition("::")[2]):
                return self._path(file, statement)
        for statement in wholes:
            module = self._path(file, statement)
            for place in module.places if module else ():
                hit = self.member(place, name) if place.file != file else None
                if hit:
                    return hit
        root = crates.roots.get(name)
        return None if root is None else FoundPlaces((Place(root),), EXACT)

    def _path(self, file: int, statement: Import) -> FoundPlaces | None:
        """The target of the whole path of a `use`."""
        return self._paths.find_or(None, (file, statement.scope, statement.module), self._path_of)

    def _path_of(self, key: tuple[int, int, str]) -> FoundPlaces | None:
        file, scope, module = key
        whole = self._crates.absolute(file, scope, module.split("::"))
        rest: list[str] = []
        while whole and whole not in self._crates.file:
            rest.insert(0, str(whole[-1]))
            whole = whole[:-1]
        if not whole:
            return None
        target = self._crates.file[whole]
        found: FoundPlaces | None = FoundPlaces((Place(target),), EXACT)
        inline = whole[len(self._crates.module[target]) :]
        for part in (*map(str, inline), *rest):
            found = self._step(found, part) if found else None
        return found
