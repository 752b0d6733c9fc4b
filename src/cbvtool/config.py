"""The file `cbvtool.toml` in the root of a repository, of which each package of cbvtool reads its own section.

The repository is untrusted: the file is data, unknown keys are told and ignored, and nothing in it can name a place
outside the root.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from cbvtool.errors import InputError
from cbvtool.links import real_path
from cbvtool.regular_file import opened

FILE_NAME = "cbvtool.toml"

_LARGEST = 2**18  # bytes
DEEPEST = 50  # parts of a dotted key
# Python's reader takes time with the square of the parts of one key. What looks like one in a string counts as well.
_DOTTED = re.compile(rf"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){{{DEEPEST}}}""")


def own_text(root: Path) -> str | None:
    """The text of the file that lies in the repository at `root`; None if there is none.

    Raises InputError, naming the file, when it cannot be read, or is a link that leads out of the repository.
    """
    path = root / FILE_NAME
    try:
        if not path.exists() and not path.is_symlink():
            return None
        if not Path(real_path(path)).is_relative_to(real_path(root)):
            raise InputError(f"{path} is a link that leads out of {root}, so it is not read.")
    except (OSError, RuntimeError) as error:
        raise _unreadable(path, error) from error
    return text_of(path)


def text_of(path: Path) -> str:
    """The text of the configuration file `path`; raises InputError, naming it, when it cannot be read."""
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"{path} is not a regular file.")
        if path.stat().st_size > _LARGEST:
            size = path.stat().st_size / 1024
            raise InputError(f"{path} is too large for a configuration ({size:,.0f} KB, at most {_LARGEST // 1024}).")
        with opened(path) as file:
            return file.read().decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{path} cannot be read: it is not UTF-8 text.") from None
    except (OSError, RuntimeError) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> InputError:  # a RuntimeError is a loop of links
    return InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.")


def toml_of(text: str) -> dict[str, Any]:
    """The content of TOML that anybody may have written. Raises ValueError with the reason when it cannot be read."""
    if (deep := _DOTTED.search(text)) is not None:
        line = text.count("\n", 0, deep.start()) + 1
        raise ValueError(f"a key has more than {DEEPEST} parts (at line {line})")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def section_of(text: str, section: str, name: str) -> Mapping[str, Any]:
    """One section of the file's `text`, empty if it is not there; `name` is what messages call the file.

    Raises InputError, with the line for what is no TOML.
    """
    try:
        content = toml_of(text)
    except ValueError as error:
        raise InputError(f"{name} is not valid TOML: {str(error).rstrip('.')}.") from None
    found = content.get(section, {})
    if not isinstance(found, dict):
        raise InputError(f"{name}: {section} must be a section, [{section}].")
    return found


def list_of(value: Any, where: str, name: str) -> list[Any]:
    """`value`, which stands at the key `where`, if it is a list; raises InputError otherwise."""
    if not isinstance(value, list):
        raise InputError(f"{name}: {where} must be a list, not {shown(value)}.")
    return value


def leads_out(path: str) -> bool:
    """Whether `path`, as somebody wrote it, may name a place outside the folder that it is relative to."""
    absolute = path.startswith(("/", "\\", "~")) or re.match(r"[A-Za-z]:[\\/]", path)
    return bool(absolute) or ".." in re.split(r"[\\/]", path) or "\0" in path


def unknown_keys(section: Iterable[str], known: Iterable[str], where: str, name: str) -> list[str]:
    """One sentence for each key of `section` that nobody knows."""
    return [f"{name}: {where}.{shown(key)} is not known here and is ignored." for key in section if key not in known]


def shown(value: Any) -> str:
    """`value` in a message: short, and quoted unless it is a plain word."""
    text = value if isinstance(value, str) and value.isidentifier() else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
