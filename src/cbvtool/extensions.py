"""Finding and loading plugins. One that is broken is reported in a sentence and harms no other.

Plugins come from the user's own plugin folder, from `plugins/` beside the package in a checkout, and from installed
entry points of the group `cbvtool.plugins`: never from the repository under analysis.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import platformdirs

import cbvtool
from cbvtool.api import API_VERSION, API_VERSIONS
from cbvtool.budget import Budget
from cbvtool.errors import Cancelled, InputError, error_text
from cbvtool.metrics import METRICS
from cbvtool.metrics.metric import Column, Metric, Subject
from cbvtool.plugin.checking import must_be_command, must_be_overlay, must_be_reader, must_be_view
from cbvtool.plugin.contributions import PluginCommand, PluginOverlay
from cbvtool.plugin.view import PluginView
from cbvtool.progress import Progress
from cbvtool.trace.readers.reader import Part, TraceReader
from cbvtool.trace.readers.registry import READERS
from cbvtool.trace.readers.source import TraceSource, UnreadableTrace

GROUP = "cbvtool.plugins"
_PREFIX = "cbvtool_plugin_"  # of the modules of plugins in folders


@dataclass(frozen=True)
class Plugin:
    """One plugin that works: its name, its own version, where it comes from, and what it contributes."""

    name: str
    version: str
    origin: str
    contributes: tuple[str, ...]


@dataclass(frozen=True)
class Problem:
    """One plugin that does not work, or not fully, and the sentence that says why."""

    plugin: str
    origin: str
    reason: str

    def __str__(self) -> str:
        return f"plugin {self.plugin} ({self.origin}): {self.reason}"


@dataclass
class PluginRegistry:
    """What all plugins together contribute.

    metrics    name -> metric, the built-in ones first
    views, readers, overlays, commands   by name; the readers are those of plugins alone
    owners     (what: "view", "overlay", "command"; its name) -> (name, origin) of its plugin
    plugins    those that work, in the order of loading
    problems   one for each that does not; grows when something of a plugin fails later
    """

    metrics: dict[str, Metric] = field(default_factory=lambda: dict(METRICS))
    views: dict[str, PluginView[Any]] = field(default_factory=dict)
    readers: dict[str, TraceReader] = field(default_factory=dict)
    overlays: dict[str, PluginOverlay] = field(default_factory=dict)
    commands: dict[str, PluginCommand] = field(default_factory=dict)
    owners: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    plugins: list[Plugin] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def report(self, what: str, name: str, reason: str) -> None:
        """Something of a plugin failed: list it, once. what, name: as in `owners`."""
        plugin, origin = self.owners.get((what, name), (name, "unknown"))
        _note(self.problems, Problem(plugin, origin, f"its {what} {name} {reason}"))


class _Offer:
    """What one plugin registers; it counts only once `register` has returned."""

    def __init__(self, registry: PluginRegistry) -> None:
        self.metrics: dict[str, Metric] = {}
        self.views: dict[str, PluginView[Any]] = {}
        self.readers: dict[str, TraceReader] = {}
        self.overlays: dict[str, PluginOverlay] = {}
        self.commands: dict[str, PluginCommand] = {}
        self._registry = registry

    def add_metric(self, metric: Metric) -> None:
        """See `cbvtool.api.Registry`."""
        if not isinstance(metric, Metric):
            raise TypeError(f"add_metric takes a Metric, not {type(metric).__name__}")
        _must_be_free("metric", metric.name, self._registry.metrics, self.metrics)
        self.metrics[metric.name] = metric

    def add_view(self, view: PluginView[Any]) -> None:
        """See `cbvtool.api.Registry`."""
        must_be_view(view)
        _must_be_free("view", view.name, self._registry.views, self.views)
        self.views[view.name] = view

    def add_reader(self, reader: TraceReader) -> None:
        """See `cbvtool.api.Registry`."""
        must_be_reader(reader)
        _must_be_free("reader", reader.NAME, {each.NAME for each in READERS}, self._registry.readers, self.readers)
        self.readers[reader.NAME] = reader

    def add_overlay(self, overlay: PluginOverlay) -> None:
        """See `cbvtool.api.Registry`."""
        must_be_overlay(overlay)
        _must_be_free("overlay", overlay.name, self._registry.overlays, self.overlays)
        self.overlays[overlay.name] = overlay

    def add_command(self, command: PluginCommand) -> None:
        """See `cbvtool.api.Registry`."""
        must_be_command(command)
        _must_be_free("command", command.name, self._registry.commands, self.commands)
        self.commands[command.name] = command

    @property
    def contributes(self) -> tuple[str, ...]:
        """What it registered, for people."""
        kinds = ("metric", "view", "reader", "overlay", "command")
        return tuple(f"{kind} {name}" for kind in kinds for name in getattr(self, f"{kind}s"))


def _must_be_free(what: str, name: str, *taken: Container[str]) -> None:
    if any(name in names for names in taken):
        raise ValueError(f"the {what} name {name!r} is taken")


class _Broken(Exception):
    """The reason why a plugin cannot be used."""


def plugin_folders() -> tuple[Path, ...]:
    """The user's own plugin folder, and that of the checkout this package runs from, if it does."""
    own = Path(platformdirs.user_data_dir("cbvtool", appauthor=False)) / "plugins"
    package = Path(cbvtool.__file__).parent
    checkout = package.parent.parent
    in_checkout = package.parent.name == "src" and (checkout / "pyproject.toml").is_file()
    return (own, checkout / "plugins") if in_checkout else (own,)


