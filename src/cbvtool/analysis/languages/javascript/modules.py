"""Resolver of module specifiers in JavaScript and TypeScript, by the rules of Node and TypeScript.

Nothing is run, and nothing outside the folder is read: modules in `node_modules` are only known by the package's name.

- `./x` and `../x`: the file itself, with a suffix, or the folder's `package.json` or `index`
  (https://nodejs.org/api/modules.html#all-together). In TypeScript `./x.js` may mean `x.ts`
  (https://www.typescriptlang.org/docs/handbook/modules/reference.html#file-extension-substitution).
- `paths`, `baseUrl`, `rootDirs`, `customConditions` and `extends` of the nearest `tsconfig.json` or `jsconfig.json`.
- `#x` and `package/x`: `imports`, `exports` and `main` of a `package.json` in the folder: the file's own, those of its
  workspace (npm, yarn, pnpm, lerna), those it depends on by path.
- A symbolic link is the file of the folder that it leads to, if it leads to one.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from cbvtool.analysis.facts import EXACT, RESOLVED, TYPE_CHECKING, Import
from cbvtool.analysis.resolution import Folder
from cbvtool.matching import Pattern, PatternError, compiled

BUILTINS = frozenset(
    {
        "assert",
        "async_hooks",
        "buffer",
        "child_process",
        "cluster",
        "console",
        "constants",
        "crypto",
        "dgram",
        "diagnostics_channel",
        "dns",
        "domain",
        "events",
        "fs",
        "http",
        "http2",
        "https",
        "inspector",
        "module",
        "net",
        "os",
        "path",
        "perf_hooks",
        "process",
        "punycode",
        "querystring",
        "readline",
        "repl",
        "sea",
        "sqlite",
        "stream",
        "string_decoder",
        "sys",
        "test",
        "timers",
        "tls",
        "trace_events",
        "tty",
        "url",
        "util",
        "v8",
        "vm",
        "wasi",
        "worker_threads",
        "zlib",
    }
)
_ONLY_WITH_SCHEME = frozenset({"sea", "sqlite", "test"})  # `node:test` is Node's, `test` is a package
_SCHEME = re.compile(r"([a-z][a-z0-9+-]*):(//)?", re.IGNORECASE)

TYPED = (".ts", ".tsx", ".mts", ".cts")
_DECLARED = (".d.ts", ".d.mts", ".d.cts")
_PLAIN = (".js", ".jsx", ".mjs", ".cjs")
_OTHERS = (".json", ".vue", ".svelte", ".node")
# A file with code takes precedence over its declaration file, because it is the one that runs and that people edit.
_IN_TYPESCRIPT = (*TYPED, *_PLAIN, *_DECLARED, *_OTHERS)
_IN_JAVASCRIPT = (*_PLAIN, *TYPED, *_DECLARED, *_OTHERS)
_FOR_TYPES = (*TYPED, *_DECLARED, *_PLAIN, *_OTHERS)
_MEANS = {
    ".js": (".ts", ".tsx", ".d.ts"),
    ".jsx": (".tsx", ".d.ts"),
    ".mjs": (".mts", ".d.mts"),
    ".cjs": (".cts", ".d.cts"),
}
_BUILT = frozenset(
    {
        "dist",
        "lib",
        "build",
        "out",
        "output",
        "es",
        "esm",
        "cjs",
        "umd",
        "types",
        "typings",
        "module",
        "commonjs",
        "node",
        "bundle",
        "bundles",
        "target",
        "dist-types",
        "dist-es",
        "dist-cjs",
        "lib-esm",
        "esm5",
        "esm2015",
        "modern",
        "browser",
    }
)
_ASIDE = re.compile(
    r"(?:^|/)(__tests__|__fixtures__|__testfixtures__|__mocks__|tests?|specs?|fixtures?|examples?|samples?|demos?|e2e"
    r"|playgrounds?|templates?|benchmarks?|integration|sandbox(?:es)?)(?=/)",
    re.IGNORECASE,
)
_CONFIGS = ("tsconfig.json", "jsconfig.json")
_WORKSPACES = ("package.json", "pnpm-workspace.yaml", "lerna.json")
_DEEPEST = 20  # configurations that extend each other; real chains have three
_MOST_STEPS = 200  # alternatives in `exports` that are tried


class ModuleTarget(NamedTuple):
    """Target of a specifier: a file (row; -1 = none in the folder), or else the name of an external package.

    outside  empty = part of the project that does not exist: generated, or a wrong path
    """

    file: int = -1
    confidence: int = EXACT
    outside: str = ""
    standard: bool = False


class _Asked(NamedTuple):
    """A specifier in a file of `folder`; whether the file is TypeScript, only types are imported, it is a `require`."""

    folder: str
    name: str
    typed: bool
    types: bool
    required: bool


class _Config(NamedTuple):
    """The settings about modules in a `tsconfig.json`; folders are relative to the analysed one."""

    base: str | None = None
    paths: tuple[tuple[str, tuple[str, ...]], ...] = ()
    paths_base: str = ""
    root_dirs: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()


class Modules:
    """The modules below the analysed folder."""

    def __init__(self, folder: Folder) -> None:
        self._read = folder.read
        self._root = os.path.realpath(folder.root) if folder.root else ""
        self.files = {path: row for row, path in enumerate(folder.paths)}
        self.paths = folder.paths
        self._folders = _all_folders(folder.paths)
        self.packages = {
            posixpath.dirname(path): package
            for path in folder.paths
            if path.endswith("package.json")
            and posixpath.basename(path) == "package.json"
            and isinstance(package := self.json(path), dict)
        }
        self._of_name: dict[str, list[str]] = {}
        for place, package in self.packages.items():
            if isinstance(name := package.get("name"), str):
                self._of_name.setdefault(name, []).append(place)
        self._workspaces = dict(self._members())
        self._config_at = lru_cache(None)(self._find_config)
        self._package_at = lru_cache(None)(self._find_package)
        self._real = lru_cache(None)(self._find_real)
        self._configs: dict[str, _Config] = {}
        self._known: dict[_Asked, ModuleTarget] = {}

    # -- what is asked -----------------------------------------------------------------------------------------

    def find(self, source: int, statement: Import) -> ModuleTarget:
        """The target of the specifier of `statement` in file `source`."""
        path = self.paths[source]
        typed = path.endswith(TYPED)
        types = statement.when == TYPE_CHECKING
        name = statement.module
        if statement.form == "reference path" and not name.startswith("."):
            name = f"./{name}"
        asked = _Asked(posixpath.dirname(path), name, typed, types, statement.form == "require")
        found = self._known.get(asked)
        if found is None:
            found = self._known[asked] = self._find(asked)
        return found

    def _find(self, asked: _Asked) -> ModuleTarget:
        name = asked.name
        if "!" in name:
            asked = asked._replace(name=name.rpartition("!")[2])  # webpack: remove loaders before the module
        found = self._look(asked)
        # Vite: remove the suffix that says how to load it.
        if found.file < 0 and (mark := re.search(r"[?#]", asked.name[1:])):
            found = self._look(asked._replace(name=asked.name[: mark.start() + 1]))
        return found

    def _look(self, asked: _Asked) -> ModuleTarget:
        name = asked.name
        if name in (".", "..") or name.startswith(("./", "../")):
            return self._relative(asked)
        if name.startswith("/"):
            return self._from_root(asked)
        if name.startswith("#"):
            return self._mapped(asked) or self._internal(asked) or self._mapped_above(asked) or ModuleTarget()
        if scheme := _SCHEME.match(name):
            return _with_scheme(name, scheme)
        found = self._mapped(asked) or self._packaged(asked)
        if found is None or found.file < 0 or found.confidence != EXACT:
            found = self._mapped_above(asked) or found
        if found:
            return found
        top = name.partition("/")[0]
        if top in BUILTINS and top not in _ONLY_WITH_SCHEME and (top == name or top not in self._of_name):
            return ModuleTarget(outside=top, standard=True)
        if name.startswith(("@/", "~/")):
            return self._by_custom(asked) or ModuleTarget()
        package, _ = _split(name)
        return ModuleTarget(outside=package) if package else ModuleTarget()

    # -- files and folders -------------------------------------------------------------------------------------

    def _relative(self, asked: _Asked) -> ModuleTarget:
        path = _joined(asked.folder, asked.name)
        target = self._at(path, asked)
        if target is not None:
            return target
        for root in self._config_at(asked.folder).root_dirs:
            inside = _inside(path, root)
            if inside is None:
                continue
            for other in self._config_at(asked.folder).root_dirs:
                target = self._at(posixpath.join(other, inside) if other else inside, asked)
                if target is not None:
                    return target
        return self._behind_link(path, asked) or ModuleTarget()

    def _behind_link(self, path: str, asked: _Asked) -> ModuleTarget | None:
        """The file that a symbolic link at or above `path` leads to."""
        if not self._root or path.startswith("../"):
            return None
        folder, name = posixpath.split(path)
        real = self._real(folder)
        if real != folder:
            return None if real is None else self._at(_joined(real, name), asked)
        for ending in ("", *(_IN_TYPESCRIPT if asked.typed else _IN_JAVASCRIPT)):
            if os.path.islink(f"{self._root}/{path}{ending}"):
                real = self._real(path + ending)
                return None if real is None else self._at(real, asked)
        return None

    def _find_real(self, path: str) -> str | None:
        """`path` without symbolic links; None = it leads out of the folder."""
        real = os.path.realpath(f"{self._root}/{path}")
        return _inside(real.replace(os.sep, "/"), self._root.replace(os.sep, "/"))

    def _from_root(self, asked: _Asked) -> ModuleTarget:
        """The target of `/x`, which bundlers resolve from the package's folder."""
        for place in dict.fromkeys((self._package_at(asked.folder), "")):
            if place is not None:
                target = self._at(_joined(place, asked.name.lstrip("/")), asked)
                if target is not None:
                    return target._replace(confidence=RESOLVED)
        return ModuleTarget()

    def _by_custom(self, asked: _Asked) -> ModuleTarget | None:
        """The target of `@/x` or `~/x` by convention: a path in the package's `src`, or in its folder."""
        place = self._package_at(asked.folder) or ""
        for root in (_joined(place, "src"), place):
            target = self._at(_joined(root, asked.name[2:]), asked)
            if target is not None:
                return target._replace(confidence=RESOLVED)
        return None

    def _at(self, path: str, asked: _Asked) -> ModuleTarget | None:
        """The file at `path`, or the file that represents the folder there."""
        if path.startswith("../"):
            return None
        only_folder = asked.name.endswith("/") or asked.name.rpartition("/")[2] in (".", "..")
        if not only_folder:
            target = self._file(path, asked.typed, asked.types)
            if target is not None:
                return ModuleTarget(target)
        return self._in_folder(path, asked)

    def _file(self, path: str, typed: bool, types: bool) -> int | None:
        stem, suffix = posixpath.splitext(path)
        means = _MEANS.get(suffix, ())
        if typed:
            for other in means:
                if other not in _DECLARED and stem + other in self.files:
                    return self.files[stem + other]
            if types and (declared := next((stem + other for other in means if stem + other in self.files), None)):
                return self.files[declared]
        if path in self.files:
            return self.files[path]
        for ending in _FOR_TYPES if types else _IN_TYPESCRIPT if typed else _IN_JAVASCRIPT:
            if path + ending in self.files:
                return self.files[path + ending]
        for other in means:  # also for JavaScript, which may import files compiled from TypeScript
            if stem + other in self.files:
                return self.files[stem + other]
        return None

    def _in_folder(self, path: str, asked: _Asked) -> ModuleTarget | None:
        path = path.rstrip("/")
        if path in ("", "."):
            path = ""
        elif path not in self._folders:
            return None
        package = self.packages.get(path)
        if package is not None:
            for field in ("types", "typings", "main") if asked.types else ("main", "module", "types", "typings"):
                main = package.get(field)
                if isinstance(main, str) and main:
                    inner = _joined(path, main)
                    target = self._file(inner, asked.typed, asked.types)
                    if target is None and inner != path:
                        target = self._file(f"{inner}/index", asked.typed, asked.types)
                    if target is not None:
                        return ModuleTarget(target) if asked.types or asked.typed else self._with_code(target)
        target = self._file(_joined(path, "index"), asked.typed, asked.types)
        return None if target is None else ModuleTarget(target)

    def _with_code(self, target: int) -> ModuleTarget:
        """`target`; if that is a TypeScript declaration file (`.d.ts`), the source file beside it, if there is one."""
        path = self.paths[target]
        declared = next((ending for ending in _DECLARED if path.endswith(ending)), None)
        if declared is not None:
            stem = path.removesuffix(declared)
            for ending in (*_PLAIN, *TYPED):
                if stem + ending in self.files:
                    return ModuleTarget(self.files[stem + ending], RESOLVED)
        return ModuleTarget(target)

    # -- tsconfig ----------------------------------------------------------------------------------------------

    def _mapped(self, asked: _Asked) -> ModuleTarget | None:
        """The target by `paths` and `baseUrl` of the nearest configuration."""
        return self._by_config(self._config_at(asked.folder), asked)

    def _mapped_above(self, asked: _Asked) -> ModuleTarget | None:
        """The target by those of a configuration further up."""
        place, config = self._nearest_config(asked.folder)
        while config is not None and (folder := _above(place)) is not None:
            place, config = self._nearest_config(folder)
            target = None if config is None else self._by_config(config, asked)
            if target is not None:
                return target._replace(confidence=RESOLVED)
        return None

    def _by_config(self, config: _Config, asked: _Asked) -> ModuleTarget | None:
        best: tuple[int, str, tuple[str, ...]] | None = None
        for pattern, targets in config.paths:
            middle = _matched(pattern, asked.name)
            if middle is None:
                continue
            length = len(pattern.partition("*")[0]) if "*" in pattern else 1_000_000
            if best is None or length > best[0]:
                best = (length, middle, targets)
        if best is not None:
            for target in best[2]:
                found = self._at(_joined(config.paths_base, target.replace("*", best[1], 1)), asked)
                if found is not None:
                    return found
        if config.base is None or asked.name.startswith("#"):
            return None
        found = self._at(_joined(config.base, asked.name), asked)
        guessed_data = found and self.paths[found.file].endswith(".json") and not asked.name.endswith(".json")
        return None if guessed_data else found  # `react` does not refer to `react.json`

    def _find_config(self, folder: str) -> _Config:
        return self._nearest_config(folder)[1] or _Config()

    def _nearest_config(self, folder: str) -> tuple[str, _Config | None]:
        """The folder of the nearest configuration at or above `folder`, and its settings."""
        at: str | None = folder
        while at is not None:
            for name in _CONFIGS:
                if _joined(at, name) in self.files:
                    return at, self._config(_joined(at, name))
            at = _above(at)
        return "", None

    def _config(self, path: str, depth: int = 0) -> _Config:
        found = self._configs.get(path)
        if found is None:
            self._configs[path] = _Config()  # guards against one that extends itself by mistake
            found = self._configs[path] = self._read_config(path, depth)
        return found

    def _read_config(self, path: str, depth: int) -> _Config:
        content = self.json(path)
        if not isinstance(content, dict) or depth > _DEEPEST:
            return _Config()
        folder = posixpath.dirname(path)
        config = _Config()
        extended = content.get("extends")
        for name in [extended] if isinstance(extended, str) else extended if isinstance(extended, list) else []:
            other = self._extended(folder, name) if isinstance(name, str) else None
            if other is not None:
                above = self._config(other, depth + 1)
                config = _Config(
                    above.base if above.base is not None else config.base,
                    above.paths or config.paths,
                    above.paths_base if above.paths else config.paths_base,
                    above.root_dirs or config.root_dirs,
                    above.conditions or config.conditions,
                )
        config = _with_options(config, content.get("compilerOptions"), folder)
        references = content.get("references")
        if not config.paths and config.base is None and isinstance(references, list):
            for reference in references:
                other = self._referenced(folder, reference)
                inner = self._config(other, depth + 1) if other is not None else _Config()
                if inner.paths or inner.base is not None:
                    return inner
        return config

    def _extended(self, folder: str, name: str) -> str | None:
        """Path of the configuration named by `extends`; None = it is not in the folder."""
        if name.startswith("."):
            path = _joined(folder, name)
        else:
            package, rest = _split(name)
            place = self._choose(folder, package)[0]
            if place is None:
                return None
            path = _joined(place, rest or "tsconfig.json")
        return next((at for at in (path, f"{path}.json", _joined(path, "tsconfig.json")) if at in self.files), None)

    def _referenced(self, folder: str, reference: object) -> str | None:
        """The configuration in the same folder that the `references` of a solution name."""
        name = reference.get("path") if isinstance(reference, dict) else None
        path = _joined(folder, name) if isinstance(name, str) else ""
        return path if path in self.files and posixpath.dirname(path) == folder else None

    # -- packages ----------------------------------------------------------------------------------------------

    def _packaged(self, asked: _Asked) -> ModuleTarget | None:
        """The target of a specifier that names a package of the folder."""
        name, rest = _split(asked.name)
        place, confidence = self._choose(asked.folder, name)
        if place is None:
            return None
        return self._in_package(place, rest, asked, confidence) or ModuleTarget()

    def _choose(self, folder: str, name: str) -> tuple[str | None, int]:
        """Folder of the package called `name` that files in `folder` refer to, and the confidence."""
        places = self._of_name.get(name, [])
        own = self._package_at(folder)
        if own in places and "exports" in self.packages[own]:
            return own, EXACT
        linked = self._linked(own, name) if own is not None else None
        if linked is not None:
            return linked, EXACT
        members = [place for place in places if place in self._workspaces and _is_in(folder, self._workspaces[place])]
        if members:
            return max(members, key=lambda place: (len(self._workspaces[place]), -len(place))), EXACT
        if own in places:  # only a package with `exports` can import itself (Node, "Self-referencing a package")
            return (None, EXACT) if self._dependency(own, name) else (own, RESOLVED)
        seen = [place for place in places if _is_in(f"{folder}/", _aside(place))]
        return (seen[0], RESOLVED) if len(seen) == 1 else (None, EXACT)

    def _linked(self, own: str, name: str) -> str | None:
        """The folder of the dependency `name` of the package in the folder `own`, if that is declared by a path."""
        wanted = self._dependency(own, name)
        if wanted.startswith(("file:", "link:", "portal:")):
            place = _joined(own, wanted.partition(":")[2])
            return place if place in self.packages else None
        return None

    def _dependency(self, own: str, name: str) -> str:
        """The required version of `name` in the package in the folder `own`; empty = not a dependency."""
        for field in ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies"):
            listed = self.packages[own].get(field)
            wanted = listed.get(name) if isinstance(listed, dict) else None
            if isinstance(wanted, str):
                return wanted
        return ""

    def _in_package(self, place: str, rest: str, asked: _Asked, confidence: int) -> ModuleTarget | None:
        package = self.packages[place]
        exports = package.get("exports")
        wanted: list[tuple[str, int]] = []
        if exports is not None:
            exported = _exported(exports, f"./{rest}" if rest else ".", asked, self._config_at(asked.folder).conditions)
            if exported is None:
                return None
            wanted = exported
        if not rest:
            sure = EXACT if exports is None else RESOLVED
            fields = ("types", "typings", "main", "module") if asked.types else ("main", "module", "types")
            wanted += [(main, sure) for field in fields if isinstance(main := package.get(field), str)]
            if isinstance(source := package.get("source"), str):
                wanted.append((source, RESOLVED))
        if exports is None or not rest:
            wanted.append((rest or ".", EXACT if exports is None else RESOLVED))
        found = self._first(place, wanted, asked)
        return None if found is None else found._replace(confidence=max(confidence, found.confidence))

    def _first(self, place: str, wanted: list[tuple[str, int]], asked: _Asked) -> ModuleTarget | None:
        """The file of the first path that exists, or whose source exists, because a build may create exported files."""
        inner = asked._replace(folder=place)
        for path, confidence in wanted:
            target = self._at(_joined(place, path), inner._replace(name=path))
            if target is not None:
                return target._replace(confidence=max(confidence, target.confidence))
            for source in _sources("index" if path == "." else path):
                target = self._at(_joined(place, source), inner._replace(name=source))
                if target is not None:
                    return target._replace(confidence=RESOLVED)
        return None

    def _internal(self, asked: _Asked) -> ModuleTarget | None:
        """The target of `#x`: by `imports` of the file's own package."""
        place = self._package_at(asked.folder)
        if place is None:
            return None
        conditions = self._config_at(asked.folder).conditions
        for path, sure in _exported(self.packages[place].get("imports"), asked.name, asked, conditions) or ():
            if path.startswith("."):
                # bundlers accept paths out of the package, Node does not
                found = self._first(place, [(path, RESOLVED if path.startswith("../") else sure)], asked)
                if found is not None:
                    return found
            elif not path.startswith("#"):
                return self._look(asked._replace(name=path, folder=place))
        return None

    def _find_package(self, folder: str) -> str | None:
        """The nearest folder at or above `folder` that is a package."""
        at: str | None = folder
        while at is not None and at not in self.packages:
            at = _above(at)
        return at

    def _members(self) -> Iterator[tuple[str, str]]:
        """Packages of workspaces: folder -> the workspace's folder; the innermost workspace comes last."""
        roots = sorted(
            {posixpath.dirname(path) for path in self.paths if posixpath.basename(path) in _WORKSPACES}, key=len
        )
        for root in roots:
            patterns = self._workspace_patterns(root)
            wanted = [found for one in patterns if not one.startswith("!") and (found := _glob(one))]
            unwanted = [found for one in patterns if one.startswith("!") and (found := _glob(one[1:]))]
            if not wanted:
                continue
            for place in self.packages:
                inside = _inside(place, root)
                if inside is None:
                    continue
                if inside == "" or (
                    any(pattern.search(inside) for pattern in wanted)
                    and not any(pattern.search(inside) for pattern in unwanted)
                ):
                    yield place, root

    def _workspace_patterns(self, root: str) -> list[str]:
        found: list[Any] = []
        listed = self.packages.get(root, {}).get("workspaces")
        if isinstance(listed, dict):
            listed = listed.get("packages")
        found += listed if isinstance(listed, list) else []
        lerna = self.json(_joined(root, "lerna.json"))
        listed = lerna.get("packages") if isinstance(lerna, dict) else None
        found += listed if isinstance(listed, list) else []
        pnpm = self._read(_joined(root, "pnpm-workspace.yaml"))
        if pnpm is not None:
            found += _listed_in_yaml(pnpm.decode("utf-8", "replace"))
        return [pattern for pattern in found if isinstance(pattern, str) and len(pattern) < 200]

    def json(self, path: str) -> Any:
        """The content of a JSON file with optional comments and trailing commas; None = there is none."""
        data = self._read(path) if path in self.files else None
        return None if data is None else parse_json(data)


