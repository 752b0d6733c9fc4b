"""Roles of users' own functions: which of them wait, release, read and write, in a CSV file that they wrote."""

from __future__ import annotations

from pathlib import Path

from cbvtool.config import FILE_NAME, leads_out, own_text, section_of, shown, unknown_keys
from cbvtool.errors import InputError
from cbvtool.links import real_path
from cbvtool.regular_file import Unreadable, read_bytes
from cbvtool.trace.making.roles import Roles, roles_of

MOST_BYTES = 1 << 20  # of the file
MOST_FUNCTIONS = 10_000
_SECTION, _KEY = "traces", "roles"


def read_roles(path: Path) -> Roles:
    """The roles in a file with the columns of `roles.csv`. Raises InputError, which names the file and the line."""
    try:
        found = roles_of(read_bytes(str(path), MOST_BYTES).decode("utf-8"))
    except (OSError, Unreadable, ValueError) as error:
        raise InputError(f"{path} is no table of roles: {str(error).rstrip('.')}.") from None
    if len(found) > MOST_FUNCTIONS:
        raise InputError(f"{path} names {len(found):,} functions, and {MOST_FUNCTIONS:,} is the most.")
    return found


def configured_roles(root: Path) -> tuple[Roles, tuple[str, ...]]:
    """(the roles in the file that `traces.roles` of `cbvtool.toml` in the repository at `root` names, what to tell).

    Nothing where none is named. Raises InputError, naming the file and the key, for a wrong value, and for a file
    outside the repository or one that cannot be read.
    """
    text = own_text(root)
    if text is None:
        return {}, ()
    name = str(root / FILE_NAME)
    section = section_of(text, _SECTION, name)
    notes = tuple(unknown_keys(section, (_KEY,), _SECTION, name))
    if _KEY not in section:
        return {}, notes
    value = section[_KEY]
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{name}: {_SECTION}.{_KEY} must be the path of a CSV file, not {shown(value)}.")
    try:
        outside = leads_out(value) or not Path(real_path(root / value)).is_relative_to(real_path(root))
    except (OSError, RuntimeError):
        outside = False  # reading it says why
    if outside:
        raise InputError(f"{name}: {_SECTION}.{_KEY} names {shown(value)}, which is outside of the repository.")
    return read_roles(root / value), notes
