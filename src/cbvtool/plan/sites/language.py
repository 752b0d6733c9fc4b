"""The interface by which a language contributes its rules to the search for sites.

One file a language (`python.py`, `c.py`, ...) with a class that has what `Language` asks for, and one row in
`languages.py`. A language answers for the sites **in its own files**, whatever it is that moves: a C file that includes
a C++ header is C's. The search (`find.py`) does the rest: it asks every language, finds the sites of files that no
language answers for, or whose text cannot be read, by the relations of the graph (`relations.py`), looks for
`spellings` in configuration, documentation and strings (`mentions.py`), joins what stands on one line, and sorts.

What the rules are made of:

- `planned.files`: each file whose path changes, or that is removed, those inside moved folders too. Ask
  `planned.new_path(file)` for both ends of an import: what moves together may stay right.
- `planned.parts`: classes, functions, ... that get another name, are removed, or go to another file.
- `planned.uses_of(keys)`, `planned.uses_by(keys)`: the relations of the graph, with file, line, kind, and whether they
  are sure. They say which file an import means, so that a rule need not find that out again; the text says how it is
  written.
- `planned.text(file)`: its lines; `code` is without comments and strings, `bare` without comments.
- `planned.mentions(word)`: where a word stands in any file, for what the graph does not know. Announce such words by
  `words`, so that all files are read once.
- `words.py`: patterns for names, `definition_site`, `use_sites` (sites of a renamed part by the graph and the text).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Protocol

from cbvtool.plan.sites.planned import Planned
from cbvtool.plan.sites.site import Site


class SiteLanguage(Protocol):
    """The rules of one language, or of several that share them."""

    @property
    def suffixes(self) -> Collection[str]:
        """What stands behind the last dot of the names of its files: `py`, `pyi`."""

    def words(self, planned: Planned) -> Iterable[str]:
        """The words that `sites` and `spellings` will ask `planned.mentions` for."""

    def sites(self, planned: Planned) -> Iterator[Site]:
        """The sites in those of its files that can be read (`words.is_read`); in any order, duplicates allowed.

        Of each site: `cause` is that of the file or part that changes; `certainty` is `must` where a sure relation or
        a plain reading of the text says so, else `check` with a `reason`; `names` are those that stand there, or that
        the new import names. A line to add has `line=None` and `after`.
        """

    def spellings(self, planned: Planned) -> Iterable[tuple[str, int]]:
        """(name, cause): how configuration and documentation write what moves out of its files, and whose doing it is.

        Names that are precise: dotted or slashed ones (`flask.cli`, `org.shop.Cart`). Paths need not be told.
        """
