"""What counts as a module when a plan is judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

CHILDREN, PACKAGES, LAYERS, DEPTH = "children", "packages", "layers", "depth"
WAYS = {
    CHILDREN: "What lies directly in the restricted root",
    PACKAGES: "Folders and packages that hold files",
    LAYERS: "The layers of the rules",
    DEPTH: "Containers at a depth of the tree",
}


@dataclass(frozen=True)
class ModuleChoice:
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


_HEADINGS = {CHILDREN: "Modules: directly in {}", PACKAGES: "Modules: packages", LAYERS: "Modules: layers"}


def heading(modules: ModuleChoice, root: str, *, by_calls: bool = False) -> str:
    """What the modules are, in a few words.

    root      name of the restricted root
    by_calls  dependencies weigh the calls that went along them
    """
    words = _HEADINGS.get(modules.by, f"Modules: depth {modules.depth} in {{}}").format(root)
    words = words if modules.tests else f"{words}, without tests"
    return f"{words}, weighed by calls" if by_calls else words


DEEPEST = 9  # levels to choose from


def modules_of(data: Any) -> ModuleChoice:
    """The choice that a document holds; what is unknown or makes no sense in it is left out."""
    standard = ModuleChoice()
    if not isinstance(data, dict):
        return standard
    by, depth, tests = data.get("by"), data.get("depth"), data.get("tests")
    return ModuleChoice(
        by if isinstance(by, str) and by in WAYS else standard.by,
        depth if type(depth) is int and 1 <= depth <= DEEPEST else standard.depth,
        tests if isinstance(tests, bool) else standard.tests,
    )
