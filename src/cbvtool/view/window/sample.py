"""The sample project: made with its history, on request, from what lies beside the sources."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from cbvtool.errors import InputError

_HOME = Path(__file__).resolve().parents[4] / "sample_projects"


def sample_script(home: Path = _HOME) -> Path | None:
    """The script that makes the sample project; None where this installation does not bring it."""
    script = home / "make_shop.py"
    return script if script.is_file() else None


def make_sample(folder: Path, script: Path) -> Path:
    """The sample project in `folder`, made unless it is there already. Raises InputError if it cannot be made."""
    project = folder / "shop"
    if (project / ".git").exists():
        return project
    spec = importlib.util.spec_from_file_location("cbvtool_sample", script)
    if spec is None or spec.loader is None:
        raise InputError(f"{script} cannot be loaded: the sample project is damaged.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look for it there
    spec.loader.exec_module(module)
    try:
        module.make(project)
    except OSError as error:
        raise InputError(f"The sample project cannot be made in {project}: {error}.") from error
    return project
