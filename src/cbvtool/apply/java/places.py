"""The packages of Java files that change places."""

from __future__ import annotations

from collections.abc import Mapping

from cbvtool.apply.java.names import JavaNames
from cbvtool.apply.stopped import Stopped
from cbvtool.plan.naming.language_names import is_java_name

SUFFIX = ".java"
MODULE_INFO = "module-info.java"
PACKAGE_INFO = "package-info.java"


def new_packages(names: JavaNames, moved: Mapping[str, str | None]) -> dict[str, str]:
    """Path today -> package in the target, of the files that go to another one.

    Raises Stopped where the new place tells no package, and for files that must be called as they are.
    """
    found: dict[str, str] = {}
    for old, new in sorted(moved.items()):
        if old not in names.packages or new is None or old == new:
            continue
        _check_name(names, old, new)
        here, there = old.rpartition("/")[0], new.rpartition("/")[0]
        if here == there:
            continue
        package = names.packages[old]
        if old.endswith(f"/{MODULE_INFO}") or old == MODULE_INFO:
            raise Stopped(f"{old} is found by its place, so it cannot be moved.", old)
        root = source_root(here, package)
        if root is None:
            raise Stopped(f"{old} is in package {package}, and its folder is not: move it by hand.", old)
        if root and there != root and not there.startswith(f"{root}/"):
            raise Stopped(
                f"{old} would leave the source folder {root}, and what another one sees the build files say: "
                "move it by hand.",
                old,
            )
        target = there[len(root) :].strip("/").replace("/", ".")
        if not target:
            raise Stopped(f"{old} would be in the unnamed package, from which nothing can be imported.", old)
        for word in target.split("."):
            if not is_java_name(word):
                raise Stopped(f"{old} cannot be in a package called {target}: {word} is no name in Java.", old)
        if target != package:
            found[old] = target
    return found


def source_root(folder: str, package: str) -> str | None:
    """The folder in which packages begin, by a file in `folder` that is in `package`; None = the folder says none."""
    if not package:
        return folder
    tail = package.replace(".", "/")
    if folder == tail:
        return ""
    return folder[: -len(tail) - 1] if folder.endswith(f"/{tail}") else None


def _check_name(names: JavaNames, old: str, new: str) -> None:
    stem, name = (path.rpartition("/")[2].removesuffix(SUFFIX) for path in (old, new))
    if stem == name:
        return
    if stem in ("module-info", "package-info"):
        raise Stopped(f"{old} is found by its name, so it cannot get another one.", old)
    if (names.packages[old], stem) in names.tops and (old, stem) in names.access:
        raise Stopped(f"{old} is named after the type {stem}, so its rename is one of the type: do it by hand.", old)
