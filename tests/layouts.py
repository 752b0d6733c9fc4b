"""Six layouts of source code that people use, made up: each with packages in a cycle, tests beside, and many relations.

`LAYOUTS` names them. A layout is a function that writes its files into an empty folder. The same modules use each other
in all of them; only the language, and where the files lie, differ.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGES = ("orders", "stock", "prices", "people", "mail", "store")
PARTS = ("base", "reader", "writer", "rules", "table", "query", "cache", "views", "forms", "tools", "words")
NEAR = ((0, 1), (0, 3), (1, 0), (1, 2), (2, 5))  # what a module uses: packages and parts further on, round the circle
TESTED = 3  # parts that the tests of a package use


@dataclass(frozen=True)
class Module:
    """A module of made-up code: its package, its part, and the modules whose function it calls."""

    package: str
    part: str
    uses: tuple[tuple[str, str], ...]

    @property
    def function(self) -> str:
        """The name of its only function."""
        return function_of(self.package, self.part)

    @property
    def row(self) -> int:
        """Its place in the order of all modules."""
        return _row(self.package, self.part)


def function_of(package: str, part: str) -> str:
    """The name of the function of a module, the same in all languages."""
    return f"{package}_{part}"


def _row(package: str, part: str) -> int:
    return PACKAGES.index(package) * len(PARTS) + PARTS.index(part)


def modules() -> Iterator[Module]:
    """All modules: 66, with 330 uses, which lead from each package back to itself."""
    for i, package in enumerate(PACKAGES):
        for j, part in enumerate(PARTS):
            uses = [(PACKAGES[(i + a) % len(PACKAGES)], PARTS[(j + b) % len(PARTS)]) for a, b in NEAR]
            yield Module(package, part, tuple(uses))


# -- Python --------------------------------------------------------------------------------------------------


def flat_python(folder: Path) -> None:
    """A Python package at the top: `shop/orders/base.py`, `tests/test_orders.py`."""
    _python(folder, Path("shop"), "shop")


def src_python(folder: Path) -> None:
    """A Python package in `src`: `src/shop/orders/base.py`, `tests/test_orders.py`."""
    _python(folder, Path("src/shop"), "shop")


def deep_python(folder: Path) -> None:
    """A Python package at the end of a chain: `work/code/lib/python/shop/core/orders/base.py`."""
    _python(folder, Path("work/code/lib/python/shop/core"), "shop.core")


def _python(folder: Path, inside: Path, name: str) -> None:
    _write(folder / "pyproject.toml", '[project]\nname = "shop"\nversion = "1"\n')
    for above in range(name.count(".") + 1):
        _write(folder / Path(*inside.parts[: len(inside.parts) - above]) / "__init__.py", "")
    for package in PACKAGES:
        _write(folder / inside / package / "__init__.py", "")
        tested = [(package, part) for part in PARTS[:TESTED]]
        lines = [f"from {name}.{package}.{part} import {function_of(package, part)}" for _, part in tested]
        calls = [f"    assert {function_of(*used)}(0) == 0" for used in tested]
        _write(folder / "tests" / f"test_{package}.py", "\n".join([*lines, "", "", "def test_all():", *calls, ""]))
    for module in modules():
        _write(folder / inside / module.package / f"{module.part}.py", _python_text(module, name))


def _python_text(module: Module, name: str) -> str:
    """Python imports what comes later at once, and the rest in the function, so that the code runs despite cycles."""
    lines, inner = list[str](), list[str]()
    for package, part in module.uses:
        line = f"from {name}.{package}.{part} import {function_of(package, part)}"
        (lines if _row(package, part) > module.row else inner).append(line)
    calls = [f"        depth = {function_of(*used)}(depth - 1)" for used in module.uses]
    body = [f"def {module.function}(depth):", *(f"    {line}" for line in inner), "    if depth > 0:", *calls]
    return "\n".join([*lines, "", "", *body, "    return depth", ""])


# -- Java ----------------------------------------------------------------------------------------------------


def maven(folder: Path) -> None:
    """A Maven build of three modules, of two packages each: `stock/src/main/java/com/shop/orders/Base.java`.

    Modules use those before them; the two packages of a module use each other.
    """
    wholes = ("shop-core", "shop-sales", "shop-office")
    listed = "".join(f"<module>{whole}</module>" for whole in wholes)
    _write(folder / "pom.xml", _pom("shop", f"<packaging>pom</packaging><modules>{listed}</modules>"))
    for number, whole in enumerate(wholes):
        needed = "".join(
            f"<dependency><groupId>com.shop</groupId><artifactId>{other}</artifactId><version>1</version></dependency>"
            for other in wholes[:number]
        )
        _write(folder / whole / "pom.xml", _pom(whole, f"<dependencies>{needed}</dependencies>"))
    for module in modules():
        number = PACKAGES.index(module.package) // 2
        uses = [(package, part) for package, part in module.uses if PACKAGES.index(package) // 2 <= number]
        other = PACKAGES[2 * number + 1 - PACKAGES.index(module.package) % 2]
        uses += [(other, part) for part in (module.part, PARTS[(PARTS.index(module.part) + 4) % len(PARTS)])]
        before = PACKAGES[: 2 * number]
        uses += [(package, module.part) for package in before]
        source = folder / wholes[number] / "src/main/java/com/shop" / module.package
        _write(source / f"{_java_name(module.part)}.java", _java_text(module, tuple(dict.fromkeys(uses))))
    for number, package in enumerate(PACKAGES):
        name = f"{package.capitalize()}Test"
        lines = [f"import com.shop.{package}.{_java_name(part)};" for part in PARTS[:TESTED]]
        calls = [f"        {_java_name(part)}.{function_of(package, part)}(0);" for part in PARTS[:TESTED]]
        body = ["package com.shop;", "", *lines, "", f"class {name} {{", "    void all() {", *calls, "    }", "}", ""]
        _write(folder / wholes[number // 2] / "src/test/java/com/shop" / f"{name}.java", "\n".join(body))


def _pom(name: str, inside: str) -> str:
    head = f"<groupId>com.shop</groupId><artifactId>{name}</artifactId><version>1</version>"
    return f"<project><modelVersion>4.0.0</modelVersion>{head}{inside}</project>\n"


def _java_name(part: str) -> str:
    return part.capitalize()


def _java_text(module: Module, uses: tuple[tuple[str, str], ...]) -> str:
    """Classes of one name in several packages are written with their package."""
    calls = [f"            depth = com.shop.{a}.{_java_name(b)}.{function_of(a, b)}(depth - 1);" for a, b in uses]
    head = [f"package com.shop.{module.package};", "", f"public class {_java_name(module.part)} {{"]
    method = [f"    public static int {module.function}(int depth) {{", "        if (depth > 0) {", *calls, "        }"]
    return "\n".join([*head, *method, "        return depth;", "    }", "}", ""])


# -- TypeScript ----------------------------------------------------------------------------------------------


def workspace(folder: Path) -> None:
    """An npm workspace: `packages/orders/src/base.ts`, `packages/orders/test/orders.test.ts`."""
    _write_json(folder / "package.json", {"name": "shop", "private": True, "workspaces": ["packages/*"]})
    _write_json(
        folder / "tsconfig.json",
        {"compilerOptions": {"module": "es2022", "moduleResolution": "bundler", "strict": True}},
    )
    for package in PACKAGES:
        there = folder / "packages" / package
        _write_json(there / "package.json", {"name": f"@shop/{package}", "version": "1.0.0", "main": "src/base.ts"})
        lines = [f'import {{ {function_of(package, part)} }} from "../src/{part}";' for part in PARTS[:TESTED]]
        calls = [f"{function_of(package, part)}(0);" for part in PARTS[:TESTED]]
        _write(there / "test" / f"{package}.test.ts", "\n".join([*lines, "", *calls, ""]))
    for module in modules():
        lines = []
        for package, part in module.uses:
            source = f"./{part}" if package == module.package else f"@shop/{package}/src/{part}"
            lines.append(f'import {{ {function_of(package, part)} }} from "{source}";')
        calls = [f"    depth = {function_of(*used)}(depth - 1);" for used in module.uses]
        head = [f"export function {module.function}(depth: number): number {{", "  if (depth > 0) {"]
        text = "\n".join([*lines, "", *head, *calls, "  }", "  return depth;", "}", ""])
        _write(folder / "packages" / module.package / "src" / f"{module.part}.ts", text)


# -- Go ------------------------------------------------------------------------------------------------------


def go_module(folder: Path) -> None:
    """A Go module: `cmd/shop/main.go`, `internal/orders/api/base.go`, `internal/orders/data/base.go`.

    Go allows no cycle of its packages. So each folder has two: `api` uses `data` of the folders further on, and the
    folders are in a cycle.
    """
    _write(folder / "go.mod", "module example.com/shop\n\ngo 1.21\n")
    for number, package in enumerate(PACKAGES):
        there = folder / "internal" / package
        data = [(package, "data")]
        data += [(PACKAGES[(number + away) % len(PACKAGES)], "data") for away in (1, 2)]
        for j, part in enumerate(PARTS):
            mates = [f"\t\tdepth = {_go_name('Get', PARTS[(j + away) % len(PARTS)])}(depth - 1)" for away in (1, 3)]
            _write(there / "data" / f"{part}.go", _go_text("data", [], _go_name("Get", part), mates))
            calls = [
                f"\t\tdepth = {_go_alias(*where)}.{_go_name('Get', PARTS[(j + away) % len(PARTS)])}(depth - 1)"
                for away, where in enumerate(data)
            ]
            _write(there / "api" / f"{part}.go", _go_text("api", data, _go_name("Serve", part), calls))
        tested = ['import "testing"', "", "func TestAll(t *testing.T) {"]
        calls = [f"\t{_go_name('Serve', part)}(0)" for part in PARTS[:TESTED]]
        _write(there / "api" / "api_test.go", "\n".join(["package api", "", *tested, *calls, "}", ""]))
    served = [(package, "api") for package in PACKAGES]
    calls = [f"\t\tdepth = {_go_alias(*where)}.ServeBase(depth - 1)" for where in served]
    main = [_go_text("main", served, "run", calls), "func main() {", "\trun(1)", "}", ""]
    _write(folder / "cmd" / "shop" / "main.go", "\n".join(main))


def _go_name(verb: str, part: str) -> str:
    return verb + part.capitalize()


def _go_alias(package: str, side: str) -> str:
    return package + side


def _go_text(package: str, uses: list[tuple[str, str]], function: str, calls: list[str]) -> str:
    imported = [f'import {_go_alias(*used)} "example.com/shop/internal/{"/".join(used)}"' for used in uses]
    head = [f"package {package}", "", *imported, "", f"func {function}(depth int) int {{", "\tif depth > 0 {"]
    return "\n".join([*head, *calls, "\t}", "\treturn depth", "}", ""])


LAYOUTS: dict[str, Callable[[Path], None]] = {
    "flat Python": flat_python,
    "src Python": src_python,
    "deep Python": deep_python,
    "Maven": maven,
    "npm workspace": workspace,
    "Go": go_module,
}


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def _write_json(file: Path, data: dict[str, object]) -> None:
    _write(file, json.dumps(data, indent=2) + "\n")
