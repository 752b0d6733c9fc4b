"""What Python expressions may be the value of: functions, classes, objects, modules. Nothing is executed.

A name is looked up as Python does it (local, enclosing, global), through imports, re-exports and `__init__` files; a
variable has the values that are assigned to it anywhere in its scope; a parameter those that it is given below the
folder, a result what the function returns; annotations go before all of these. Attributes follow the method
resolution order (C3). It is asked for only as far as a use needs it, and everything is remembered.
"""

from __future__ import annotations

import ast
import builtins
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from cbvtool.analysis.facts import FileFacts, Import
from cbvtool.analysis.languages.python_scopes import (
    Assigned,
    Scope,
    Scopes,
    Written,
    is_dotted,
    is_primary,
    parsed,
    start_of,
    words_of,
)
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


class _Handed(NamedTuple):
    """See `World.handed`: its tables; what is given is a value, or without a kind an expression and its line."""

    given: list[tuple[Place, str, list[tuple[str, Place, str, int]]]]
    derived: list[tuple[Place, list[Place]]]
    orders: list[tuple[Place, tuple[Place, ...]]]


_handed_from = msgspec.msgpack.Decoder(_Handed).decode

Values = tuple[Value, ...]
Arguments = tuple[tuple[str, Values], ...]  # parameter, what it is given
Slot = tuple[int, str]  # of an argument: its position, or -1 and its keyword


