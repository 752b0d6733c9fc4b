"""The history of a repository as columns: commits by date, and the current files that each one changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.errors import InputError
from cbvtool.mining.churn import Churn

# As in S. Kim et al., Classifying software changes: clean or buggy?, 2008: words in messages of commits that fix
# faults.
FIXES = r"\b(fix|fixes|fixed|fixing|fixup|bug|bugs|bugfix|hotfix|fault|defect|regression|repair|repairs|repaired)\b"


@dataclass(frozen=True, eq=False)
class TouchPlaces:
    """The path under which each touch was made: k places, at least one for each touch.

    touch  int32[k]  row of the touch, ascending
    name   int32[k]  index into `names`
    names  bytes[m]  paths in the commits, from the root of the repository, as git stores them
    """

    touch: npt.NDArray[np.int32]
    name: npt.NDArray[np.int32]
    names: tuple[bytes, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Changes:
    """c commits in ascending date, r touches (changes of a file by a commit) in the order of their commits.

    sha           str[c]    full commit ids
    time          int64[c]  commit date, seconds since the epoch (UTC), ascending
    author        int32[c]  index into `authors` (mail addresses, mapped by mailmap)
    touch_commit  int32[r]  row of the commit, ascending
    touch_path    int32[r]  index into `paths`
    paths         str[p]    paths of **today's** files (changes under former names count for these), relative to the
                            analysed folder, with `/`; bytes that are not UTF-8 are U+FFFD, as in node ids
    shallow       whether the history is cut off: then its oldest commits are missing
    notes         one sentence each about missing or repaired data (no git, no commits, ...)
    head          id of the commit at which the history ends; empty without one
    names         str[len(authors)]  name of each author; empty if unknown
    subjects      str[c]    the first line of each message, shortened; empty if unknown
    files         int32[c]  number of files that each commit changed, also files that are gone now (0 for a merge);
                  empty if unknown
    fixes         pattern of the subjects of commits that fix a fault
    bots          pattern of the names and addresses of bots; empty = the default one
    most_files    a commit couples its files only if it changed at most this many; 0 = the default number
    ticket        pattern of tickets: commits of one ticket form one change set; empty = each commit is one
    churn         changed lines of the touches; None = not counted, or not yet
    places        paths under which the touches were made; None if unknown (a saved graph)
    """

    sha: tuple[str, ...]
    time: npt.NDArray[np.int64]
    author: npt.NDArray[np.int32]
    authors: tuple[str, ...]
    touch_commit: npt.NDArray[np.int32]
    touch_path: npt.NDArray[np.int32]
    paths: tuple[str, ...]
    shallow: bool = False
    notes: tuple[str, ...] = ()
    head: str = ""
    names: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    files: npt.NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))
    fixes: str = FIXES
    bots: str = ""
    most_files: int = 0
    ticket: str = ""
    churn: Churn | None = None
    places: TouchPlaces | None = None

    def alike(self, other: Changes | None) -> bool:
        """Whether the other has the same touches and names; the changed lines may be counted in only one of them."""
        if other is None:
            return False
        return self.sha is other.sha and self.authors is other.authors and self.touch_path is other.touch_path

    def __repr__(self) -> str:
        return f"Changes({len(self.sha):,} commits by {len(self.authors):,} authors to {len(self.paths):,} files)"

    def __post_init__(self) -> None:
        for column in (self.time, self.author, self.touch_commit, self.touch_path, self.files):
            column.flags.writeable = False

    @staticmethod
    def none(note: str) -> Changes:
        """An empty history, with a sentence that says why."""
        empty = np.empty(0, np.int32)
        return Changes((), np.empty(0, np.int64), empty, (), empty.copy(), empty.copy(), (), notes=(note,))

    def name_of(self, author: int) -> str:
        """The name of an author (index into `authors`), else the mail address without its domain."""
        name = self.names[author].strip() if self.names else ""
        return name or self.authors[author].partition("@")[0].rpartition("+")[2] or self.authors[author]

    def to_dict(self) -> dict[str, Any]:
        """The columns as plain lists, for JSON."""
        columns = {
            "head": self.head,
            "shallow": self.shallow,
            "notes": list(self.notes),
            "shas": list(self.sha),
            "times": self.time.tolist(),
            "authors": list(self.authors),
            "author_of": self.author.tolist(),
            "paths": list(self.paths),
            "touch_commit": self.touch_commit.tolist(),
            "touch_path": self.touch_path.tolist(),
        }
        if self.churn is not None:
            columns |= {"added": self.churn.added.tolist(), "deleted": self.churn.deleted.tolist()}
        texts = {"author_names": self.names}
        return columns | {name: list(text) for name, text in texts.items() if text}

    @staticmethod
    def from_dict(columns: Mapping[str, Any]) -> Changes:
        """The changes from the output of `to_dict`.

        Raises InputError when the columns do not fit one another.
        """
        try:
            changes = Changes(
                sha=tuple(map(str, columns["shas"])),
                time=np.array(columns["times"], np.int64),
                author=np.array(columns["author_of"], np.int32),
                authors=tuple(map(str, columns["authors"])),
                touch_commit=np.array(columns["touch_commit"], np.int32),
                touch_path=np.array(columns["touch_path"], np.int32),
                paths=tuple(map(str, columns["paths"])),
                shallow=bool(columns["shallow"]),
                head=str(columns["head"]),
                notes=tuple(map(str, columns.get("notes", ()))),
                names=tuple(map(str, columns.get("author_names", ()))),
                subjects=tuple(map(str, columns.get("subjects", ()))),
                churn=_churn(columns),
            )
        except (KeyError, TypeError, ValueError, OverflowError) as problem:
            raise InputError(f"the history cannot be read: a column is missing or malformed ({problem})") from problem
        changes._check()
        return changes

    def _check(self) -> None:
        fits = (
            self.time.shape == self.author.shape == (len(self.sha),)
            and self.touch_commit.shape == self.touch_path.shape == (len(self.touch_path),)
            and _ascending(self.time)
            and _ascending(self.touch_commit)
            and _below(self.author, len(self.authors))
            and _below(self.touch_commit, len(self.sha))
            and _below(self.touch_path, len(self.paths))
            and len(self.names) in (0, len(self.authors))
            and len(self.subjects) in (0, len(self.sha))
            and len(self.files) in (0, len(self.sha))
            and (self.churn is None or self.churn.added.shape == self.churn.deleted.shape == self.touch_path.shape)
        )
        if not fits:
            raise InputError("the history cannot be read: its columns do not fit one another")


def _churn(columns: Mapping[str, Any]) -> Churn | None:
    if "added" not in columns:
        return None
    return Churn(np.array(columns["added"], np.int32), np.array(columns["deleted"], np.int32))


def _ascending(values: npt.NDArray[Any]) -> bool:
    return bool((values[1:] >= values[:-1]).all())


def _below(values: npt.NDArray[np.int32], limit: int) -> bool:
    """Whether all values are indices into a table of `limit` rows."""
    return bool(((values >= 0) & (values < limit)).all())
