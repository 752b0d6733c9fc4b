"""The languages whose rules the search for sites knows. A new one is one file beside this and one row here."""

from __future__ import annotations

from cbvtool.plan.sites.c import CFamily
from cbvtool.plan.sites.go import Go
from cbvtool.plan.sites.java import Java
from cbvtool.plan.sites.javascript import JavaScript
from cbvtool.plan.sites.language import SiteLanguage
from cbvtool.plan.sites.python import Python
from cbvtool.plan.sites.text import suffix_of

LANGUAGES: tuple[SiteLanguage, ...] = (Python(), CFamily(), Go(), Java(), JavaScript())


def answers_for(file: str) -> SiteLanguage | None:
    """The language that answers for the sites in a file; None = none, so that the relations of the graph have to do."""
    suffix = suffix_of(file)
    return next((language for language in LANGUAGES if suffix in language.suffixes), None)
