"""Where the files of one commit are later, as the commits between say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from cbvtool.mining.first_parents import FilesOfCommit


@dataclass(frozen=True)
class FileMoves:
    """Files that are not simply where they were, by their path at first.

    path       where a file is, or was last; None = another file took that place
    put_back   files that were removed, and something was added where they were last
    """

    path: Mapping[str, str | None] = field(default_factory=lambda: MappingProxyType({}))
    put_back: frozenset[str] = frozenset()
    _file_at: Mapping[str, str | None] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    _removed: frozenset[str] = field(default=frozenset(), repr=False)

    def at_first(self, path: str) -> str | None:
        """Where the file at `path` was at first; None = it is new. Of a path that never changed that path itself."""
        return self._file_at.get(path, path)

    def then(self, commit: FilesOfCommit) -> FileMoves:
        """The same after one more commit."""
        if not (commit.renamed or commit.added or commit.removed):
            return self
        path, file_at = dict(self.path), dict(self._file_at)
        put_back, removed = set(self.put_back), set(self._removed)
        moving = [(self.at_first(old), old, new) for old, new in commit.renamed]
        for gone in commit.removed:
            if (file := self.at_first(gone)) is not None:
                removed.add(file)
        for file, old, _ in moving:
            file_at[old] = None
            if file is not None:
                path[file] = None
        for file, _, new in moving:
            before = file_at.get(new, new)
            if before is not None and before != file and path.get(before, before) == new:
                path[before] = None  # it was removed, and now another file has its place
            file_at[new] = file
            if file is not None:
                path[file] = new
                put_back.discard(file)
                removed.discard(file)
        for new in commit.added:
            if (file := file_at.get(new, new)) in removed and file is not None:
                put_back.add(file)
                removed.discard(file)
        return FileMoves(path, frozenset(put_back), file_at, frozenset(removed))