class World(Scopes):
    """What everything may be.

    What was found is kept in `_lasting`, but in `_passing` if it depends on what functions are given: then it holds
    for one call whose result is asked for, or for none, and until more is known of what is given.
    """

    def __init__(
        self, facts: Mapping[int, FileFacts],
        modules_of: Callable[[int, Import], tuple[int, ...]],
        children: Callable[[int], Mapping[str, int]],
        handed: bytes = b"",
    ) -> None:  # fmt: skip
        """`handed`: what an earlier one of the same told in `handed`."""
        super().__init__(facts, modules_of, children)
        self.derived: dict[Place, list[Place]] = defaultdict(list)
        self.given: dict[tuple[Place, str], dict[Written | Value, None]] = defaultdict(dict)  # in order
        self._orders: dict[Place, tuple[Place, ...]] = {}
        self._lasting: dict[tuple[object, ...], Values] = {}
        self._passing: dict[tuple[object, ...], Values] = {}
        self._variables: dict[tuple[Place, str], bool] = {}
        self._stack: dict[tuple[object, ...], int] = {}
        self._lowest = 0
        self._depth = 0
        self._steps = 0
        self._asked = 0  # how often it was asked what a function is given
        self._here: tuple[Place, int] | None = None  # scope and line that a name is asked for in, where it matters
        self._call_of: tuple[Place, Arguments] | None = None  # whose result is asked for
        self._calls: dict[tuple[Place, Arguments], int] = {}  # a number for each such call
        self._call_number = 0  # its own, 0 = none
        if handed and self._take(handed):
            return
        for place in list(self.base_texts):
            for base in self.bases(place):
                self.derived[base].append(place)
        self._lasting.clear()  # until now, it was not known what is derived
        self._hand_over()
        self._first_orders = len(self._orders)

    def start_afresh(self) -> None:
        """Forget what was worked out since this was made: in circles it depends on what was asked for first."""
        for found in (self._lasting, self._passing, self._variables, self._calls):
            found.clear()
        for _ in range(len(self._orders) - self._first_orders):
            self._orders.popitem()  # the last one

    def handed(self) -> bytes:
        """What took longest to work out of all files together."""
        self.start_afresh()
        given = []
        for (place, name), found in self.given.items():
            rows = [(one.kind, one.place, one.text, 0) if isinstance(one, Value) else ("", *one) for one in found]
            given.append((place, name, rows))
        return msgspec.msgpack.encode(_Handed(given, list(self.derived.items()), list(self._orders.items())))

    def _take(self, handed: bytes) -> bool:
        """Whether it can be read."""
        try:
            found = _handed_from(handed)
        except msgspec.DecodeError:
            return False
        self.derived.update(found.derived)
        self._orders.update(found.orders)
        self._first_orders = len(self._orders)
        for place, name, given in found.given:
            self.given[place, name] = {
                Value(kind, at, text) if kind else Written(at, text, line): None for kind, at, text, line in given
            }
        return True

    # -- classes -----------------------------------------------------------------------------------------------

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
        if not self._stack:
            self._steps = 0
        return self._remember(World._read_text, *self.home(scope, text, line), text)

    def _read_text(self, scope: Scope, line: int, text: str) -> Values:
        if line:
            self._here = (scope, line)
        if text.isidentifier():
            return self.name(scope, text)
        head, _, last = text.rpartition(".")
        if head and last.isidentifier() and is_primary(head):
            if scope.file in self.dotted and text in self.dotted[scope.file]:
                return self._imported_dotted(scope.file, text)
            return self._attributes(self.read(scope, head, line), last)
        start = start_of(text)
        if start and _SPECIAL.isdisjoint(words_of(text)) and not self.read(scope, start, line):
            return ()  # nothing comes of what is outside, and most is
        node = parsed(text)
        return self.value(scope, node) if node is not None else ()

    def name(self, scope: Scope, name: str) -> Values:
        """What a name without dots may be in `scope`."""
        for at, names in self.visible(scope):
            if name in names:
                return self._bound_in(at, name)
        return self._starred(scope.file, name)

    def binding(self, at: Place, name: str) -> Values | None:
        """What `name` may be by what stands directly in `at`; None = it is not bound there."""
        return self._bound_in(at, name) if name in self.names(at) else None

    def _bound_in(self, at: Place, name: str) -> Values:
        here = self._here
        if here is not None and here[0] == at and name in self.several.get(at, ()):
            return self._remember(World._bound, at, name, *_reaching(self.assigned[at][name], here[1]))
        return self._remember(World._bound, at, name, 0, None)

    def _bound(self, at: Place, name: str, first: int, end: int | None) -> Values:
        """The same by the assignments `first` to `end` alone, if there are any."""
        declared = self.declared[at].get(name) if at in self.declared else None
        if declared and (typed := self.types(at, declared)):
            return typed
        found = [Value("class" if self.is_class(place) else "function", place) for place in self.own(at, name)]
        if self.is_parameter(at, name):
            found += self.parameter(at, name)
        for statement, original in self.bound[at].get(name, ()) if at in self.bound else ():
            found += self.imported(at.file, statement, original)
        for text, line, _ in self.assigned[at].get(name, ())[first:end] if at in self.assigned else ():
            found += self.read(at, text, line)
        if not found and at.definition < 0 and name in self.tops(at.file):
            found += [Value("module", Place(module, -1)) for module in self.modules(at.file, name)]
        return _few(found)

    def imported(self, file: int, statement: Import, name: str) -> Values:
        """What an import in `file` binds: `name` of a module, or with an empty name the module."""
        modules = self.modules(file, statement.module, statement.level)
        if not name:
            return tuple(Value("module", Place(module, -1)) for module in modules)
        found: list[Value] = []
        for module in modules:
            found += self._in_module(module, name) if module in self.facts else ()
        if not found:
            targets = self.modules(file, statement.module, statement.level, name)
            found = [Value("module", Place(module, -1)) for module in targets if module not in modules]
        return _few(found)

    def _imported_dotted(self, file: int, dotted: str) -> Values:
        """What `import a.b` makes of `a.b`."""
        statement = self.dotted[file][dotted]
        return tuple(Value("module", Place(module, -1)) for module in self.modules(file, statement.module))

    def _in_module(self, file: int, name: str) -> Values:
        """The attribute `name` of a module."""
        found = self.binding(Place(file, -1), name)
        if found is None:
            found = self._starred(file, name)
        if not found:
            child = self.children(file).get(name)
            found = (Value("module", Place(child, -1)),) if child is not None else ()
        return found

    def _starred(self, file: int, name: str) -> Values:
        return self._remember(World._from_stars, file, name) if file in self.stars else ()

    def _from_stars(self, file: int, name: str) -> Values:
        for module in self.sources(file):
            if self.may_offer(module, name) and (found := self._in_module(module, name)):
                return found
        return ()

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
            self._asked += 1
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
        if self.is_parameter(at, name):
            return True
        for statement, original in self.bound[at].get(name, ()) if at in self.bound else ():
            for module in self.modules(at.file, statement.module, statement.level):
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
        if scope.file in self.dotted and (dotted := _dotted(node)) in self.dotted[scope.file]:
            return self._imported_dotted(scope.file, dotted)
        return self._attributes(self.value(scope, node.value), node.attr)

    def _attributes(self, of: Values, name: str) -> Values:
        if len(of) <= 1:
            return self.attribute(of[0], name) if of else ()
        return _few(found for base in of for found in self.attribute(base, name))

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
        return self._remember(World._member, of, name)

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
        values = self.value(scope, callee)
        if not values:
            return ()
        return _few(found for value in values for found in self.result(value, self._arguments_of(scope, value, node)))

    def _arguments_of(self, scope: Scope, callee: Value, call: ast.Call) -> Arguments:
        """What this call gives to which parameter, as far as results depend on it."""
        if callee.kind not in ("function", "method") or callee.place not in self.signatures:
            return ()
        words = self.returned(callee.place)
        if not words:
            return ()
        names = [name for name, _, _ in self.parameters(callee.place)][callee.kind == "method" :]
        given = dict(zip(names, call.args, strict=False)) | {word.arg: word.value for word in call.keywords if word.arg}
        return tuple(
            (name, tuple(value for value in self.value(scope, node) if value.kind in _GIVEN))
            for name, node in given.items()
            if name in words
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
                return self._remember(World._result, of.place, arguments)
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
        before = self._call_of, self._call_number
        self._call_of = (place, arguments)
        self._call_number = self._calls.setdefault(self._call_of, len(self._calls) + 1)
        try:
            return _few(found for written in self.results.get(place, ()) for found in self.read(*written))
        finally:
            self._call_of, self._call_number = before

    def elements(self, of: Value) -> Values:
        """What iterating over `of` may give, or its values if it is a mapping."""
        return self._remember(World._elements, of)

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
        return self._remember(World._types, scope, text.replace('"', "").replace("'", ""))

    def _types(self, scope: Scope, text: str) -> Values:
        if is_dotted(text):
            return _few(value._replace(kind="object") for value in self.read(scope, text) if value.kind == "class")
        node = parsed(text)
        return self._type(scope, node) if node is not None else ()

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
        todo = self.arguments
        decorated = [
            (place, text) for place, texts in self.decorators.items() for text in texts if place.definition >= 0
        ]  # a syntax error may leave one of nothing
        for _ in range(_ROUNDS):
            self._passing.clear()
            found: list[tuple[Place, str, Written | Value]] = []
            rest, late = [], []  # what may become known with more that is given
            for written, text in todo:
                asked = self._asked
                values = self.read(written.scope, _callee(text), written.line)
                if values:
                    slot = _slot_of(text, written.text)
                    found += [(*to, written) for value in values if slot and (to := self._parameter_of(value, slot))]
                elif self._asked > asked:
                    rest.append((written, text))
            for place, text in decorated:
                asked = self._asked
                values = self.read(self.parent(place), text)
                handed = Value("class" if self.is_class(place) else "function", place)
                found += [(*to, handed) for value in values if (to := self._parameter_of(value, _FIRST))]
                if self._asked > asked and not values:
                    late.append((place, text))
            if not found:
                break
            for place, name, given in found:
                self.given[place, name][given] = None
            todo, decorated = rest, late
        self._passing.clear()

    def _parameter_of(self, callee: Value, slot: Slot) -> tuple[Place, str] | None:
        """The parameter that gets the argument at `slot` of a call."""
        if callee.kind == "class":
            callee = next(iter(self.member(callee._replace(kind="object"), "__init__")), callee)
        if callee.kind not in ("function", "method"):
            return None
        names = [name for name, _, _ in self.parameters(callee.place)]
        position, keyword = slot
        if position < 0:
            return (callee.place, keyword) if keyword in names else None
        position += callee.kind == "method"
        return (callee.place, names[position]) if position < len(names) and "*" not in names[position] else None

    # -- remembering -------------------------------------------------------------------------------------------

    def _remember(self, *key: Any) -> Values:
        """What the method `key[0]` gives for the rest, worked out once.

        What was found inside of a circle is only kept with the whole circle.
        """
        known = self._lasting.get(key)
        if known is not None:
            return known
        passing = (self._call_number, *key) if self._call_number else key
        known = self._passing.get(passing)
        if known is not None:
            self._asked += 1
            return known
        level = self._stack.get(passing)
        self._steps += 1
        if level is not None or self._depth > _DEEPEST or self._steps > _LONGEST:
            self._lowest = min(self._lowest, level or 0)
            self._asked += level is None  # another time it may be found
            return ()
        self._depth += 1
        level = self._stack[passing] = len(self._stack)
        outside, self._lowest = self._lowest, level
        here, self._here = self._here, None
        asked = self._asked
        try:
            found: Values = key[0](self, *key[1:])
        finally:
            self._depth -= 1
            self._here = here
            del self._stack[passing]
        if self._lowest >= level or level == 0:
            if self._asked == asked:
                self._lasting[key] = found
            else:
                self._passing[passing] = found
            self._lowest = outside
        else:
            self._lowest = min(self._lowest, outside)
        return found


_SPECIAL = frozenset({
    "super", "type", "next", "cast", "partial", "list", "tuple", "set", "frozenset", "sorted", "reversed", "iter",
    "dict",
})  # fmt: skip
_FIRST = (0, "")


def _reaching(assigned: Sequence[Assigned], line: int) -> tuple[int, int | None]:
    """Which of all assignments to a variable in a scope may be in force at `line` of it: first and end.

    What happens in loops is not followed: only without an assignment before it does a later one count.
    """
    end = bisect_left(assigned, line, key=lambda one: one.line)
    first = end - 1
    while first > 0 and not assigned[first].always:
        first -= 1
    return (first, end) if end else (0, None)


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


@lru_cache(1 << 14)
def _callee(text: str) -> str:
    """The name in `text`, a call from its name to an argument."""
    name = text.partition("(")[0]
    if ")" not in text and is_dotted(name):
        return name
    node = parsed(f"{text}_)")
    return _text(node.func) if isinstance(node, ast.Call) else ""


def _slot_of(text: str, argument: str) -> Slot | None:
    """Where in the call that begins with `text` the next argument stands, `argument`, as if it were its last one."""
    if is_dotted(argument) and (plain := _PLAIN_CALL.fullmatch(text)):
        return (-1, plain[1]) if plain[1] else (text.count(","), "")
    node = parsed(f"{text}{argument})")
    if not isinstance(node, ast.Call) or any(isinstance(argument, ast.Starred) for argument in node.args):
        return None
    last = node.keywords[-1].value if node.keywords else node.args[-1] if node.args else None
    if last is None or ast.unparse(last) != argument:
        return None
    return (-1, node.keywords[-1].arg or "") if node.keywords else (len(node.args) - 1, "")


_WORD = r"[^\W\d]\w*"
_PLAIN_CALL = re.compile(rf"{_WORD}(?:\.{_WORD})*\((?:(?:{_WORD}(?:\.{_WORD})*|\d+), *)*(?:({_WORD})=)?")
