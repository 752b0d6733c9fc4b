"""The rules file: section `[rules]` of `cbvtool.toml` in the root of a repository.

The repository is untrusted: the file is data, only what is described in `docs/rules.md` is read, and nothing in it
can name a place outside the root.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cbvtool.errors import InputError

FILE_NAME = "cbvtool.toml"

_LARGEST = 2**20
_KNOWN = ("layers", "deny", "cycles")
_CYCLES = ("forbid", "allow")


@dataclass(frozen=True)
class Deny:
    """Nothing at or below node `user` may use anything at or below node `used`."""

    user: str
    used: str


@dataclass(frozen=True)
class Rules:
    """What a code base promises about itself. Nodes are named by their ids.

    layers          highest first: a layer must not use one that stands before it
    deny            forbidden relations
    forbid_cycles   whether files may depend on one another in a circle
    notes           one sentence each about what in the file was not understood, and ignored
    """

    layers: tuple[str, ...] = ()
    deny: tuple[Deny, ...] = ()
    forbid_cycles: bool = False
    notes: tuple[str, ...] = ()


def read_rules(root: Path) -> Rules:
    """The rules of the repository at `root`; no rules if it has no rules file.

    Raises InputError, naming the file and the key, for a file that cannot be read or holds a wrong value.
    """
    path = root / FILE_NAME
    try:
        if not path.exists() and not path.is_symlink():
            return Rules()
        if not path.resolve().is_relative_to(root.resolve()):
            raise InputError(f"{path} is a link that leads out of {root}, so it is not read.")
        if not path.is_file():
            raise InputError(f"{path} is no regular file.")
        if path.stat().st_size > _LARGEST:
            raise InputError(f"{path} is too large for a rules file ({path.stat().st_size / 2**20:,.0f} MB).")
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{path} cannot be read: it is not UTF-8 text.") from None
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of links
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    return parse_rules(text, str(path))


def parse_rules(text: str, name: str = FILE_NAME) -> Rules:
    """The rules in the text of a rules file; `name` is what messages call it. Raises InputError."""
    try:
        content = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error).rstrip(".")
        raise InputError(f"{name} is no valid TOML: {reason}.") from None
    section = content.get("rules", {})
    if not isinstance(section, dict):
        raise InputError(f"{name}: rules must be a section, [rules].")
    layers = tuple(_node(entry, f"rules.layers[{i}]", name) for i, entry in enumerate(_list(section, "layers", name)))
    if len(set(layers)) != len(layers):
        twice = next(layer for layer in layers if layers.count(layer) > 1)
        raise InputError(f"{name}: rules.layers names {twice!r} twice.")
    deny = tuple(_deny(entry, f"rules.deny[{i}]", name) for i, entry in enumerate(_list(section, "deny", name)))
    cycles = section.get("cycles", "allow")
    if cycles not in _CYCLES:
        raise InputError(f'{name}: rules.cycles must be "forbid" or "allow", not {_shown(cycles)}.')
    notes = [f"{name}: rules.{_shown(key)} is not known here and is ignored." for key in section if key not in _KNOWN]
    for i, entry in enumerate(_list(section, "deny", name)):
        notes += [
            f"{name}: rules.deny[{i}].{_shown(key)} is not known here and is ignored."
            for key in entry if key not in ("from", "to")
        ]  # fmt: skip
    return Rules(layers, deny, cycles == "forbid", tuple(notes))


def _list(section: Mapping[str, Any], key: str, name: str) -> list[Any]:
    value = section.get(key, [])
    if not isinstance(value, list):
        raise InputError(f"{name}: rules.{key} must be a list, not {_shown(value)}.")
    return value


def _deny(entry: Any, where: str, name: str) -> Deny:
    if not isinstance(entry, dict):
        raise InputError(f'{name}: {where} must be a table such as {{from = "a", to = "b"}}, not {_shown(entry)}.')
    for key in ("from", "to"):
        if key not in entry:
            raise InputError(f"{name}: {where} lacks {key!r}.")
    return Deny(_node(entry["from"], f"{where}.from", name), _node(entry["to"], f"{where}.to", name))


def _node(value: Any, where: str, name: str) -> str:
    """The id of a node: a path below the root, a class or function in it, or a node that a plan made."""
    if not isinstance(value, str) or not value:
        raise InputError(f"{name}: {where} must be the path of a file or folder, not {_shown(value)}.")
    path = value.partition("::")[0]
    outside = path.startswith(("/", "\\", "~")) or re.match(r"[A-Za-z]:[\\/]", path)
    if outside or ".." in re.split(r"[\\/]", path) or "\0" in path:
        raise InputError(f"{name}: {where} must lie inside the repository, {_shown(value)} does not.")
    if not (node := value.removeprefix("./").rstrip("/")):
        raise InputError(f"{name}: {where} must name something inside the repository, not all of it.")
    return node


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) and value.isidentifier() else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
