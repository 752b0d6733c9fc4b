"""What counts as a module when a plan is judged."""

from __future__ import annotations

from dataclasses import dataclass

CHILDREN, PACKAGES, LAYERS, DEPTH = "children", "packages", "layers", "depth"
WAYS = {
    CHILDREN: "What lies directly in the restricted root",
    PACKAGES: "Folders and packages that hold files",
    LAYERS: "The layers of the rules",
    DEPTH: "Containers at a depth",
}


@dataclass(frozen=True)
class Modules:
    """Which containers are modules. Nothing outside the project is in one, and no module is finer than a file, unless
    the root lies in a file itself.

    by      `children` of the restricted root; `packages`: every folder or package is the module of the files directly
            in it; `layers` of the rules, the inner one where two are nested; `depth`: nodes `depth` levels below the
            restricted root, and what lies less deep for itself
    tests   whether files that are marked as tests count
    """

    by: str = CHILDREN
    depth: int = 2
    tests: bool = True

    @property
    def level(self) -> int:
        """Levels below the restricted root, for `children` and `depth`."""
        return 1 if self.by == CHILDREN else self.depth
