"""What a user can do, as a table, and what carries it out: menus, keys, palette, search, documents, questions."""

from cbvtool.view.commands import table  # fills the registry, whichever file of this folder is loaded first

__all__ = ["table"]
