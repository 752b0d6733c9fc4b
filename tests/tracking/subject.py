"""A small code base that is changed commit by commit: modules keep their identity, and imports follow by themselves.

Rendered as Python, JavaScript or Java. Uses name a module and a definition in it, so that a move, which changes a path,
changes the imports of everybody, as a careful person would.
"""

from __future__ import annotations

import copy
import posixpath
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.mining.conftest import CLEAN, DAY, START

_LINES = 6  # of its own for each definition, so that git knows it again


@dataclass
class Module:
    """A file. uses: (name of a module, definition). behind: modules that it uses at the place that they have left."""

    path: str
    defs: list[str]
    uses: list[tuple[str, str]] = field(default_factory=list)
    salt: str = ""
    behind: set[str] = field(default_factory=set)


class Subject:
    """The modules by names that never change, and other files by path."""

    def __init__(self, language: str, modules: Mapping[str, Module], others: Mapping[str, str] | None = None) -> None:
        self.language = language
        self.modules = dict(modules)
        self.others = dict(others or {})  # path -> text
        self.left: dict[str, str] = {}  # path of a forwarding module -> name of the module that left

    def move(self, name: str, path: str, *, forward: bool = False) -> None:
        """Give a module another path; with `forward` a module stays behind through which its users still go."""
        module = self.modules[name]
        if forward:
            self.left[module.path] = name
            for user in self.modules.values():
                if any(used == name for used, _ in user.uses):
                    user.behind.add(name)
        module.path = path

    def switch(self, user: str, used: str) -> None:
        """Let a user go past the forwarding module."""
        self.modules[user].behind.discard(used)

    def move_folder(self, old: str, new: str) -> None:
        """Move everything below a folder."""
        for module in self.modules.values():
            if module.path.startswith(f"{old}/"):
                module.path = new + module.path.removeprefix(old)
        self.others = {
            (new + path.removeprefix(old) if path.startswith(f"{old}/") else path): text
            for path, text in self.others.items()
        }

    def move_def(self, source: str, target: str, name: str) -> None:
        """Move a definition to another module; everybody's imports follow."""
        self.modules[source].defs.remove(name)
        self.modules[target].defs.append(name)
        for module in self.modules.values():
            module.uses = [(target if (used, d) == (source, name) else used, d) for used, d in module.uses]

    def rename_def(self, module: str, old: str, new: str) -> None:
        """Rename a definition, and its uses."""
        owner = self.modules[module]
        owner.defs = [new if d == old else d for d in owner.defs]
        for user in self.modules.values():
            user.uses = [(used, new if (used, d) == (module, old) else d) for used, d in user.uses]

    def remove(self, name: str) -> None:
        """Remove a module and its uses."""
        del self.modules[name]
        for module in self.modules.values():
            module.uses = [(used, d) for used, d in module.uses if used != name]

    def remove_def(self, module: str, name: str) -> None:
        """Remove a definition and its uses."""
        self.modules[module].defs.remove(name)
        for user in self.modules.values():
            user.uses = [entry for entry in user.uses if entry != (module, name)]

    def edit(self, name: str) -> None:
        """Change a few lines of a module."""
        self.modules[name].salt += "x"

    def files(self) -> dict[str, str]:
        """Path -> text."""
        found = dict(self.others)
        render = {"python": self._python, "javascript": self._javascript, "java": self._java}[self.language]
        for name, module in self.modules.items():
            found[module.path] = render(name, module)
        for path, name in self.left.items():
            found[path] = self._forwarder(path, name)
        return found

    # -- languages

    def _place(self, user: Module, used: str) -> str:
        if used in user.behind:
            return next(path for path, name in self.left.items() if name == used)
        return self.modules[used].path

    def _body(self, name: str, definition: str, module: Module, sign: str) -> list[str]:
        lines = [f"{sign} {name} {number}: what {name} does for {number}" for number in range(_LINES)]
        return [*lines, *([f"{sign} changed {len(module.salt)}"] if module.salt else [])]

    def _python(self, name: str, module: Module) -> str:
        lines = [
            f"from {self._place(module, used).removesuffix('.py').replace('/', '.')} import {d}"
            for used, d in module.uses
        ]
        for d in module.defs:
            lines += ["", "", f"class {d}:" if d[0].isupper() else f"def {d}():"]
            lines += [f"    {line}" for line in self._body(name, d, module, "#")]
            uses = ", ".join(used for _, used in module.uses)
            lines.append("    used = 1" if d[0].isupper() else f"    return [{uses}]")
        return "\n".join(lines) + "\n"

    def _javascript(self, name: str, module: Module) -> str:
        lines = []
        for used, d in module.uses:
            way = posixpath.relpath(self._place(module, used), posixpath.dirname(module.path) or ".")
            lines.append(f'import {{ {d} }} from "{way if way.startswith(".") else "./" + way}";')
        for d in module.defs:
            lines += ["", f"export function {d}() {{", *self._body(name, d, module, "  //")]
            lines += [f"  return [{', '.join(f'{used}()' for _, used in module.uses)}];", "}"]
        return "\n".join(lines) + "\n"

    def _java(self, name: str, module: Module) -> str:
        package = posixpath.dirname(module.path).replace("/", ".")
        title = posixpath.basename(module.path).removesuffix(".java")
        lines = [f"package {package};", ""]
        called = []
        for used, d in module.uses:
            place = self.modules[used].path.removesuffix(".java")
            called.append(f"{posixpath.basename(place)}.{d}();")
            if posixpath.dirname(place).replace("/", ".") != package:
                lines.append(f"import {place.replace('/', '.')};")
        lines += ["", f"public class {title} {{"]
        for d in module.defs:
            lines += [f"    public static void {d}() {{", *self._body(name, d, module, "        //")]
            lines += [*(f"        {call}" for call in called), "    }"]
        return "\n".join([*lines, "}"]) + "\n"

    def _forwarder(self, path: str, name: str) -> str:
        module = self.modules[name]
        if self.language == "python":
            dotted = module.path.removesuffix(".py").replace("/", ".")
            return "".join(f"from {dotted} import {d}\n" for d in module.defs)
        way = posixpath.relpath(module.path, posixpath.dirname(path) or ".")
        return f'export {{ {", ".join(module.defs)} }} from "{way if way.startswith(".") else "./" + way}";\n'


