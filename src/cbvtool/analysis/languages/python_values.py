"""What Python expressions may be the value of: functions, classes, objects, modules. Nothing is executed.

A name is looked up as Python does it (local, enclosing, global), through imports, re-exports and `__init__` files; a
variable has the values that are assigned to it anywhere in its scope; a parameter those that it is given below the
folder, a result what the function returns; annotations go before all of these. Attributes follow the method
resolution order (C3). It is asked for only as far as a use needs it, and everything is remembered.
"""

from __future__ import annotations

import ast
import builtins
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from cbvtool.analysis.facts import ASSIGN, DECLARE, INHERIT, REFER, Definition, FileFacts, Import, Use
from cbvtool.analysis.languages.python_uses import parameters
from cbvtool.analysis.resolution import Place

_MOST = 12  # values of one expression; with more, nothing is known about it
_DEEPEST = 80  # steps from one expression to another: real chains have a few
_LONGEST = 5_000  # and in all: what is looked for further is not worth the time
_ROUNDS = 4  # a function given to a function that gives it on: real chains are short
_CLASS_METHODS = ("classmethod", "__new__", "__init_subclass__", "__class_getitem__")
_GIVEN = ("class", "function", "method", "object")
_TAKING_OUT = frozenset({"get", "pop", "setdefault", "popleft", "popitem"})
_WHOLE = frozenset({"values", "copy"})
_EITHER = frozenset({"Optional", "Union", "Annotated", "ClassVar", "Final", "Required", "NotRequired", "InitVar",
                     "Awaitable", "Coroutine", "ContextManager", "AsyncContextManager"})  # fmt: skip
