"""Contracts in import-linter's format: in `.importlinter`, `setup.cfg` or `pyproject.toml`.

The file is untrusted data: custom contract types, which import-linter would import and run, are refused.
"""

from __future__ import annotations

import configparser
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cbvtool.config import shown, text_of, toml_of
from cbvtool.errors import InputError

TYPES = ("forbidden", "layers", "independence", "protected", "acyclic_siblings")
_SECTION = "importlinter"
_TRUE, _FALSE = ("true", "1", "yes", "on"), ("false", "0", "no", "off")


@dataclass(frozen=True)
class Contract:
    """One contract.

    options  as in the file: texts, or lists of texts
    """

    name: str
    type: str
    options: Mapping[str, Any]


@dataclass(frozen=True)
class ContractFile:
    """The content of the file.

    name      of the file, for messages
    roots     names of the packages to check
    external  whether external packages count as modules
    type_checking  whether imports only for a type checker count
    """

    name: str
    roots: tuple[str, ...]
    contracts: tuple[Contract, ...]
    external: bool = False
    type_checking: bool = True


def read_contracts(path: Path) -> ContractFile:
    """The contracts in the file at `path`. Raises InputError, naming the file, if they cannot be read."""
    text, name = text_of(path), path.name
    session, contracts = (_of_toml if path.suffix.lower() == ".toml" else _of_ini)(text, str(path))
    if session is None:
        raise InputError(f"{path} holds no settings of import-linter.")
    roots = session.get("root_packages", session.get("root_package"))
    listed = (roots,) if isinstance(roots, str) else tuple(roots) if isinstance(roots, list) else ()
    if not listed or not all(isinstance(root, str) and root.strip() for root in listed):
        raise InputError(f"{path} names no root_package, so there is nothing to look at.")
    if own := session.get("contract_types"):
        raise InputError(f"{path} brings contract types of its own ({shown(own)}): they are programs, and are not run.")
    if not contracts:
        raise InputError(f"{path} holds no contracts.")
    return ContractFile(
        name,
        tuple(root.strip() for root in listed),
        tuple(_contract(options, number, path) for number, options in enumerate(contracts, 1)),
        _bool(session, "include_external_packages", False, path),
        not _bool(session, "exclude_type_checking_imports", False, path),
    )


def _contract(options: Mapping[str, Any], number: int, path: Path) -> Contract:
    name, kind = options.get("name"), options.get("type")
    which = repr(name) if isinstance(name, str) and name else f"number {number}"
    if not isinstance(kind, str) or kind not in TYPES:
        known = ", ".join(TYPES)
        raise InputError(
            f"{path}: contract {which} is of the type {shown(kind)}, which is not known here; {known} are."
        )
    return Contract(name if isinstance(name, str) and name else f"contract {number}", kind, dict(options))


def _bool(session: Mapping[str, Any], key: str, otherwise: bool, path: Path) -> bool:
    word = str(session.get(key, otherwise)).strip().lower()
    if word not in (*_TRUE, *_FALSE):
        raise InputError(f"{path}: {key} must be true or false, not {shown(session[key])}.")
    return word in _TRUE


def _of_toml(text: str, name: str) -> tuple[Mapping[str, Any] | None, list[Mapping[str, Any]]]:
    try:
        content = toml_of(text)
    except ValueError as error:
        raise InputError(f"{name} is not valid TOML: {str(error).rstrip('.')}.") from None
    tool = content.get("tool", {})
    session = tool.get(_SECTION) if isinstance(tool, dict) else None
    if not isinstance(session, dict):
        return None, []
    contracts = session.get("contracts", [])
    if not isinstance(contracts, list) or not all(isinstance(one, dict) for one in contracts):
        raise InputError(f"{name}: tool.importlinter.contracts must be a list of tables.")
    return session, [{key: _plain(value) for key, value in one.items()} for one in contracts]


def _plain(value: Any) -> Any:
    """Booleans as texts, the form that contract fields read."""
    return str(value) if isinstance(value, bool) else value


def _of_ini(text: str, name: str) -> tuple[Mapping[str, Any] | None, list[Mapping[str, Any]]]:
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(text)
    except configparser.Error as error:
        raise InputError(f"{name} is no configuration file: {str(error).splitlines()[0].rstrip('.')}.") from None
    if _SECTION not in parser:
        return None, []
    sections = [section for section in parser.sections() if section.startswith(f"{_SECTION}:")]
    contracts: list[Mapping[str, Any]] = [
        {"id": section.rpartition(":")[2], **_lines(parser[section])} for section in sections
    ]
    return _lines(parser[_SECTION]), contracts


def _lines(section: Mapping[str, str]) -> dict[str, Any]:
    """Values with several lines as lists."""
    return {key: value.strip().split("\n") if "\n" in value else value for key, value in section.items()}