# An unclosed string or comment extends to the end of the file. Otherwise the search would restart at each quote.
_NO_JSON = re.compile(r'("(?>(?:[^"\\]|\\.)*)(?:"|\\?\Z))|/\*.*?(?:\*/|\Z)|//[^\n]*', re.DOTALL)
_COMMA_TOO_MUCH = re.compile(r'("(?>(?:[^"\\]|\\.)*)(?:"|\\?\Z))|,(?=\s*+[}\]])', re.DOTALL)


def parse_json(data: bytes) -> Any:
    """JSON with comments and trailing commas, as TypeScript accepts it in its configuration; None = not JSON."""
    text = data.decode("utf-8-sig", "replace")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return json.loads(_COMMA_TOO_MUCH.sub(r"\1", _NO_JSON.sub(r"\1", text)))
    except (ValueError, RecursionError):
        return None


def _with_options(config: _Config, options: object, folder: str) -> _Config:
    """`config` updated with the `compilerOptions` of a configuration in `folder`."""
    if not isinstance(options, dict):
        return config
    base = options.get("baseUrl")
    if isinstance(base, str):
        config = config._replace(base=_joined(folder, base.replace("${configDir}", ".")))
    paths = options.get("paths")
    if isinstance(paths, dict):
        found = [
            (pattern, tuple(target.replace("${configDir}", ".") for target in targets if isinstance(target, str)))
            for pattern, targets in paths.items()
            if isinstance(targets, list)
        ]
        config = config._replace(paths=tuple(found), paths_base=folder if config.base is None else config.base)
    roots = options.get("rootDirs")
    if isinstance(roots, list):
        config = config._replace(root_dirs=tuple(_joined(folder, root) for root in roots if isinstance(root, str)))
    custom = options.get("customConditions")
    if isinstance(custom, list):
        config = config._replace(conditions=tuple(name for name in custom if isinstance(name, str)))
    return config


