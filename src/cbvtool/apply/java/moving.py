"""Java files that go to other packages, and everything that names what they hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from cbvtool.apply.java.access import must_stay_seen
from cbvtool.apply.java.names import JavaNames
from cbvtool.apply.java.places import MODULE_INFO, SUFFIX, new_packages, source_root
from cbvtool.apply.java.rewriting import PackageChanges, rewritten
from cbvtool.apply.java.source import java_source, words_of
from cbvtool.apply.source import Edit, spliced
from cbvtool.apply.stopped import Stopped

_OTHERS = (".kt", ".kts", ".scala", ".groovy")  # languages that use Java types, and are not rewritten
_SERVICES = "META-INF/services/"
_ASKS = re.compile(rb"\b(?:getResource(?:AsStream)?|getPackage(?:Name)?)\s*\(")


class JavaMoves:
    """See `MoveLanguage`."""

    name = "Java"
    where = _ASKS
    needs_imports = False

    def reads(self, path: str) -> bool:
        """See `MoveLanguage`."""
        return path.endswith((SUFFIX, *_OTHERS)) or _SERVICES in path

    def owns(self, path: str) -> bool:
        """See `MoveLanguage`."""
        return path.endswith(SUFFIX)

    def rewrites(self, importer: str, imported: str) -> bool:
        """See `MoveLanguage`."""
        return self.owns(importer) and self.owns(imported)

    def changed(
        self, paths: frozenset[str], contents: Mapping[str, bytes], moved: Mapping[str, str | None]
    ) -> dict[str, bytes]:
        """See `MoveLanguage`."""
        names = _names(contents)
        packages = new_packages(names, moved)
        gone = [path for path, new in moved.items() if new is None and path in names.packages]
        if not packages and not gone:
            return {}
        after = {
            path: packages.get(path, package)
            for path, package in names.packages.items()
            if moved.get(path, path) is not None
        }
        changes = PackageChanges(names, after)
        left = {names.packages[path] for path in [*packages, *gone]}
        for package in sorted(left):
            must_stay_seen(names, package, after)
        words = _words(names, [*packages, *gone])
        found: dict[str, bytes] = {}
        concerned = {*left, *packages.values()}
        for path in sorted(after):
            content = contents[path]
            near = names.packages[path] in concerned or after[path] in concerned
            if near or not words.isdisjoint(words_of(content)):
                edits = _module_edits(path, changes) if path.endswith(MODULE_INFO) else []
                edits += rewritten(path, changes)
                if edits:
                    found[path] = spliced(content, edits)
        return found | _others(contents, changes, {*packages, *gone})

    def forwarder(self, path: str, new: str, contents: Mapping[str, bytes]) -> bytes | None:
        """See `MoveLanguage`: there is none in Java."""
        raise Stopped(f"{path}: in Java a class under its old name would be another class. Leave --forward out.", path)

    def called(self, contents: Mapping[str, bytes], places: Mapping[str, str | None]) -> set[str]:
        """See `MoveLanguage`."""
        names = _names(contents)
        try:
            packages = new_packages(names, places)
        except Stopped:
            return set()
        gone = [path for path, new in places.items() if new is None and path in names.packages]
        found = {f"{names.packages[path]}.{name}" for path, name in names.access if path in {*packages, *gone}}
        left = {names.packages[path] for path in packages}
        there = {packages.get(path, package) for path, package in names.packages.items() if path not in gone}
        return found | {one for one in left if not any(f"{other}.".startswith(f"{one}.") for other in there)}

    def doubtful(
        self, paths: frozenset[str], contents: Mapping[str, bytes], places: Mapping[str, str | None]
    ) -> tuple[tuple[str, int, str], ...]:
        """See `MoveLanguage`: what is no full name is not taken for one."""
        return ()


def _names(contents: Mapping[str, bytes]) -> JavaNames:
    java = {path: content for path, content in contents.items() if path.endswith(SUFFIX)}
    return JavaNames(java, lambda path: java_source(java[path]))


def _words(names: JavaNames, paths: Iterable[str]) -> frozenset[str]:
    """What a file that names something in these files, or their packages, has in it."""
    listed = set(paths)
    found = {name for path, name in names.access if path in listed}
    found |= {names.packages[path].rpartition(".")[2] for path in listed}
    return frozenset(name for name in found if name)


def _module_edits(path: str, changes: PackageChanges) -> list[Edit]:
    """The edits of what a module exports and opens. Raises Stopped where nobody can say what is meant."""
    names, edits = changes.names, []
    exported, types = names.source(path).exported, {file for file, _ in names.access}
    said = {(kind, _dotted(name.parts)) for kind, name in exported}
    for kind, name in exported:
        package = _dotted(name.parts)
        listed = names.files.get(package, ())
        inside = [file for file in listed if file in types and _is_in_module(names, file, path)]
        targets = {changes.after[file] for file in inside if file in changes.after}
        if not inside or targets == {package}:
            continue
        new = next(iter(targets)) if len(targets) == 1 else None
        if new is not None and new not in names.files:
            edits.append(Edit(name.parts[0].start, name.parts[-1].end, new))
            continue
        lacking = sorted(target for target in targets - {package} if (kind, target) not in said)
        if lacking or package not in targets:
            what = f"not {lacking[0]}" if lacking else "nothing would be left in it"
            raise Stopped(f"{path} {kind} {package}, and {what}: change it by hand first.", path)
    return edits


def _dotted(parts: Iterable[tuple[str, int, int]]) -> str:
    return ".".join(part[0] for part in parts)


def _is_in_module(names: JavaNames, file: str, info: str) -> bool:
    root = source_root(file.rpartition("/")[0], names.packages[file])
    folder = info.rpartition("/")[0]
    return root is not None and (root == folder or root.rpartition("/")[0] == folder.rpartition("/")[0] != "")


def _others(contents: Mapping[str, bytes], changes: PackageChanges, paths: Iterable[str]) -> dict[str, bytes]:
    """Lists of services with new names. Raises Stopped for other files that name what moves, and are not changed."""
    names, new_of = changes.names, dict[str, str]()
    for path, name in names.access:
        if path in paths:
            old = f"{names.packages[path]}.{name}"
            new_of[old] = f"{changes.after[path]}.{name}" if path in changes.after else ""
    found = {}
    full = {name.rpartition(".")[2]: name for name in new_of}
    for path, content in sorted(contents.items()):
        if _SERVICES in path:
            service = path.rpartition("/")[2]
            if service in new_of:
                raise Stopped(f"{path} is named after {service}: move that by hand.", path)
            edits = list[Edit]()
            for match in re.finditer(rb"^[\w.$]+", content, re.MULTILINE):
                name = match[0].decode("utf-8", "replace")
                if new_of.get(name) == "":
                    raise Stopped(f"{path} names {name}, which would be gone.", path)
                if name in new_of:
                    edits.append(Edit(match.start(), match.end(), new_of[name]))
            if edits:
                found[path] = spliced(content, edits)
        elif path.endswith(_OTHERS):
            text = content.decode("utf-8", "replace")
            words = words_of(content)
            for simple, name in full.items():
                if simple in words and re.search(rf"\b{re.escape(name.rpartition('.')[0])}\b", text):
                    raise Stopped(f"{path} names {name}, and is not Java: change it by hand first.", path)
    return found
