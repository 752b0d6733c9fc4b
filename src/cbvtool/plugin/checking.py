"""What is wrong with a view, overlay or command that a plugin registers, before anybody opens it."""

from __future__ import annotations

import re
from typing import Any

from cbvtool.plugin.contributions import PluginCommand, PluginOverlay
from cbvtool.plugin.parameters import (
    ChoiceParameter,
    FileParameter,
    NumberParameter,
    Parameter,
    SliderParameter,
    SwitchParameter,
    TextParameter,
)
from cbvtool.plugin.view import Input, PluginView

KINDS = ("trace", "profile", "graph")  # of inputs
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_METHODS = ("start", "load", "needs", "layout", "draw", "on", "tell")
_PARAMETERS = (SliderParameter, NumberParameter, ChoiceParameter, SwitchParameter, TextParameter, FileParameter)


def must_be_view(view: PluginView[Any]) -> None:
    """Raise TypeError or ValueError, with the reason, for what is no view that can be offered."""
    for method in _METHODS:
        if not callable(getattr(view, method, None)):
            raise TypeError(f"add_view takes a view: {type(view).__name__} has no method {method}")
    for name, kind in (("name", str), ("label", str), ("version", int), ("takes", tuple), ("parameters", tuple)):
        if not isinstance(getattr(view, name, None), kind):
            raise TypeError(f"add_view takes a view: {type(view).__name__} has no {name} that is a {kind.__name__}")
    _must_be_name(view.name)
    if not view.takes:
        raise ValueError(f"the view {view.name!r} takes no input")
    for each in view.takes:
        must_be_input(each)
    for parameter in view.parameters:
        must_be_parameter(parameter)
    names = [parameter.name for parameter in view.parameters]
    if len(set(names)) != len(names):
        raise ValueError(f"two parameters of the view {view.name!r} have one name")


def must_be_input(each: Input) -> None:
    """Raise TypeError or ValueError for what is no input."""
    if not isinstance(each, Input):
        raise TypeError(f"an input of a view is an Input, not {type(each).__name__}")
    if each.kind not in KINDS:
        raise ValueError(f"inputs are {', '.join(KINDS)}, not {each.kind!r}")
    if each.least < 0 or (each.most is not None and each.most < max(each.least, 1)):
        raise ValueError(f"an input cannot be from {each.least} to {each.most}")


def must_be_parameter(parameter: Parameter) -> None:
    """Raise TypeError or ValueError for what is no parameter."""
    if not isinstance(parameter, _PARAMETERS):
        raise TypeError(f"a parameter is a slider, number, choice, switch, text or file, not {parameter!r}")
    _must_be_name(parameter.name)
    if isinstance(parameter, SliderParameter | NumberParameter):
        low, high, default = parameter.low, parameter.high, parameter.default
        zero = isinstance(parameter, SliderParameter) and parameter.zero and default == 0
        if not low < high or not (low <= default <= high or zero):
            raise ValueError(f"the parameter {parameter.name!r} needs low < high, and its default between them")
        if isinstance(parameter, SliderParameter) and parameter.log and low <= 0:
            raise ValueError(f"the logarithmic parameter {parameter.name!r} begins above 0 (zero=True adds 0)")
    if isinstance(parameter, ChoiceParameter) and parameter.default not in [value for value, _ in parameter.options]:
        raise ValueError(f"the default of the parameter {parameter.name!r} is none of its options")


def must_be_overlay(overlay: PluginOverlay) -> None:
    """Raise TypeError or ValueError for what is no overlay."""
    if not isinstance(overlay, PluginOverlay):
        raise TypeError(f"add_overlay takes a PluginOverlay, not {type(overlay).__name__}")
    _must_be_name(overlay.name)


def must_be_command(command: PluginCommand) -> None:
    """Raise TypeError or ValueError for what is no command."""
    if not isinstance(command, PluginCommand):
        raise TypeError(f"add_command takes a PluginCommand, not {type(command).__name__}")
    _must_be_name(command.name)


def must_be_reader(reader: object) -> None:
    """Raise TypeError for what is no reader of traces."""
    for name in ("NAME", "LABEL"):
        if not isinstance(getattr(reader, name, None), str):
            raise TypeError(f"add_reader takes a reader: {type(reader).__name__} has no {name}")
    for name in ("sniff", "read"):
        if not callable(getattr(reader, name, None)):
            raise TypeError(f"add_reader takes a reader: {type(reader).__name__} has no method {name}")


def _must_be_name(name: str) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name: small letters, digits, - and _, a letter first, 40 at most")
