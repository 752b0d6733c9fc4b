"""Symbolic links that are tracked: what each of them has to say once files are elsewhere.

A link leads where it led: to the same file or folder, wherever that lies then. Its text stays as it is where that is
still right, also if it leads outside of the folder or nowhere. No link is followed but those in the tree.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping

from cbvtool.apply.stopped import Stopped

_MOST = 40  # links that one path leads through, as Linux has it


def relinked(
    links: Mapping[str, str], paths: Iterable[str], places: Mapping[str, str | None], made: Iterable[str] = ()
) -> dict[str, str]:
    """What the links have to say: new path -> text; those that are removed are left out.

    links   path -> what it says
    paths   of all files, links too
    places  old path -> new path, None = removed; files that stay may be left out
    made    paths of new files

    Raises Stopped for a link to what is removed, and where nobody can say what to write.
    """
    if not links:
        return {}
    kept = {path: places.get(path, path) for path in paths}
    before = _Tree(links, kept)
    wanted: dict[str, tuple[str, str]] = {}  # new path -> (old path, what it has to lead to)
    found: dict[str, str] = {}
    for path, text in sorted(links.items()):
        new = kept[path]
        if new is None:
            continue
        named = before.named(path, text)
        if named is None:
            found[new] = _outside(path, new, text)
            continue
        target = _place(path, named, before, kept)
        stays = path == new and named == target
        found[new] = text if stays or _lexical(new, text) == target else _text(new, target, text)
        wanted[new] = path, target
    after = _Tree(found, [*(new for new in kept.values() if new is not None), *made])
    for new, (path, target) in wanted.items():
        if after.named(new, found[new]) != target:
            raise Stopped(f"{path} is a link to {links[path]}, and would lead elsewhere: change it by hand.", path)
    return found


class _Tree:
    """The paths of one state."""

    def __init__(self, links: Mapping[str, str], paths: Iterable[str]) -> None:
        self.links, self.paths = links, frozenset(paths)
        self.folders = {
            "/".join(path.split("/")[:depth]) for path in self.paths for depth in range(path.count("/") + 1)
        }

    def named(self, path: str, text: str) -> str | None:
        """Path of what a link at `path` names, itself not followed if it is a link; None = it is outside."""
        if text.startswith("/"):
            return None
        here = path.split("/")[:-1]
        todo = list(reversed(text.rstrip("/").split("/")))
        followed = 0
        while todo:
            part = todo.pop()
            if part in ("", "."):
                continue
            if part == "..":
                if not here:
                    return None
                here.pop()
                continue
            here.append(part)
            on_the_way = self.links.get("/".join(here)) if todo else None
            if on_the_way is not None:
                followed += 1
                if on_the_way.startswith("/") or followed > _MOST:
                    return None
                here.pop()
                todo += reversed(on_the_way.split("/"))
        return "/".join(here)


def _place(path: str, named: str, tree: _Tree, kept: Mapping[str, str | None]) -> str:
    """Where the link at `path` has to lead to, which names `named` today."""
    if named in tree.paths:
        new = kept[named]
        if new is None:
            raise Stopped(f"{path} is a link to {named}, which would be gone.", path)
        return new
    folder, rest = named, ""
    while folder not in tree.folders:  # it leads to what is not tracked
        folder, _, name = folder.rpartition("/")
        rest = f"/{name}{rest}"
    return (_folder(path, folder, kept) + rest).lstrip("/")


def _folder(path: str, folder: str, kept: Mapping[str, str | None]) -> str:
    """Where a folder is, which a link at `path` leads to or into."""
    if not folder:
        return ""
    prefix = f"{folder}/"
    news = {old: new for old, new in kept.items() if old.startswith(prefix) and new is not None}
    if not news:
        raise Stopped(f"{path} is a link to {folder}, which would be gone.", path)
    if any(new.startswith(prefix) for new in news.values()):
        return folder
    tops = {
        new.removesuffix(old[len(folder) :]) if new.endswith(old[len(folder) :]) else "" for old, new in news.items()
    }
    if len(tops) > 1 or "" in tops:
        raise Stopped(f"{path} is a link to {folder}, whose files would go to several places.", path)
    return tops.pop()


def _lexical(path: str, text: str) -> str:
    """What a link names if it leads through no other one."""
    found = posixpath.normpath(posixpath.join(posixpath.dirname(path), text))
    return "" if found == "." else found


def _text(path: str, target: str, text: str) -> str:
    """What a link at `path` has to say to lead to `target`, in the way of the text today."""
    found = posixpath.relpath(target or ".", posixpath.dirname(path) or ".")
    return f"{found}/" if text.endswith("/") else found


def _outside(path: str, new: str, text: str) -> str:
    """What a link says that leads outside of the folder."""
    if text.startswith("/") or posixpath.dirname(path) == posixpath.dirname(new):
        return text
    found = _lexical(path, text)
    if not found.startswith("../") and found != "..":
        raise Stopped(f"{path} is a link to {text}, and what that is from {new} nobody can say.", path)
    return "../" * new.count("/") + found