def _with_scheme(name: str, scheme: re.Match[str]) -> ModuleTarget:
    """The target of `node:fs`, `https://deno.land/x` or `virtual:pwa`."""
    rest = name[scheme.end() :]
    if scheme[1] == "node":
        return ModuleTarget(outside=rest.partition("/")[0], standard=True)
    if scheme[2]:
        return ModuleTarget(outside=rest.partition("/")[0])
    if scheme[1] in ("npm", "jsr"):
        package, _ = _split(rest)
        return ModuleTarget(outside=package)
    return ModuleTarget(outside="" if scheme[1] in ("data", "blob", "file") else name)


def _exported(table: object, name: str, asked: _Asked, conditions: tuple[str, ...]) -> list[tuple[str, int]] | None:
    """Paths to which `name` may refer by a package's `exports` or `imports`, in the order in which they are tried.

    The first path that fits the conditions is certain. The others are used if a build creates that one, or for other
    conditions. Empty = `name` is not listed, None = it is excluded (`null`).
    https://nodejs.org/api/packages.html#subpath-patterns
    """
    if isinstance(table, str | list) or (isinstance(table, dict) and not any(key[:1] in ".#" for key in table)):
        table = {".": table}
    if not isinstance(table, dict):
        return []
    best, middle = "", ""
    for pattern in table:
        matched = _matched(pattern, name)
        if matched is None and pattern.endswith("/") and name.startswith(pattern):
            matched = name[len(pattern) :]  # a folder mapping, as in older versions of Node
        if matched is not None and (pattern == name or len(pattern.partition("*")[0]) > len(best.partition("*")[0])):
            best, middle = pattern, matched
            if pattern == name:
                break
    if not best:
        return []
    if table[best] is None:
        return None
    how = ("require" if asked.required else "import", "node", "default", *conditions)
    found: dict[str, int] = {}
    for types in (asked.types, not asked.types):
        for target, fits in _chosen(table[best], how, types):
            path = target + middle if target.endswith("/") else target.replace("*", middle)
            found.setdefault(path, RESOLVED if found or not fits else EXACT)
    return list(found.items())