def installed() -> tuple[EntryPoint, ...]:
    """Entry points of installed plugins, the bundled ones included."""
    return tuple(entry_points(group=GROUP))


def discover(
    folders: Sequence[Path] | None = None, installed_plugins: Sequence[EntryPoint] | None = None
) -> tuple[PluginRegistry, list[Problem]]:
    """Load all plugins.

    folders             each file `<name>.py` and each package `<name>/` in one is a plugin; None = `plugin_folders()`
    installed_plugins   None = `installed()`

    Of several plugins of one name the first counts, folders before entry points. The list is `PluginRegistry.problems`.
    """
    registry = PluginRegistry()
    seen: set[str] = set()
    for folder in plugin_folders() if folders is None else folders:
        for path in _plugin_files(folder):
            if path.stem not in seen:
                seen.add(path.stem)
                _add(registry, path.stem, str(path), path)
    for entry in installed() if installed_plugins is None else installed_plugins:
        if entry.name not in seen:
            seen.add(entry.name)
            origin = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
            _add(registry, entry.name, origin, entry)
    return registry, registry.problems


def _plugin_files(folder: Path) -> list[Path]:
    """Plugins of `folder` by name: `a.py`, or `b` for a folder that is a package; hidden and private ones left out."""
    if not folder.is_dir():
        return []
    found = [path for path in folder.iterdir() if re.fullmatch(r"[A-Za-z]\w*(\.py)?", path.name)]
    return sorted(p for p in found if (p.is_file() if p.suffix == ".py" else (p / "__init__.py").is_file()))


def _add(registry: PluginRegistry, name: str, origin: str, source: Path | EntryPoint) -> None:
    try:
        module = _load(name, source)
        offer = _register(module, registry)
    except _Broken as broken:
        registry.problems.append(Problem(name, origin, str(broken)))
        return
    for metric in offer.metrics.values():
        registry.metrics[metric.name] = replace(metric, compute=_guarded(metric, name, origin, registry.problems))
    for reader in offer.readers.values():
        registry.readers[reader.NAME] = _GuardedReader(reader, name, origin, registry.problems)
    registry.views |= offer.views
    registry.overlays |= offer.overlays
    registry.commands |= offer.commands
    for what in ("view", "overlay", "command"):
        registry.owners |= {(what, each): (name, origin) for each in getattr(offer, f"{what}s")}
    version = getattr(module, "__version__", "")
    registry.plugins.append(Plugin(name, str(version), origin, offer.contributes))


def _load(name: str, source: Path | EntryPoint) -> ModuleType:
    try:
        module = _import_path(name, source) if isinstance(source, Path) else source.load()
    except SyntaxError as error:
        where = f" in line {error.lineno}" if error.lineno else ""
        raise _Broken(f"syntax error{where}: {error.msg}") from error
    except (Exception, SystemExit) as error:
        if isinstance(error, ValueError) and "null bytes" in str(error):  # no SyntaxError before Python 3.11.4
            raise _Broken(f"syntax error: {error}") from error
        raise _Broken(f"importing it raised {error_text(error)}") from error
    if not isinstance(module, ModuleType):
        raise _Broken(f"its entry point names {module!r}, not a module")
    return module