Action = Callable[[Subject], None]


def commit_all(folder: Path, start: Subject, actions: list[Action | int]) -> list[str]:
    """Make a repository of the start and one commit for each action; their ids, that of the start first.

    An action that is a number puts the files back as they were after that commit (0 = the start): a revert.
    """
    states = [copy.deepcopy(start)]
    for action in actions:
        if isinstance(action, int):
            states.append(copy.deepcopy(states[action]))
            continue
        state = copy.deepcopy(states[-1])
        action(state)
        states.append(state)
    folder.mkdir()
    stream = []
    for number, state in enumerate(states):
        stream.append(
            f"commit refs/heads/main\nmark :{number + 1}\ncommitter A <a@example.org> {START + number * DAY} +0000\n"
            f"data 1\nm\n{f'from :{number}{chr(10)}' if number else ''}deleteall\n"
        )
        for path, text in sorted(state.files().items()):
            stream.append(f"M 100644 inline {path}\ndata {len(text.encode())}\n{text}\n")
    for words in (["init", "-q", "-b", "main"], ["fast-import", "--quiet"], ["reset", "-q", "--hard"]):
        subprocess.run(["git", *words], cwd=folder, env=CLEAN, input="".join(stream).encode(), check=True)
    listed = subprocess.run(
        ["git", "log", "--reverse", "--format=%H"], cwd=folder, env=CLEAN, capture_output=True, check=True
    )
    return listed.stdout.decode().split()
