"""What a Java file declares and names, read from its syntax tree, with the places of the names in its bytes.

JLS n: The Java Language Specification, Java SE 25 Edition, section n.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import tree_sitter_java
from tree_sitter import Language, Node, Parser

from cbvtool.apply.source import same_length

PRIVATE, PACKAGE, PROTECTED, PUBLIC = range(4)
_ACCESS = {"private": PRIVATE, "protected": PROTECTED, "public": PUBLIC}
_DECLARATIONS = frozenset(
    {
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration",
    }
)
_CALLABLE = frozenset({"method_declaration", "constructor_declaration", "compact_constructor_declaration"})
_PUBLIC_MEMBERS = frozenset({"interface_declaration", "annotation_type_declaration"})  # JLS 9.4
_DECLARES = frozenset({"formal_parameter", "catch_formal_parameter", "resource", "enhanced_for_statement"})
_GAPS = re.compile(rb"/\*.*?\*/|//[^\n]*|\s+", re.DOTALL)
_WORDS = re.compile(rb"[\w$\x80-\xff]+")
_PARSER = Parser(Language(tree_sitter_java.language()))


class NamePart(NamedTuple):
    """One name of a dotted name: bytes `start` up to `end`."""

    name: str
    start: int
    end: int


class DottedName(NamedTuple):
    """Names with dots between them, of which none stands before the first.

    scope    row in `JavaSource.scopes`
    is_type  whether it can only be a type, or a package and a type in it
    """

    parts: tuple[NamePart, ...]
    scope: int
    is_type: bool


class ImportLine(NamedTuple):
    """An import: the whole statement, and its name without `.*`."""

    start: int
    end: int
    parts: tuple[NamePart, ...]
    is_star: bool
    is_static: bool

    @property
    def name(self) -> str:
        """The dotted name."""
        return ".".join(part.name for part in self.parts)


class JavaMember(NamedTuple):
    """A method, constructor, field or type of a type.

    parameters  their number; -1 for fields and types
    more        whether the last one stands for any number
    types       names of types in its declaration, its body apart
    """

    name: str
    kind: str
    access: int
    parameters: int = -1
    more: bool = False
    types: frozenset[str] = frozenset()


class MemberUse(NamedTuple):
    """A name behind a dot, or a call.

    receiver   what stands before: empty = nothing, `this`, a simple name, `?name` = calls on what has the name, or `?`
    arguments  -1 = no call, -2 = a reference to a method
    """

    name: str
    receiver: str
    arguments: int
    scope: int


@dataclass
class TypeScope:
    """Part of a file in which names of types are declared.

    parent  row; -1 = the file
    names   type -> names of the types down to it from the top of the file; None = a type variable, or a local class
    bases   what the type extends and implements, as written; their members are seen here
    path    names of the types down to this one; None = it is not the body of one that has such names
    """

    parent: int
    names: dict[str, tuple[str, ...] | None] = field(default_factory=dict)
    bases: list[str] = field(default_factory=list)
    path: tuple[str, ...] | None = None


@dataclass(eq=False)
class DeclaredType:
    """A type that is no local one.

    access  its own one, or that of the types around it if that is less
    named   names of types in its head: bases, bounds, what it permits
    """

    path: tuple[str, ...]
    kind: str
    access: int
    scope: int
    is_sealed: bool
    named: frozenset[str] = frozenset()
    members: list[JavaMember] = field(default_factory=list)


@dataclass(eq=False)
class JavaSource:
    """A Java file.

    content    as it is on disk
    package    dotted; empty = the unnamed one
    at         bytes of the package's name; None = none is written
    first      byte of the first thing that is no comment
    variables  name -> the types that it is declared with, `<>` in place of type arguments; empty text = not known
    plain      names that stand alone
    words      all names in the position of a type
    comments   bytes of the comments
    broken     whether the grammar does not know some of its syntax
    """

    content: bytes
    package: str = ""
    at: tuple[int, int] | None = None
    first: int = 0
    imports: list[ImportLine] = field(default_factory=list)
    types: dict[tuple[str, ...], DeclaredType] = field(default_factory=dict)
    scopes: list[TypeScope] = field(default_factory=list)
    names: list[DottedName] = field(default_factory=list)
    variables: dict[str, set[str]] = field(default_factory=dict)
    uses: list[MemberUse] = field(default_factory=list)
    created: list[tuple[str, int]] = field(default_factory=list)
    plain: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    comments: list[tuple[int, int]] = field(default_factory=list)
    broken: bool = False
    exported: list[tuple[str, DottedName]] = field(default_factory=list)

    @property
    def line_end(self) -> str:
        """How its first line ends."""
        found = self.content.find(b"\n")
        return "\r\n" if found > 0 and self.content[found - 1 : found] == b"\r" else "\n"

    def text(self, start: int, end: int) -> str:
        """The bytes as text."""
        return self.content[start:end].decode("utf-8", "replace")


@lru_cache(maxsize=4_096)
def java_source(content: bytes) -> JavaSource:
    """The file with this content."""
    return _Reading(content).source


class TypeOutline(NamedTuple):
    """A type in short: types named in its head, and (name, types named) of each member that is not private."""

    name: str
    named: frozenset[str]
    members: tuple[tuple[str, frozenset[str]], ...]


@lru_cache(maxsize=20_000)
def java_outline(content: bytes) -> tuple[TypeOutline, ...]:
    """The types of a file that are not private, in short: of all files they take a small part of the memory."""
    return tuple(
        TypeOutline(
            one.path[-1],
            one.named,
            tuple((member.name, member.types) for member in one.members if member.types and member.access != PRIVATE)
            if one.access != PRIVATE
            else (),
        )
        for one in java_source(content).types.values()
    )


@lru_cache(maxsize=20_000)
def words_of(content: bytes) -> frozenset[str]:
    """All words of a file."""
    return frozenset(word.decode("utf-8", "replace") for word in _WORDS.findall(content))


@lru_cache(maxsize=20_000)
def java_head(content: bytes) -> tuple[str, tuple[tuple[str, int], ...]]:
    """The package of a file, and its types at the top with their access."""
    package, tops = "", []
    for node in _PARSER.parse(same_length(content)).root_node.named_children:
        if node.type == "package_declaration":
            package = ".".join(part.name for part in _parts(node.named_children[-1]) or ())
        elif node.type in _DECLARATIONS and (name := node.child_by_field_name("name")) is not None:
            tops.append((_text(name), _access(node, PACKAGE)))
    return package, tuple(tops)


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _parts(node: Node) -> tuple[NamePart, ...] | None:
    """The names of a dotted name; None = it is more than that."""
    found: list[NamePart] = []
    while node.type in ("scoped_identifier", "scoped_type_identifier", "field_access"):
        children = node.named_children
        children = [child for child in children if child.type not in ("line_comment", "block_comment")]
        if len(children) != 2 or children[1].type not in ("identifier", "type_identifier"):
            return None
        found.append(NamePart(_text(children[1]), children[1].start_byte, children[1].end_byte))
        node = children[0]
    if node.type not in ("identifier", "type_identifier"):
        return None
    found.append(NamePart(_text(node), node.start_byte, node.end_byte))
    return tuple(reversed(found))


def _access(node: Node, otherwise: int) -> int:
    words = next((child for child in node.named_children if child.type == "modifiers"), None)
    said = [_ACCESS[child.type] for child in words.children if child.type in _ACCESS] if words is not None else []
    return said[0] if said else otherwise


def _types_in(nodes: Iterable[Node | None]) -> frozenset[str]:
    """The names of types in some parts of a file."""
    found, todo = set(), [node for node in nodes if node is not None]
    while todo:
        node = todo.pop()
        if node.type == "type_identifier":
            found.add(_text(node))
        todo += node.named_children
    return frozenset(found)


def _typed(node: Node | None) -> str:
    """The same, with `<>` behind it if it has type arguments."""
    name = _erased(node)
    return f"{name}<>" if name and node is not None and node.type == "generic_type" else name


def _erased(node: Node | None) -> str:
    """The dotted name of a type as written; empty = it has none, as `int` and arrays."""
    if node is None:
        return ""
    if node.type == "generic_type":
        node = node.named_children[0]
    parts = _parts(node)
    return ".".join(part.name for part in parts) if parts else ""


class _Reading:
    """Reads one file, from the top of its syntax tree down."""

    def __init__(self, content: bytes) -> None:
        root = _PARSER.parse(same_length(content)).root_node
        self.source = JavaSource(content, broken=root.has_error)
        self._todo: list[tuple[Node, int]] = []
        self.source.scopes.append(TypeScope(-1, path=()))
        first = next((node for node in root.named_children if "comment" not in node.type), None)
        self.source.first = first.start_byte if first is not None else len(content)
        self._todo = [(node, 0) for node in reversed(root.named_children)]
        while self._todo:
            self._read(*self._todo.pop())

    def _read(self, node: Node, scope: int) -> None:
        kind = node.type
        if kind in _DECLARATIONS:
            self._type(node, scope)
        elif kind in _CALLABLE:
            self._callable(node, scope)
        elif (reads := getattr(self, f"_{kind}", None)) is not None:
            reads(node, scope)
        else:
            self._below(node, scope)

    def _below(self, node: Node, scope: int) -> None:
        self._todo += [(child, scope) for child in reversed(node.named_children)]

    def _scope(self, **fields: object) -> int:
        self.source.scopes.append(TypeScope(**fields))  # type: ignore[arg-type]  # as TypeScope names them
        return len(self.source.scopes) - 1

    # -- the head

    def _package_declaration(self, node: Node, scope: int) -> None:
        name = node.named_children[-1]
        parts = _parts(name) or ()
        self.source.package = ".".join(part.name for part in parts)
        self.source.at = name.start_byte, name.end_byte
        self._todo += [(child, scope) for child in node.named_children[:-1]]

    def _import_declaration(self, node: Node, scope: int) -> None:
        names = [child for child in node.named_children if child.type in ("scoped_identifier", "identifier")]
        parts = _parts(names[0]) if names else None
        if parts is None:
            self.source.broken = True
            return
        kinds = {child.type for child in node.children}
        found = ImportLine(node.start_byte, node.end_byte, parts, "asterisk" in kinds, "static" in kinds)
        self.source.imports.append(found)

    def _line_comment(self, node: Node, scope: int) -> None:
        self.source.comments.append((node.start_byte, node.end_byte))

    _block_comment = _line_comment

    def _exports_module_directive(self, node: Node, scope: int) -> None:
        parts = _parts(node.child_by_field_name("package") or node)
        if parts is not None:
            self.source.exported.append((node.type.partition("_")[0], DottedName(parts, scope, is_type=False)))

    _opens_module_directive = _exports_module_directive

    def _requires_module_directive(self, node: Node, scope: int) -> None:
        """Names modules alone."""

    def _module_declaration(self, node: Node, scope: int) -> None:
        body = node.child_by_field_name("body")
        if body is not None:
            self._below(body, scope)

    # -- declarations

    def _type(self, node: Node, scope: int) -> None:
        name = _text(node.child_by_field_name("name") or node)
        around = self.source.scopes[scope]
        path = (*around.path, name) if around.path is not None else None
        around.names.setdefault(name, path)
        head = self._scope(parent=scope)
        bases = [
            _erased(base)
            for part in node.named_children
            if part.type in ("superclass", "super_interfaces", "extends_interfaces")
            for child in part.named_children
            for base in (child.named_children if child.type == "type_list" else [child])
        ]
        body = self._scope(parent=head, bases=[base for base in bases if base], path=path)
        if path is not None:
            outer = self.source.types.get(path[:-1])
            within = PUBLIC if outer is None else outer.access
            implied = PUBLIC if outer is not None and outer.kind in _PUBLIC_MEMBERS else PACKAGE
            own = _access(node, implied)
            permits = any(child.type == "permits" for child in node.named_children) or self._is_sealed(node)
            named = _types_in(child for child in node.named_children if "body" not in child.type)
            self.source.types[path] = DeclaredType(path, node.type, min(own, within), body, permits, named)
            if outer is not None:
                outer.members.append(JavaMember(name, "type", own))
            if node.type == "record_declaration":
                self._record_members(node, self.source.types[path])
        for child in reversed(node.named_children):
            if child.type == "type_parameters":
                self._variables_of(child, head)
            if child.type != "identifier":
                self._todo.append((child, body if "body" in child.type else head))

    @staticmethod
    def _is_sealed(node: Node) -> bool:
        words = next((child for child in node.named_children if child.type == "modifiers"), None)
        return words is not None and any(child.type == "sealed" for child in words.children)

    @staticmethod
    def _record_members(node: Node, owner: DeclaredType) -> None:
        parameters = node.child_by_field_name("parameters")
        names = [child.child_by_field_name("name") for child in parameters.named_children] if parameters else []
        types = _types_in([parameters])
        owner.members += [
            JavaMember(_text(name), "method", PUBLIC, 0, types=types) for name in names if name is not None
        ]
        owner.members.append(JavaMember(owner.path[-1], "constructor", owner.access, len(names)))

    def _variables_of(self, node: Node, scope: int) -> None:
        """The type variables of a type or method."""
        for child in node.named_children:
            if child.type == "type_parameter" and (
                name := next((one for one in child.named_children if one.type == "type_identifier"), None)
            ):
                self.source.scopes[scope].names[_text(name)] = None

    def _callable(self, node: Node, scope: int) -> None:
        inner = self._scope(parent=scope)
        for child in node.named_children:
            if child.type == "type_parameters":
                self._variables_of(child, inner)
        owner = self._owner(scope)
        name = node.child_by_field_name("name")
        parameters = node.child_by_field_name("parameters")
        if owner is not None and name is not None:
            listed = [
                child
                for child in (parameters.named_children if parameters is not None else ())
                if child.type in ("formal_parameter", "spread_parameter")
            ]
            kind = "method" if node.type == "method_declaration" else "constructor"
            more = any(child.type == "spread_parameter" for child in listed)
            count = len(listed)
            if node.type != "compact_constructor_declaration":
                types = _types_in(
                    child for child in node.named_children if "body" not in child.type and child.type != "block"
                )
                member = JavaMember(_text(name), kind, self._member_access(node, owner), count, more, types)
                owner.members.append(member)
        self._todo += [(child, inner) for child in reversed(node.named_children) if child != name]

    def _member_access(self, node: Node, owner: DeclaredType) -> int:
        return _access(node, PUBLIC if owner.kind in _PUBLIC_MEMBERS else PACKAGE)

    def _owner(self, scope: int) -> DeclaredType | None:
        path = self.source.scopes[scope].path
        return self.source.types.get(path) if path else None

    def _field_declaration(self, node: Node, scope: int) -> None:
        owner = self._owner(scope)
        for child in node.named_children:
            if child.type == "variable_declarator" and owner is not None:
                name = child.child_by_field_name("name")
                access, types = self._member_access(node, owner), _types_in([node.child_by_field_name("type")])
                owner.members.append(JavaMember(_text(name or child), "field", access, types=types))
        self._declared(node, scope)

    _constant_declaration = _field_declaration

    def _enum_constant(self, node: Node, scope: int) -> None:
        owner, name = self._owner(scope), node.child_by_field_name("name")
        if owner is not None and name is not None:
            owner.members.append(JavaMember(_text(name), "field", PUBLIC))
            self.source.variables.setdefault(_text(name), set())
        for child in reversed(node.named_children):
            if child.type == "class_body":
                self._todo.append((child, self._scope(parent=scope)))
            elif child != name:
                self._todo.append((child, scope))

    def _declared(self, node: Node, scope: int) -> None:
        """Variables with their type: fields and local ones."""
        type_ = _typed(node.child_by_field_name("type"))
        for child in reversed(node.named_children):
            if child.type == "variable_declarator":
                self._variable(child.child_by_field_name("name"), type_ if type_ != "var" else "")
                value = child.child_by_field_name("value")
                self._todo += [(value, scope)] if value is not None else []
            else:
                self._todo.append((child, scope))

    _local_variable_declaration = _declared

    def _variable(self, name: Node | None, type_: str) -> None:
        if name is not None:
            self.source.variables.setdefault(_text(name), set()).add(type_)

    def _formal_parameter(self, node: Node, scope: int) -> None:
        name = node.child_by_field_name("name")
        type_ = _typed(node.child_by_field_name("type"))
        self._variable(name, "" if type_ == "var" or node.child_by_field_name("dimensions") else type_)
        self._todo += [(child, scope) for child in reversed(node.named_children) if child != name]

    _catch_formal_parameter = _resource = _enhanced_for_statement = _formal_parameter

    def _spread_parameter(self, node: Node, scope: int) -> None:
        for child in reversed(node.named_children):
            if child.type == "variable_declarator":
                self._variable(child.child_by_field_name("name"), "")
            else:
                self._todo.append((child, scope))

    def _inferred_parameters(self, node: Node, scope: int) -> None:
        for child in node.named_children:
            self._variable(child, "")

    def _lambda_expression(self, node: Node, scope: int) -> None:
        parameters = node.child_by_field_name("parameters")
        if parameters is not None and parameters.type == "identifier":
            self._variable(parameters, "")
        self._todo += [
            (child, scope)
            for child in reversed(node.named_children)
            if child != parameters or parameters.type != "identifier"
        ]

    def _type_pattern(self, node: Node, scope: int) -> None:
        *types, name = node.named_children
        self._variable(name, _typed(types[-1]) if types else "")
        self._todo += [(child, scope) for child in reversed(types)]

    _record_pattern_component = _type_pattern

    def _instanceof_expression(self, node: Node, scope: int) -> None:
        name = node.child_by_field_name("name")
        self._variable(name, _typed(node.child_by_field_name("right")))
        self._todo += [(child, scope) for child in reversed(node.named_children) if child != name]

    # -- names

    def _type_identifier(self, node: Node, scope: int) -> None:
        name = NamePart(_text(node), node.start_byte, node.end_byte)
        self.source.words.add(name.name)
        self.source.names.append(DottedName((name,), scope, is_type=True))

    def _scoped_type_identifier(self, node: Node, scope: int) -> None:
        parts = _parts(node)
        if parts is not None:
            self.source.words.update(part.name for part in parts)
            self.source.names.append(DottedName(parts, scope, is_type=True))
            return
        last = [child for child in node.named_children if child.type == "type_identifier"]
        self.source.words.update(_text(child) for child in last)
        self._todo += [(child, scope) for child in reversed(node.named_children) if child.type != "type_identifier"]

    def _scoped_identifier(self, node: Node, scope: int) -> None:
        parts = _parts(node)
        if parts is not None:
            self.source.names.append(DottedName(parts, scope, is_type=True))

    def _field_access(self, node: Node, scope: int) -> None:
        object_, field_ = node.child_by_field_name("object"), node.child_by_field_name("field")
        parts = _parts(node)
        if parts is not None:
            self.source.names.append(DottedName(parts, scope, is_type=False))
            self.source.uses += [
                MemberUse(part.name, parts[0].name if number == 1 else "?", -1, scope)
                for number, part in enumerate(parts)
                if number
            ]
            return
        if object_ is not None and field_ is not None:
            if field_.type == "identifier":
                self.source.uses.append(MemberUse(_text(field_), self._receiver(object_), -1, scope))
            self._object(object_, scope)
            self._todo += [(child, scope) for child in node.named_children if child not in (object_, field_)]

    def _object(self, node: Node, scope: int) -> None:
        """What stands before a dot."""
        if node.type == "identifier":
            part = NamePart(_text(node), node.start_byte, node.end_byte)
            self.source.names.append(DottedName((part,), scope, is_type=False))
            self.source.plain.add(part.name)
        else:
            self._todo.append((node, scope))

    @staticmethod
    def _receiver(node: Node) -> str:
        if node.type == "identifier":
            return _text(node)
        if node.type in ("this", "super"):
            return "this"
        while node.type == "method_invocation" and (before := node.child_by_field_name("object")) is not None:
            node = before
        return f"?{_text(node)}" if node.type == "identifier" else "?"

    def _method_invocation(self, node: Node, scope: int) -> None:
        object_, name = node.child_by_field_name("object"), node.child_by_field_name("name")
        arguments = node.child_by_field_name("arguments")
        count = self._count(arguments)
        if name is not None:
            receiver = "" if object_ is None else self._receiver(object_)
            self.source.uses.append(MemberUse(_text(name), receiver, count, scope))
        if object_ is not None:
            self._object(object_, scope)
        self._todo += [(child, scope) for child in node.named_children if child not in (object_, name)]

    @staticmethod
    def _count(arguments: Node | None) -> int:
        children = arguments.named_children if arguments is not None else []
        return sum("comment" not in child.type for child in children)

    def _method_reference(self, node: Node, scope: int) -> None:
        first, *rest = node.named_children
        for child in rest:
            if child.type == "identifier":
                self.source.uses.append(MemberUse(_text(child), self._receiver(first), -2, scope))
            else:
                self._todo.append((child, scope))
        if first.type in ("type_identifier", "scoped_type_identifier", "generic_type", "identifier", "field_access"):
            self.source.created.append((".".join(p.name for p in _parts(first) or ()) or "?", -2))
        self._object(first, scope)

    def _object_creation_expression(self, node: Node, scope: int) -> None:
        type_ = node.child_by_field_name("type")
        count = self._count(node.child_by_field_name("arguments"))
        name = _erased(type_)
        self.source.created.append((name, count))
        is_inner = bool(node.children) and node.children[0].type not in ("new", "marker_annotation", "annotation")
        for child in reversed(node.named_children):
            if child.type == "class_body":
                self._todo.append((child, self._scope(parent=scope, bases=[name] if name else [])))
            elif child == type_ and is_inner and type_.type == "type_identifier":
                self.source.words.add(name)
            else:
                self._todo.append((child, scope))

    def _marker_annotation(self, node: Node, scope: int) -> None:
        name = node.child_by_field_name("name")
        if name is not None and (parts := _parts(name)) is not None:
            self.source.words.add(parts[-1].name)
            self.source.names.append(DottedName(parts, scope, is_type=True))
        self._todo += [(child, scope) for child in node.named_children if child != name]

    _annotation = _marker_annotation

    def _record_pattern(self, node: Node, scope: int) -> None:
        first, *rest = node.named_children
        if first.type == "identifier":
            self._type_identifier(first, scope)
        else:
            self._todo.append((first, scope))
        self._todo += [(child, scope) for child in rest]

    def _identifier(self, node: Node, scope: int) -> None:
        self.source.plain.add(_text(node))