_MAPPINGS = frozenset({"dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "DefaultDict", "OrderedDict"})
_SEQUENCES = frozenset({
    "list", "List", "set", "Set", "frozenset", "FrozenSet", "tuple", "Tuple", "Sequence", "MutableSequence", "Iterable",
    "Iterator", "Collection", "AbstractSet", "deque", "Deque", "Generator", "AsyncIterator", "AsyncIterable",
    "AsyncGenerator",
})  # fmt: skip


class Value(NamedTuple):
    """One thing that an expression may be.

    kind   `function`, `class` (as such), `method` (a function that has its first argument), `object` (of a class),
           `module`, `super` (what a class inherits), `box` (a container that is written at `text`), `boxed` (a
           container whose elements have the annotated type `text`), `element` (what takes elements out of those),
           `results` (what iterating over the call of a generator gives)
    place  of the definition, or the scope that `text` is to be read in
    """

    kind: str
    place: Place
    text: str = ""


Values = tuple[Value, ...]
Arguments = tuple[tuple[str, Values], ...]  # parameter, what it is given
Scope = Place


@lru_cache(1 << 16)
def parsed(text: str) -> ast.expr | None:
    """The expression `text`; None when it is none."""
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


@lru_cache(1 << 14)
def _signature(text: str) -> tuple[tuple[str, str, str], ...]:
    """Name with stars, annotation and default of each parameter."""
    return tuple(
        (name.decode(), annotation.decode(), default.decode())
        for name, annotation, default in parameters(text.encode())
    )


@lru_cache(1 << 14)
def _parameter_names(text: str) -> frozenset[str]:
    return frozenset(name.lstrip("* ") for name, _, _ in _signature(text))


class Written(NamedTuple):
    """An expression, and where it is to be read."""

    scope: Scope
    text: str
    line: int


class Assigned(NamedTuple):
    """What a variable holds from `line` on, always or if the control structure around is entered."""

    text: str
    line: int
    always: bool


class World:
    """All definitions, and what may be known of values.

    imported  (file, statement, name) -> files that the name, or with name None the module, is; the names' module is
              file -1 - file when the name is in it
    child     (file, name) -> file of a submodule of the package at `file`; None = there is none
    """

    def __init__(
        self, facts: Mapping[int, FileFacts],
        modules_of: Callable[[int, Import], tuple[int, ...]],
        child: Callable[[int, str], int | None],
    ) -> None:  # fmt: skip
        self.facts, self.modules_of, self.child = facts, modules_of, child
        self.members: dict[Place, dict[str, list[Place]]] = defaultdict(dict)
        self.methods: dict[str, list[Place]] = defaultdict(list)  # functions in classes, by name
        self.bound: dict[Place, dict[str, list[tuple[Import, str]]]] = defaultdict(dict)  # by imports
        self.dotted: dict[int, dict[str, Import]] = defaultdict(dict)  # `import a.b`
        self.stars: dict[int, list[Import]] = defaultdict(list)
        self.assigned: dict[Place, dict[str, list[Assigned]]] = defaultdict(dict)
        self.attributes: dict[Place, dict[str, list[Written]]] = defaultdict(dict)  # of objects of a class
        self.declared: dict[Place, dict[str, str]] = defaultdict(dict)
        self.results: dict[Place, list[Written]] = defaultdict(list)
        self.yielded: dict[Place, list[Written]] = defaultdict(list)
        self.decorators: dict[Place, list[str]] = defaultdict(list)
        self.signatures: dict[Place, str] = {}
        self.base_texts: dict[Place, list[str]] = defaultdict(list)
        self.derived: dict[Place, list[Place]] = defaultdict(list)
        self.given: dict[tuple[Place, str], list[Written | Value]] = defaultdict(list)
        self._arguments: list[tuple[Place, Use]] = []
        self._orders: dict[Place, tuple[Place, ...]] = {}
        self._known: dict[tuple[object, ...], Values] = {}
        self._variables: dict[tuple[Place, str], bool] = {}
        self._unbound: set[tuple[object, ...]] = set()
        self._stack: dict[tuple[object, ...], int] = {}
        self._lowest = 0
        self._depth = 0
        self._steps = 0
        self._here: tuple[Place, int] | None = None  # scope and line that a name is asked for in, where it matters
        self._call_of: tuple[Place, Arguments] | None = None  # whose result is asked for
        for file, found in facts.items():
            self._read(file, found)
        for place in list(self.base_texts):
            for base in self.bases(place):
                self.derived[base].append(place)
        self._hand_over()

    def _read(self, file: int, found: FileFacts) -> None:
        definitions = found.definitions
        for row, definition in enumerate(definitions):
            place, parent = Place(file, row), Place(file, definition.parent)
            self.members[parent].setdefault(definition.name, []).append(place)
            if (
                definition.kind == "function"
                and definition.parent >= 0
                and definitions[definition.parent].kind == "class"
            ):
                self.methods[definition.name].append(place)
        for statement in found.imports:
            scope = Place(file, statement.scope)
            if statement.names is None:
                if statement.aliases:
                    self.bound[scope].setdefault(statement.aliases[0], []).append((statement, ""))
                else:
                    self.dotted[file][statement.module] = statement
            elif statement.names == ("*",):
                self.stars[file].append(statement)
            else:
                for name, alias in zip(statement.names, statement.aliases or statement.names, strict=True):
                    self.bound[scope].setdefault(alias, []).append((statement, name))
        for use in found.uses.unpack():
            scope = Place(file, use.scope)
            if use.kind == ASSIGN:
                self._note(scope, use.name, use.other, use.line)
            elif use.kind == DECLARE:
                if use.name == "()":
                    self.signatures[scope] = use.other
                else:
                    holder, name = self._holder(scope, use.name)
                    self.declared[holder].setdefault(name, use.other)
            elif use.kind == INHERIT:
                self.base_texts[scope].append(use.name)
            elif use.kind == REFER and use.other:
                self._arguments.append((scope, use))

    def _note(self, scope: Place, target: str, text: str, line: int) -> None:
        name = target.removeprefix("?")
        if name == "()":
            self.results[scope].append(Written(scope, text, line))
        elif name == "()[]":
            self.yielded[scope].append(Written(scope, text, line))
        elif name == "@":
            self.decorators[scope].append(text)
        elif ("," in name or name[:1] in "([") and isinstance(names := parsed(name), ast.Tuple | ast.List):
            for inner, path in _unpacked(names, text):
                self._note(scope, inner if name == target else f"?{inner}", path, line)
        else:
            base, is_element, _ = name.partition("[")
            if is_element:
                text = _table(name, text)
            holder = self.class_around(scope) if base.startswith("self.") else None
            if holder is not None:
                self.attributes[holder].setdefault(base[5:], []).append(Written(scope, text, line))
            else:
                always = name == target and not is_element
                self.assigned[scope].setdefault(base, []).append(Assigned(text, line, always))

    def _holder(self, scope: Place, name: str) -> tuple[Place, str]:
        """Where a variable lives: in the class, if it is `self.x`."""
        if name.startswith("self."):
            return self.class_around(scope) or scope, name[5:]
        return scope, name

    # -- definitions -------------------------------------------------------------------------------------------

    def definition(self, place: Place) -> Definition:
        """The definition at `place`, which is not a file."""
        return self.facts[place.file].definitions[place.definition]

    def around(self, place: Place) -> Iterator[Place]:
        """`place`, the definitions around it, innermost first, and its file."""
        while place.definition >= 0:
            yield place
            place = Place(place.file, self.definition(place).parent)
        yield place

    def parent(self, place: Place) -> Place:
        """The scope that `place` is defined in."""
        return Place(place.file, self.definition(place).parent)

    def is_class(self, place: Place) -> bool:
        """Whether a class is there."""
        return place.definition >= 0 and self.definition(place).kind == "class"

    def class_around(self, place: Place) -> Place | None:
        """The innermost class that `place` is or lies in."""
        return next((at for at in self.around(place) if self.is_class(at)), None)

    def is_decorated(self, place: Place, *names: str) -> bool:
        """Whether one of the decorators is called like that, whatever it is imported as."""
        return any(text.partition("(")[0].rpartition(".")[2] in names for text in self.decorators.get(place, ()))

    def is_property(self, place: Place) -> bool:
        """Whether reading the attribute calls the function at `place`."""
        return any(
            "property" in (last := text.rpartition(".")[2]) or last in ("getter", "setter", "deleter")
            for text in self.decorators.get(place, ())
        )

    def own(self, place: Place, name: str) -> list[Place]:
        """Definitions called `name` in `place`; of overloads the one that is run, of a property the one that reads."""
        places = self.members[place].get(name, []) if place in self.members else []
        if len(places) > 1:
            places = [
                at for at in places if not self.is_decorated(at, "overload", "setter", "deleter", "register")
            ] or places[-1:]
        return places

    def bases(self, place: Place) -> list[Place]:
        """The classes that the class at `place` names as its bases, as far as they are below the folder."""
        found: list[Place] = []
        for text in self.base_texts.get(place, ()):
            hits = [value.place for value in self.read(self.parent(place), text) if value.kind == "class"]
            found += [base for base in hits if base != place and base not in found]
        return found

    def has_unknown_base(self, place: Place) -> bool:
        """Whether a class inherits from something that is not below the folder."""
        return any(
            text not in ("object", "Generic", "Protocol", "ABC") and not self.read(self.parent(at), text)
            for at in self.order(place) for text in self.base_texts.get(at, ())
        )  # fmt: skip

    def order(self, place: Place) -> tuple[Place, ...]:
        """Method resolution order (C3); where there is none, bases from left to right."""
        known = self._orders.get(place)
        if known is None:
            self._orders[place] = (place,)  # a class that inherits from itself is somebody's mistake
            bases = self.bases(place)
            known = self._orders[place] = (place, *_merged([*(list(self.order(base)) for base in bases), bases]))
        return known

    # -- names -------------------------------------------------------------------------------------------------

    def read(self, scope: Scope, text: str, line: int = 0) -> Values:
        """What the expression `text` may be in `scope`, at `line` of it; 0 = at any."""
        node = parsed(text)
        if node is None:
            return ()
        if not self._stack:
            self._steps = 0
        before, self._here = self._here, (scope, line) if line and scope in self.assigned else None
        try:
            return self._remember(("text", scope, text, self._here), lambda: self.value(scope, node))
        finally:
            self._here = before

    def name(self, scope: Scope, name: str) -> Values:
        """What a name without dots may be in `scope`."""
        for at in self.around(scope):
            if at != scope and self.is_class(at):
                continue  # the names in a class are not those of its methods
            found = self.binding(at, name)
            if found is not None:
                return found
        return self._starred(scope.file, name)

    def binding(self, at: Place, name: str) -> Values | None:
        """What `name` may be by what stands directly in `at`; None = it is not bound there."""
        texts: Sequence[Assigned] = self.assigned[at].get(name, ()) if at in self.assigned else ()
        if len(texts) > 1 and self._here is not None and self._here[0] == at:
            texts = _reaching(texts, self._here[1])
        key = ("name", at, name, *(assigned.line for assigned in texts))
        known = self._known.get((self._call_of, *key))
        if known is not None:
            return known
        if key in self._unbound:
            return None
        is_parameter = at in self.signatures and name in _parameter_names(self.signatures[at])
        definitions = self.own(at, name)
        imports = self.bound[at].get(name, ()) if at in self.bound else ()
        declared = self.declared[at].get(name) if at in self.declared else None
        dotted = at.definition < 0 and name in self.tops(at.file)
        if not (is_parameter or definitions or imports or texts or declared or dotted):
            self._unbound.add(key)
            return None
        return self._remember(
            key,
            lambda: self._bound(at, name, is_parameter, definitions, imports, texts, declared),
        )

    def _bound(
        self, at: Place, name: str, is_parameter: bool, definitions: list[Place],
        imports: Sequence[tuple[Import, str]], texts: Sequence[Assigned], declared: str | None,
    ) -> Values:  # fmt: skip
        if declared and (typed := self.types(at, declared)):
            return typed
        found = [Value("class" if self.is_class(place) else "function", place) for place in definitions]
        if is_parameter:
            found += self.parameter(at, name)
        for statement, original in imports:
            found += self.imported(at.file, statement, original)
        for text, line, _ in texts:
            found += self.read(at, text, line)
        if not found and at.definition < 0:
            top = self.modules_of(at.file, Import(name, 0, None, 0)) if name in self.tops(at.file) else ()
            found += [Value("module", Place(file, -1)) for file in top]
        return _few(found)

    def tops(self, file: int) -> set[str]:
        """First names of the dotted modules that `file` imports."""
        return {module.partition(".")[0] for module in self.dotted[file]} if file in self.dotted else set()

    def imported(self, file: int, statement: Import, name: str) -> Values:
        """What an import in `file` binds: `name` of a module, or with an empty name the module."""
        modules = self.modules_of(file, statement._replace(names=None, aliases=()))
        if not name:
            return tuple(Value("module", Place(module, -1)) for module in modules)
        found: list[Value] = []
        for module in modules:
            found += self._in_module(module, name) if module in self.facts else ()
        if not found:
            targets = self.modules_of(file, statement._replace(names=(name,), aliases=()))
            found = [Value("module", Place(module, -1)) for module in targets if module not in modules]
        return _few(found)

    def _in_module(self, file: int, name: str) -> Values:
        """The attribute `name` of a module."""
        found = self.binding(Place(file, -1), name)
        if found is None:
            found = self._starred(file, name)
        if not found:
            child = self.child(file, name)
            found = (Value("module", Place(child, -1)),) if child is not None else ()
        return found

    def _starred(self, file: int, name: str) -> Values:
        if file not in self.stars:
            return ()
        return self._remember(("star", Place(file, -1), name), lambda: self._from_stars(file, name))

    def _from_stars(self, file: int, name: str) -> Values:
        for statement in reversed(self.stars[file]):
            for module in self.modules_of(file, statement._replace(names=None, aliases=())):
                if self._is_public(module, name) and (found := self._in_module(module, name)):
                    return found
        return ()

    def _is_public(self, file: int, name: str) -> bool:
        """Whether `from module import *` takes `name`."""
        lists = self.assigned.get(Place(file, -1), {}).get("__all__", ())
        listed = parsed(lists[0].text) if lists else None
        if isinstance(listed, ast.List | ast.Tuple):
            return any(isinstance(part, ast.Constant) and part.value == name for part in listed.elts)
        return file in self.facts and not name.startswith("_")

    def parameters(self, place: Place) -> tuple[tuple[str, str, str], ...]:
        """Name, annotation and default of each parameter of the function at `place`."""
        return _signature(self.signatures.get(place, ""))

    def parameter(self, place: Place, name: str) -> Values:
        """What a parameter of the function at `place` may be."""
        outside = self.parent(place)
        given_here = dict(self._call_of[1]) if self._call_of and self._call_of[0] == place else {}
        for row, (word, annotation, default) in enumerate(self.parameters(place)):
            if word != name:
                continue
            if row == 0 and self.is_class(outside) and not self.is_decorated(place, "staticmethod"):
                of_class = self.is_decorated(place, "classmethod") or self.definition(place).name in _CLASS_METHODS
                return (Value("class" if of_class else "object", outside),)
            if annotation and (typed := self.types(outside, annotation)):
                return typed
            if name in given_here:
                return given_here[name]
            found = list(self.read(outside, default)) if default else []
            for given in () if self._call_of else self.given.get((place, name), ()):
                found += (given,) if isinstance(given, Value) else self.read(*given)
                if len(set(found)) > _MOST:
                    break
            return _few(found)
        return ()

    def holds_values(self, at: Place, name: str) -> bool:
        """Whether `name` is a variable, or imported as one, in the scope `at`."""
        known = self._variables.get((at, name))
        if known is None:
            self._variables[at, name] = False  # a package may import itself
            known = self._variables[at, name] = self._holds_values(at, name)
        return known

    def _holds_values(self, at: Place, name: str) -> bool:
        if at in self.assigned and name in self.assigned[at]:
            return True
        if at in self.signatures and name in _parameter_names(self.signatures[at]):
            return True
        for statement, original in self.bound[at].get(name, ()) if at in self.bound else ():
            for module in self.modules_of(at.file, statement._replace(names=None, aliases=())):
                if original and module in self.facts and self.holds_values(Place(module, -1), original):
                    return True
        return False

    def name_is_builtin(self, scope: Scope, name: str) -> bool:
        """Whether `name` is one of Python's own, and nothing here hides it."""
        return hasattr(builtins, name) and all(self.binding(at, name) is None for at in self.around(scope))

    def is_outside(self, scope: Place, node: ast.expr) -> bool:
        """Whether an expression certainly is nothing of the project: of an imported package, or of an own class."""
        while isinstance(node, ast.Attribute | ast.Call | ast.Subscript | ast.Await):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super":
                return True
            if not isinstance(node, ast.Await) and self.value(scope, node):
                return True
            node = node.func if isinstance(node, ast.Call) else node.value
        if not isinstance(node, ast.Name):
            return True
        if self.value(scope, node):
            return True  # what it is is known, and does not have the member
        if node.id in self.tops(scope.file) or self.name_is_builtin(scope, node.id):
            return True
        return any(node.id in self.bound[at] for at in self.around(scope) if at in self.bound)

    # -- expressions -------------------------------------------------------------------------------------------

    def value(self, scope: Scope, node: ast.expr) -> Values:
        """What an expression may be."""
        self._steps += 1
        if self._depth > _DEEPEST or self._steps > _LONGEST:
            return ()
        self._depth += 1
        try:
            return self._value(scope, node)
        finally:
            self._depth -= 1

    def _value(self, scope: Scope, node: ast.expr) -> Values:
        match node:
            case ast.Name():
                return self.name(scope, node.id)
            case ast.Attribute():
                return self._attribute(scope, node)
            case ast.Call():
                return self._call(scope, node)
            case ast.Subscript():
                return _few(
                    found for base in self.value(scope, node.value) for found in self._element(scope, base, node.slice)
                )
            case ast.Await() | ast.NamedExpr() | ast.Starred():
                return self.value(scope, node.value)
            case ast.IfExp():
                return _few([*self.value(scope, node.body), *self.value(scope, node.orelse)])
            case ast.BoolOp():
                return _few(found for inner in node.values for found in self.value(scope, inner))
            case (
                ast.List() | ast.Tuple() | ast.Set() | ast.Dict() | ast.ListComp() | ast.SetComp() | ast.GeneratorExp()
            ):
                return (Value("box", scope, _text(node)),)
        return ()

    def _attribute(self, scope: Scope, node: ast.Attribute) -> Values:
        dotted = _dotted(node)
        if dotted and scope.file in self.dotted and dotted in self.dotted[scope.file]:
            modules = self.modules_of(scope.file, self.dotted[scope.file][dotted])
            return tuple(Value("module", Place(module, -1)) for module in modules)
        return _few(found for base in self.value(scope, node.value) for found in self.attribute(base, node.attr))

    def attribute(self, of: Value, name: str) -> Values:
        """What the attribute `name` of `of` may be; what a property gives in its place."""
        found = self.member(of, name)
        if of.kind in ("object", "super") or any(value.kind == "property" for value in found):
            return _few(
                inner for value in found
                for inner in (self.result(value._replace(kind="method")) if value.kind == "property" else (value,))
            )  # fmt: skip
        return found

    def member(self, of: Value, name: str) -> Values:
        """The same with a property itself, kind `property`."""
        return self._remember(("member", of, name), lambda: self._member(of, name))

    def _member(self, of: Value, name: str) -> Values:
        match of.kind:
            case "module":
                return self._in_module(of.place.file, name) if of.place.file in self.facts else ()
            case "object" | "class" | "super":
                is_object = of.kind != "class"
                for at in self.order(of.place)[of.kind == "super" :]:
                    if found := self._slot(at, name, is_object):
                        return found
                if of.kind != "super" and not self.has_unknown_base(of.place):
                    return _few(found for at in self._below(of.place) for found in self._slot(at, name, is_object))
            case "box" | "boxed" | "results":
                if name in _TAKING_OUT or name in ("__enter__", "__next__", "__aenter__"):
                    return (of._replace(kind="element", text=f"{of.kind} {of.text}"),)
                if name in _WHOLE:
                    return (of._replace(kind="whole", text=f"{of.kind} {of.text}"),)
        return ()

    def _below(self, place: Place) -> list[Place]:
        """Classes that inherit from the one at `place`, directly or not."""
        found: dict[Place, None] = {}
        todo = [place]
        while todo and len(found) < _MOST:
            new = [at for at in self.derived.get(todo.pop(), ()) if at not in found]
            found.update(dict.fromkeys(new))
            todo += new
        return list(found)

    def _slot(self, at: Place, name: str, is_object: bool) -> Values:
        """The attribute `name` by the class at `at` alone."""
        found: list[Value] = []
        if is_object:
            declared = self.declared[at].get(name) if at in self.declared else None
            if declared and (typed := self.types(at, declared)):
                return typed
            for written in self.attributes[at].get(name, ()) if at in self.attributes else ():
                found += self.read(*written)
        if found:
            return _few(found)
        for value in self.binding(at, name) or ():
            if value.kind == "function":
                if self.is_property(value.place):
                    found.append(value._replace(kind="property"))
                elif self.is_decorated(value.place, "staticmethod"):
                    found.append(value)
                else:
                    is_method = is_object or self.is_decorated(value.place, "classmethod")
                    found.append(value._replace(kind="method" if is_method else "function"))
            else:
                found.append(value)
        return _few(found)

    def _call(self, scope: Scope, node: ast.Call) -> Values:
        callee = node.func
        word = callee.id if isinstance(callee, ast.Name) else callee.attr if isinstance(callee, ast.Attribute) else ""
        if word in _SPECIAL:
            special = self._special(scope, word, node)
            if special is not None:
                return special
        return _few(
            found
            for value in self.value(scope, callee)
            for found in self.result(value, self._arguments_of(scope, value, node))
        )

    def _arguments_of(self, scope: Scope, callee: Value, call: ast.Call) -> Arguments:
        """What this call gives to which parameter, as far as results depend on it."""
        if callee.kind not in ("function", "method") or callee.place not in self.signatures:
            return ()
        names = [name for name, _, _ in self.parameters(callee.place)][callee.kind == "method" :]
        given = dict(zip(names, call.args, strict=False)) | {word.arg: word.value for word in call.keywords if word.arg}
        return tuple(
            (name, tuple(value for value in self.value(scope, node) if value.kind in _GIVEN))
            for name, node in given.items()
        )

    def _special(self, scope: Scope, word: str, node: ast.Call) -> Values | None:
        """What some functions of Python itself give; None when this is none of them."""
        first = node.args[0] if node.args else None
        if word == "super":
            own = self.class_around(scope)
            if first is not None:
                named = [value.place for value in self.value(scope, first) if value.kind == "class"]
                own = named[0] if named else own
            return (Value("super", own),) if own is not None else ()
        if first is None or self.value(scope, node.func):
            return None
        values = self.value(scope, first)
        if word == "type":
            return tuple(value._replace(kind="class") for value in values if value.kind == "object")
        if word == "next":
            return _few(found for value in values for found in self.elements(value))
        if word == "cast":
            return self.types(scope, ast.unparse(first))
        return values

    def result(self, of: Value, arguments: Arguments = ()) -> Values:
        """What calling `of` with these arguments may give."""
        match of.kind:
            case "class":
                made = [found for value in self.member(of, "__new__") for found in self._made(value)]
                return _few(made) or (of._replace(kind="object"),)
            case "function" | "method":
                return self._remember(("result", of.place, arguments), lambda: self._result(of.place, arguments))
            case "object":
                return _few(found for value in self.member(of, "__call__") for found in self.result(value))
            case "element":
                return self.elements(_restored(of))
            case "whole":
                return (_restored(of),)
        return ()

    def _made(self, new: Value) -> Values:
        """What a `__new__` below the folder returns, if that is not simply an object of its class."""
        return self.result(new) if new.kind in ("function", "method") else ()

    def _result(self, place: Place, arguments: Arguments) -> Values:
        definition = self.definition(place)
        if definition.type == "Self" and (own := self.class_around(place)) is not None:
            return (Value("object", own),)
        if definition.type and (typed := self.types(self.parent(place), definition.type)):
            return typed
        if place in self.yielded:
            return (Value("results", place),)
        # Others give other arguments: what this function is given elsewhere says nothing of the result for this caller.
        before, self._call_of = self._call_of, (place, arguments)
        try:
            return _few(found for written in self.results.get(place, ()) for found in self.read(*written))
        finally:
            self._call_of = before

    def elements(self, of: Value) -> Values:
        """What iterating over `of` may give, or its values if it is a mapping."""
        return self._remember(("elements", of), lambda: self._elements(of))

    def _elements(self, of: Value) -> Values:
        match of.kind:
            case "box":
                node = parsed(of.text)
                return _few(found for inner in _parts(node) for found in self._inner(of.place, inner))
            case "boxed":
                return self.types(of.place, of.text)
            case "results":
                return _few(found for written in self.yielded.get(of.place, ()) for found in self.read(*written))
            case "object":
                return self._iterated(of)
        return ()

    def _inner(self, scope: Scope, node: ast.expr) -> Values:
        if isinstance(node, ast.Starred):
            return _few(found for value in self.value(scope, node.value) for found in self.elements(value))
        return self.value(scope, node)

    def _iterated(self, of: Value) -> Values:
        iterators = [found for value in self.member(of, "__iter__") for found in self.result(value)]
        found: list[Value] = []
        for iterator in iterators:
            if iterator.kind == "object":
                found += [inner for value in self.member(iterator, "__next__") for inner in self.result(value)]
            else:
                found += self.elements(iterator)
        return _few(found)

    def _element(self, scope: Scope, of: Value, key: ast.expr) -> Values:
        """What `of[key]` may be; the key `...` stands for any."""
        if isinstance(key, ast.Constant) and key.value is ...:
            return self.elements(of)
        if of.kind == "class":
            return (of,)  # a generic class with its types
        if isinstance(key, ast.Slice):
            return (of,)
        if of.kind == "object":
            return _few(found for value in self.member(of, "__getitem__") for found in self.result(value))
        if of.kind == "box" and isinstance(key, ast.Constant):
            node = parsed(of.text)
            if isinstance(node, ast.Dict):
                exact = [value for at, value in zip(node.keys, node.values, strict=True) if _may_equal(at, key.value)]
                return _few(found for inner in exact for found in self.value(of.place, inner))
            parts = _parts(node)
            if (
                isinstance(key.value, int)
                and isinstance(node, ast.List | ast.Tuple)
                and not any(isinstance(part, ast.Starred) for part in parts)
            ):
                return self.value(of.place, parts[key.value]) if -len(parts) <= key.value < len(parts) else ()
        return self.elements(of)

    # -- types -------------------------------------------------------------------------------------------------

    def types(self, scope: Scope, text: str) -> Values:
        """What has the annotated type `text`."""
        node = parsed(text.replace('"', "").replace("'", ""))
        return () if node is None else self._remember(("type", scope, text), lambda: self._type(scope, node))

    def _type(self, scope: Scope, node: ast.expr) -> Values:
        match node:
            case ast.Name() | ast.Attribute():
                return _few(value._replace(kind="object") for value in self.value(scope, node) if value.kind == "class")
            case ast.BinOp(op=ast.BitOr()):
                return _few([*self._type(scope, node.left), *self._type(scope, node.right)])
            case ast.Subscript():
                inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
                word = _dotted(node.value).rpartition(".")[2]
                if word in _EITHER:
                    return _few(found for part in inner for found in self._type(scope, part))
                if word in ("type", "Type"):
                    return tuple(value._replace(kind="class") for part in inner for value in self._type(scope, part))
                if inner and (word in _MAPPINGS or word in _SEQUENCES):
                    element = inner[-1] if word in _MAPPINGS else inner[0]
                    return (Value("boxed", scope, ast.unparse(element)),) if self._type(scope, element) else ()
                return self._type(scope, node.value)
        return ()

    # -- what functions are given ------------------------------------------------------------------------------

    def _hand_over(self) -> None:
        """Note what functions are called with, as far as that is a definition or an object."""
        todo = [
            (Written(scope, use.name, use.line), call, _text(call.func))
            for scope, use in self._arguments if (call := _call_of(use)) is not None
        ]  # fmt: skip
        decorated = [
            (place, text) for place, texts in self.decorators.items() for text in texts if place.definition >= 0
        ]  # a syntax error may leave one of nothing
        for _ in range(_ROUNDS):
            self._known.clear()
            found: list[tuple[Place, str, Written | Value]] = []
            rest = []
            for written, call, callee in todo:
                values = self.read(written.scope, callee, written.line)
                found += [(*to, written) for value in values if (to := self._parameter_of(value, call))]
                if not values:
                    rest.append((written, call, callee))
            late = []
            for place, text in decorated:
                values = self.read(self.parent(place), text)
                handed = Value("class" if self.is_class(place) else "function", place)
                found += [(*to, handed) for value in values if (to := self._parameter_of(value, _DECORATION))]
                if not values:
                    late.append((place, text))
            if not found:
                break
            for place, name, given in found:
                if given not in (known := self.given[place, name]):
                    known.append(given)
            todo, decorated = rest, late
        self._known.clear()

    def _parameter_of(self, callee: Value, call: ast.Call) -> tuple[Place, str] | None:
        """The parameter that gets the last argument of `call`."""
        if callee.kind == "class":
            callee = next(iter(self.member(callee._replace(kind="object"), "__init__")), callee)
        if callee.kind not in ("function", "method"):
            return None
        names = [name for name, _, _ in self.parameters(callee.place)]
        if call.keywords:
            keyword = call.keywords[-1].arg
            return (callee.place, keyword) if keyword in names else None
        position = len(call.args) - 1 + (callee.kind == "method")
        return (callee.place, names[position]) if position < len(names) and "*" not in names[position] else None

    # -- remembering -------------------------------------------------------------------------------------------

    def _remember(self, key: tuple[object, ...], compute: Callable[[], Values]) -> Values:
        """`compute()`, once. What was found inside of a circle is incomplete, and only kept with the whole circle."""
        key = (self._call_of, *key)
        known = self._known.get(key)
        if known is not None:
            return known
        level = self._stack.get(key)
        self._steps += 1
        if level is not None or self._depth > _DEEPEST or self._steps > _LONGEST:
            self._lowest = min(self._lowest, level or 0)
            return ()
        self._depth += 1
        level = self._stack[key] = len(self._stack)
        outside, self._lowest = self._lowest, level
        here = self._here
        if key[1] != "text":
            self._here = None
        try:
            found = compute()
        finally:
            self._depth -= 1
            self._here = here
            del self._stack[key]
        if self._lowest >= level or level == 0:
            self._known[key] = found
            self._lowest = outside
        else:
            self._lowest = min(self._lowest, outside)
        return found


_SPECIAL = frozenset({
    "super", "type", "next", "cast", "partial", "list", "tuple", "set", "frozenset", "sorted", "reversed", "iter",
    "dict",
})  # fmt: skip
_DECORATION = ast.Call(ast.Name("decorator"), [ast.Name("decorated")], [])


def _reaching(assigned: Sequence[Assigned], line: int) -> Sequence[Assigned]:
    """Those of all assignments to a variable in a scope that may be in force at `line` of it.

    What happens in loops is not followed: only without an assignment before it does a later one count.
    """
    before = [one for one in assigned if one.line < line]
    last = max((row for row, one in enumerate(before) if one.always), default=0)
    return before[last:] or assigned


def _few(values: Iterable[Value]) -> Values:
    """Each once; none when there are too many to mean anything."""
    found = tuple(dict.fromkeys(values))
    return found if len(found) <= _MOST else ()


def _merged(lines: list[list[Place]]) -> list[Place]:
    """The merge of C3 linearisation (Barrett et al. 1996); where it fails, what is left in the order of the bases."""
    order: list[Place] = []
    while lines := [line for line in lines if line]:
        head = next((line[0] for line in lines if not any(line[0] in other[1:] for other in lines)), lines[0][0])
        order.append(head)
        lines = [[place for place in line if place != head] for line in lines]
    return order


def _text(node: ast.expr) -> str:
    try:
        return ast.unparse(node)
    except RecursionError:  # a sum of thousands
        return ""


def _dotted(node: ast.expr) -> str:
    """`a.b.c`; empty when something else stands between the dots."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return ".".join(reversed([*names, node.id])) if isinstance(node, ast.Name) else ""


def _unpacked(target: ast.expr, text: str) -> Iterator[tuple[str, str]]:
    """What each variable in the pattern `target` holds when it is assigned `text`."""
    if isinstance(target, ast.Tuple | ast.List):
        for row, inner in enumerate(target.elts):
            if isinstance(inner, ast.Starred):
                yield ast.unparse(inner.value), f"[*({text})[{row}:]]"
            else:
                after = any(isinstance(before, ast.Starred) for before in target.elts[:row])
                yield from _unpacked(inner, f"({text})[{row - len(target.elts) if after else row}]")
    else:
        yield ast.unparse(target), text


def _table(target: str, text: str) -> str:
    """The container that `target[key] = text` makes of its target."""
    node = parsed(target)
    while isinstance(node, ast.Subscript):
        text = f"{{{ast.unparse(node.slice)}: {text}}}"
        node = node.value
    return text


def _may_equal(key: ast.expr | None, value: object) -> bool:
    """Whether the key of a dictionary that is written there may be `value`; None is another dictionary put in."""
    return not isinstance(key, ast.Constant) or (type(key.value), key.value) == (type(value), value)


def _parts(node: ast.expr | None) -> list[ast.expr]:
    match node:
        case ast.List() | ast.Tuple() | ast.Set():
            return node.elts
        case ast.Dict():
            return node.values
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
            return [node.elt]
    return []


def _restored(of: Value) -> Value:
    kind, _, text = of.text.partition(" ")
    return of._replace(kind=kind, text=text)


def _call_of(use: Use) -> ast.Call | None:
    """The call that `use` is the last known argument of."""
    node = parsed(f"{use.other}{use.name})")
    if not isinstance(node, ast.Call) or any(isinstance(argument, ast.Starred) for argument in node.args):
        return None
    last = node.keywords[-1].value if node.keywords else node.args[-1] if node.args else None
    return node if last is not None and ast.unparse(last) == use.name else None
