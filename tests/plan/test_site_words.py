"""Sites in words: every class under its own name (NEW-9)."""

from __future__ import annotations

from typing import get_args

from cbvtool.plan.site_words import NOUNS, line_words, place_words, sites_in_files
from cbvtool.plan.sites.site import Site, SiteKind


def test_every_class_of_site_has_its_own_name() -> None:
    """A call is never called an import: one noun for each kind, all different."""
    assert list(NOUNS) == list(get_args(SiteKind))
    assert len({word for words in NOUNS.values() for word in words}) == 2 * len(NOUNS)


def test_sites_are_counted_by_class_and_file() -> None:
    """The most frequent class first; a place with two causes is one place."""
    calls = [Site("a.py", line, "call", "must", cause=line) for line in range(1, 13)]
    imports = [Site(file, 1, "import", "must") for file in ("a.py", "b.py", "c.py")]
    assert sites_in_files([*imports, *calls]) == "12 calls and 3 imports in 3 files"
    assert sites_in_files([*calls[:1], Site("a.py", 1, "call", "must", cause=7)]) == "1 call in 1 file"
    assert sites_in_files([]) == "no sites"
    new = [Site("a.py", None, "add-import", "must", after=3), Site("a.py", None, "add-import", "must", after=0)]
    assert sites_in_files([*new, *imports, *calls[:1]]) == "3 imports, 2 imports to add and 1 call in 3 files"
    assert [line_words(site) for site in (calls[2], *new)] == ["line 3", "after line 3", "at the top"]
    assert [place_words(site) for site in (calls[2], new[0])] == ["a.py:3 call", "a.py:+3 add-import"]
