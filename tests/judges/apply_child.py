"""Asked by `apply`: what can be imported in a folder, and what its import statements and dotted names lead to.

    python apply_child.py

Reads lines of JSON, each with questions about one `folder`, and answers each with a line of JSON. Runs the code in the
folder. Each module is imported in a forked process that has loaded nothing of the folder before but the package that it
lies in. Then one more process imports all of them, and looks at the objects themselves: no analysis of imports is made
here. Paths are told as the questions say that they were before (`back`). What the code of the first folder loads from
outside of it is loaded once.
"""

import ast
import contextlib
import functools
import importlib
import io
import json
import os
import signal
import sys
import types
import warnings

SECONDS = 60


def main():
    outside = None
    for line in sys.stdin:
        questions = json.loads(line)
        if outside is None:
            outside = forked(functools.partial(loaded_outside, questions)) or []
            for name in outside:
                with contextlib.suppress(BaseException):
                    importlib.import_module(name)
        print(json.dumps(forked(functools.partial(answers, questions), 1_800)), flush=True)


def entered(questions):
    """The modules of the folder, which can be imported from now on."""
    folder = questions["folder"]
    sys.pycache_prefix = questions["bytecode"]
    modules = dict(found(folder, set(questions["skipped"])))
    roots = sorted({root for _, root in modules.values()}, key=len)
    sys.path[:0] = [os.path.join(folder, root) for root in roots]
    warnings.simplefilter("ignore")
    for name, module in list(sys.modules.items()):
        if os.path.realpath(getattr(module, "__file__", None) or "/").startswith(folder + os.sep):
            del sys.modules[name]
    return modules


def answers(questions):
    modules, back = entered(questions), questions["back"]

    def path_before(path):
        return back.get(path, path)

    tops = sorted({name.partition(".")[0] for name, _ in modules.values()})
    good = {name for top in tops for name in forked(functools.partial(importable, top, modules), 600) or ()}
    imported = [path_before(path) for path, (name, _) in sorted(modules.items()) if name in good]
    names, dotted, graph = forked(lambda: looked_at(questions["folder"], modules, path_before), 600)
    return {"imported": imported, "names": names, "dotted": dotted, "graph": graph}


def importable(top, modules):
    """Those of the modules in a package that can be imported first; `import a.b` imports `a`, and then `b`."""
    importlib.import_module(top)
    names = sorted({name for name, _ in modules.values() if name.partition(".")[0] == top})
    return [name for name in names if name in sys.modules or forked(functools.partial(is_imported, name))]


def is_imported(name):
    importlib.import_module(name)
    return True


def found(folder, skipped):
    """(path, (dotted name, root)) of each module in a package."""
    for here, folders, files in os.walk(folder):
        relative = os.path.relpath(here, folder)
        parts = [] if relative == "." else relative.split(os.sep)
        folders[:] = sorted(name for name in folders if name not in skipped and not name.startswith("."))
        tops = [
            depth
            for depth in range(1, len(parts) + 1)
            if os.path.exists(os.path.join(folder, *parts[:depth], "__init__.py"))
        ]
        if not tops:
            continue
        root = parts[: tops[0] - 1]
        for file in sorted(files):
            stem, suffix = os.path.splitext(file)
            if suffix == ".py" and stem != "__main__":
                name = parts[len(root) :] + ([] if stem == "__init__" else [stem])
                yield "/".join([*parts, file]), (".".join(name), "/".join(root))


def forked(work, seconds=SECONDS):
    """What `work` returns in a process of its own; None if it fails."""
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(read)
        signal.alarm(seconds)
        said = None
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                said = work()
        except BaseException as error:
            if os.environ.get("SHOW"):
                print(type(error), error, file=sys.__stderr__)
            said = None
        with os.fdopen(write, "w") as stream:
            json.dump(said, stream)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as stream:
        text = stream.read()
    os.waitpid(pid, 0)
    return json.loads(text) if text else None


def loaded_outside(questions):
    before, modules, folder = set(sys.modules), entered(questions), questions["folder"]
    for name, _ in modules.values():
        with contextlib.suppress(BaseException):
            importlib.import_module(name)
    found = []
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if name not in before and file and not os.path.realpath(file).startswith(folder + os.sep):
            found.append(name)
    return found


def looked_at(folder, modules, path_before):
    objects = {}
    for path, (name, _) in sorted(modules.items()):
        with contextlib.suppress(BaseException):
            objects[path] = importlib.import_module(name)
    place_of = {}
    for path, (name, _) in modules.items():
        place_of[name] = path_before(path)

    def called(thing):
        """What an object is, by the path of the file that it comes from, before the plan."""
        if is_module(thing):
            return "module " + place_of.get(thing.__name__, thing.__name__)
        home, name = told(thing, "__module__"), told(thing, "__qualname__")
        if isinstance(home, str) and isinstance(name, str):
            return f"{place_of.get(home, home)} {name}"
        return type(thing).__name__

    names, dotted, graph = [], [], set()
    for path, module in objects.items():
        here = path_before(path)
        above, _, last = module.__name__.rpartition(".")
        if (
            above in sys.modules and vars(sys.modules[above]).get(last) is module
        ):  # else `import a.b as c` leads elsewhere
            names.append(f"{here}: is what its package calls so")
        with open(os.path.join(folder, path), "rb") as file:
            try:
                tree = ast.parse(file.read())
            except SyntaxError:
                continue
        is_package = path.endswith("/__init__.py")
        package = module.__name__ if is_package else module.__name__.rpartition(".")[0]
        for node in ast.walk(tree):
            for local, thing, end in bound(node, package):
                names.append(f"{here}: {local} = {called(thing)}")
                if end.__name__ in place_of:
                    graph.add(f"{here} -> {place_of[end.__name__]}")
        for chain in chains(tree):
            thing = vars(module).get(chain[0])
            if not is_module(thing) or thing.__name__ not in place_of:
                continue
            rest = list(chain[1:])
            while rest and is_module(thing) and hasattr(thing, rest[0]):
                thing = getattr(thing, rest.pop(0))
                if is_module(thing) and thing.__name__ in place_of:
                    graph.add(f"{here} -> {place_of[thing.__name__]}")
            dotted.append(f"{here}: {called(thing)} {'.'.join(rest)}")
    return names, dotted, sorted(graph)


def is_module(thing):
    """Asks nothing of the object: a proxy would answer for another one, or fail."""
    return issubclass(type(thing), types.ModuleType)


def told(thing, name):
    try:
        return getattr(thing, name, None)
    except Exception:
        return None


def bound(node, package):
    """(name, object, module) of each alias of an import statement, by doing what the statement does."""
    with contextlib.suppress(BaseException):
        if isinstance(node, ast.ImportFrom) and node.module != "__future__":
            name = "." * node.level + (node.module or "")
            source = importlib.import_module(name, package if node.level else None)
            for alias in node.names:
                if alias.name == "*":
                    yield "*", source, source
                    continue
                if not hasattr(source, alias.name):
                    importlib.import_module(f"{source.__name__}.{alias.name}")
                thing = getattr(source, alias.name)
                yield alias.asname or alias.name, thing, thing if is_module(thing) else source
        elif isinstance(node, ast.Import):
            for alias in node.names:
                end = importlib.import_module(alias.name)
                yield "import", end, end


def chains(tree):
    inner = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and id(node) not in inner:
            names: list[str] = []
            value: ast.expr = node
            while isinstance(value, ast.Attribute):
                inner.add(id(value))
                names.append(value.attr)
                value = value.value
            if isinstance(value, ast.Name):
                yield (value.id, *reversed(names))


if __name__ == "__main__":
    main()