def _chosen(value: object, how: tuple[str, ...], types: bool) -> Iterator[tuple[str, bool]]:
    """The targets in a tree of conditions, those that fit the conditions `how` first; and whether each fits."""
    todo, steps = [value], 0
    later: list[object] = []
    fits = True
    while (todo or later) and steps < _MOST_STEPS:
        steps += 1
        if not todo:
            todo, later, fits = later, [], False
        at = todo.pop(0)
        if isinstance(at, str):
            yield at, fits
        elif isinstance(at, list):
            todo = [*at, *todo]
        elif isinstance(at, dict):
            fit = [key for key in at if key in how or (types and key.startswith("types"))]
            rest = [key for key in at if key not in fit]
            todo = [*map(at.__getitem__, fit), *todo]
            later += [at[key] for key in sorted(rest, key=lambda key: not key.startswith("types"))]


def _sources(path: str) -> Iterator[str]:
    """Possible sources of a built file: `dist/esm/a.js` comes from `src/a`, or `a`."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if not parts or ".." in parts:
        return
    last = parts[-1]
    for ending in (*_DECLARED, *_PLAIN, *TYPED):
        if last.endswith(ending):
            last = last.removesuffix(ending)
            break
    parts[-1] = re.sub(r"[.-](?:cjs|esm|min|umd|mjs|development|production|prod|module|common|node|browser)$", "", last)
    begin = 0
    while begin < len(parts) - 1 and parts[begin] in _BUILT:
        begin += 1
    for start in range(begin, -1, -1):
        inside = "/".join(parts[start:])
        yield f"src/{inside}"
        if start:
            yield inside
    if begin and begin == len(parts) - 1:
        yield "src/index"
        yield "index"


def _listed_in_yaml(text: str) -> list[str]:
    """The entries below `packages:`; nothing else of YAML occurs in these files."""
    found: list[str] = []
    inside = False
    for line in text.splitlines()[:10_000]:
        entry = re.match(r"\s*-\s*(['\"]?)([^'\"#\n]+)\1", line)
        if re.match(r"packages\s*:", line):
            inside = True
            found += re.findall(r"['\"]([^'\"]+)['\"]", line)  # packages: ["a", "b"]
        elif entry and inside:
            found.append(entry[2].strip())
        elif line[:1].strip() and not line.startswith("#"):
            inside = False
    return found


def _glob(pattern: str) -> Pattern | None:
    """A pattern of workspaces: `*` is a part of a path, `**` any number of them. None = not a valid pattern."""
    text = pattern.removeprefix("./").strip("/")
    parts = []
    for part in text.split("/"):
        if part == "**":
            parts.append(r"(?:[^/]+/)*?")
        else:
            parts.append(re.sub(r"(?:\\\*)+", "[^/]*", re.escape(part)) + "/")
    whole = "".join(parts)
    try:
        return compiled(f"^{whole[:-1]}$" if whole.endswith("/") else f"^{whole}[^/]+$")
    except PatternError:
        return None


def _matched(pattern: str, name: str) -> str | None:
    """The text that the `*` of `pattern` matches in `name`; empty if it has none, None = no match."""
    before, star, after = pattern.partition("*")
    if not star:
        return "" if pattern == name else None
    if len(name) < len(before) + len(after) or not (name.startswith(before) and name.endswith(after)):
        return None
    return name[len(before) : len(name) - len(after)]


def _split(name: str) -> tuple[str, str]:
    """The package and the path in it: `@a/b/c` is (`@a/b`, `c`)."""
    parts = name.split("/")
    count = 2 if name.startswith("@") and len(parts) > 1 else 1
    return "/".join(parts[:count]), "/".join(parts[count:])


def _all_folders(paths: list[str]) -> set[str]:
    folders: set[str] = set()
    for path in paths:
        folder = posixpath.dirname(path)
        while folder and folder not in folders:
            folders.add(folder)
            folder = posixpath.dirname(folder)
    return folders


def _joined(folder: str, path: str) -> str:
    """The path from the analysed folder; one that leads out of it begins with `../`, and the folder itself is empty."""
    found = posixpath.normpath(f"{folder}/{path}" if folder else path)
    return "" if found == "." else found.lstrip("/") if not found.startswith("..") else found + "/"


def _above(folder: str) -> str | None:
    return posixpath.dirname(folder) if folder else None


def _inside(path: str, folder: str) -> str | None:
    """`path` relative to `folder`; None = it is not inside."""
    if not folder:
        return path
    if path == folder:
        return ""
    return path[len(folder) + 1 :] if path.startswith(f"{folder}/") else None


def _is_in(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")


def _aside(place: str) -> str:
    """The innermost folder of tests or examples that contains the package at `place`; empty = none."""
    ends = [found.end() for found in _ASIDE.finditer(f"{place}/")]
    return place[: ends[-1]] if ends else ""