def _import_path(name: str, path: Path) -> ModuleType:
    file = path if path.suffix == ".py" else path / "__init__.py"
    # A name of its own: a plugin `numpy.py` must not shadow anything.
    full = f"{_PREFIX}{name}"
    spec = importlib.util.spec_from_file_location(full, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[full] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[full]
        raise
    return module


def file_of_plugin(module: str) -> str:
    """The file of the plugin in a folder that the module is of; empty for one that Python finds by its name."""
    top = module.partition(".")[0]
    return str(sys.modules[top].__file__) if top.startswith(_PREFIX) else ""


def import_module(module: str, file: str) -> ModuleType:
    """A module that another process has imported. file: see `file_of_plugin`. Raises what it raises."""
    top = module.partition(".")[0]
    if file and top not in sys.modules:
        _import_path(top.removeprefix(_PREFIX), Path(file))
    return importlib.import_module(module)


def _register(module: ModuleType, registry: PluginRegistry) -> _Offer:
    version = getattr(module, "API", None)
    if version is None:
        raise _Broken(f'it does not say for which version of the plugin interface it is (API = "{API_VERSION}")')
    if version not in API_VERSIONS:
        raise _Broken(f"it is written for version {version} of the plugin interface, this cbvtool has {API_VERSION}")
    register = getattr(module, "register", None)
    if not callable(register):
        raise _Broken("it has no function register(registry)")
    offer = _Offer(registry)
    try:
        register(offer)
    except (Exception, SystemExit) as error:
        raise _Broken(f"its register raised {error_text(error)}") from error
    return offer


def _guarded(metric: Metric, plugin: str, origin: str, problems: list[Problem]) -> Callable[[Subject], Column]:
    """`metric.compute`, but a fault in it is reported once and leaves the metric not measured."""

    def compute(subject: Subject) -> Column:
        nodes = len(subject.graph)
        try:
            column = np.asarray(metric.compute(subject), dtype=np.float64)
            if column.shape != (nodes,):
                raise ValueError(f"its result has the shape {column.shape}, not {(nodes,)}")
        except Cancelled:  # no fault: nobody waits for it any longer
            raise
        except Exception as error:
            _note(problems, Problem(plugin, origin, f"its metric {metric.name} raised {error_text(error)}"))
            return np.full(nodes, np.nan)
        return column

    return compute


class _GuardedReader:
    """A reader of a plugin: a fault in it is reported once, and reading ends in a sentence."""

    def __init__(self, reader: TraceReader, plugin: str, origin: str, problems: list[Problem]) -> None:
        self.NAME, self.LABEL = reader.NAME, reader.LABEL
        self._reader, self._plugin, self._origin, self._problems = reader, plugin, origin, problems

    def sniff(self, source: TraceSource) -> bool:
        """See `TraceReader`; a fault means no."""
        try:
            return bool(self._reader.sniff(source))
        except (UnreadableTrace, OSError):
            return False
        except Exception as error:
            self._report(error)
            return False

    def read(self, source: TraceSource, budget: Budget, progress: Progress) -> list[Part]:
        """See `TraceReader`; a fault is an `UnreadableTrace`."""
        try:
            parts = list(self._reader.read(source, budget, progress))
            for part in parts:
                if not isinstance(part, Part):
                    raise TypeError(f"it returned a {type(part).__name__}, neither Trace nor Profile")
        except (UnreadableTrace, InputError, Cancelled, OSError):
            raise
        except Exception as error:
            self._report(error)
            raise UnreadableTrace(f"the reader {self.NAME} of the plugin {self._plugin} failed") from error
        return parts

    def _report(self, error: Exception) -> None:
        reason = f"its reader {self.NAME} raised {error_text(error)}"
        _note(self._problems, Problem(self._plugin, self._origin, reason))


def _note(problems: list[Problem], problem: Problem) -> None:
    if problem not in problems:
        problems.append(problem)
