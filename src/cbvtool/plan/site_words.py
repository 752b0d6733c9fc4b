"""Sites in words: every class of site by its own name, with its number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from cbvtool.plan.sites.site import Site, SiteKind

NOUNS: dict[SiteKind, tuple[str, str]] = {
    "import": ("import", "imports"),
    "include": ("include", "includes"),
    "copy": ("COPY statement", "COPY statements"),
    "inherit": ("base class", "base classes"),
    "instantiate": ("instantiation", "instantiations"),
    "call": ("call", "calls"),
    "perform": ("PERFORM statement", "PERFORM statements"),
    "type-use": ("type use", "type uses"),
    "reference": ("reference", "references"),
    "definition": ("definition", "definitions"),
    "package": ("package line", "package lines"),
    "add-import": ("import to add", "imports to add"),
    "drop-import": ("import to drop", "imports to drop"),
    "text": ("mention", "mentions"),
    "relation": ("other relation", "other relations"),
}
NO_SITES = "no sites"

Where = tuple[str, int, int, SiteKind]  # file, line (0 = to be added), line after which it is added, kind


def where(site: Site) -> Where:
    """What tells one place from another, in the order of files and lines; two causes make no second place."""
    return site.file, site.line or 0, site.after or 0, site.kind


def count_of_sites(sites: Iterable[Site]) -> int:
    """How many different places these are."""
    return len({where(site) for site in sites})


def sites_in_files(sites: Iterable[Site]) -> str:
    """`12 calls and 4 imports in 3 files`, the most frequent class first; `no sites` if there are none."""
    distinct = {where(site) for site in sites}
    if not distinct:
        return NO_SITES
    order = list(NOUNS)
    counts = Counter(kind for _, _, _, kind in distinct)
    parts = [
        f"{number:,} {NOUNS[kind][number != 1]}"
        for kind, number in sorted(counts.items(), key=lambda entry: (-entry[1], order.index(entry[0])))
    ]
    files = len({file for file, *_ in distinct})
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"{listed} in {files:,} file{'' if files == 1 else 's'}"


def line_words(site: Site) -> str:
    """Where in its file a site stands: `line 12`, `after line 3`, `at the top`."""
    if site.line is not None:
        return f"line {site.line}"
    return f"after line {site.after}" if site.after else "at the top"


def place_words(site: Site) -> str:
    """A site in one word for tables: `ui/cart.py:12 call`, `ui/cart.py:+3 add-import` for a line after line 3."""
    return f"{site.file}:{site.line if site.line is not None else f'+{site.after or 0}'} {site.kind}"
