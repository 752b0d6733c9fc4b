"""NEW-13: every shortcut can be changed; what is kept is what differs, and what two commands share is found."""

from __future__ import annotations

from cbvtool.view.commands.commands import COMMANDS
from cbvtool.view.commands.keys import apply_keys, conflicts, keys_of, own_part, usual_keys
from cbvtool.view.toolkit.settings import Settings
from cbvtool.view.window.main_window import MainWindow


def test_without_own_keys_there_are_the_usual_ones_and_no_conflicts(qapp) -> None:
    keys = keys_of({})
    assert keys == {command.name: usual_keys(command) for command in COMMANDS}
    assert own_part(keys) == {}
    assert conflicts(keys) == {}


def test_own_keys_come_back_and_the_rest_stays(qapp, settings: Settings) -> None:
    settings.shortcuts = {"expand": ["Ctrl+Alt+E", "W"], "hide": []}
    keys = keys_of(settings.shortcuts)
    assert keys["expand"] == ("Ctrl+Alt+E", "W")
    assert keys["hide"] == ()
    assert keys["collapse"] == ("C",)
    assert own_part(keys) == settings.shortcuts
    assert conflicts(keys) == {"W": ["expand", "impact"]}


def test_damaged_settings_are_the_usual_keys(qapp, settings: Settings) -> None:
    for text in ("", "[1]", "{", '{"expand": 3, "gone": ["A"], "hide": ["", "no key at all"]}'):
        settings._store.setValue("shortcuts", text)
        keys = keys_of(settings.shortcuts)
        assert keys["expand"] == ("E",)
        assert "gone" not in keys
        assert conflicts(keys) == {}


def test_a_window_takes_them(window: MainWindow) -> None:
    window.settings.shortcuts = {"fit": ["Ctrl+Alt+9"], "next_sibling": ["Ctrl+Right"]}
    apply_keys(window.actions_by_name, window.settings.shortcuts)
    assert [key.toString() for key in window.actions_by_name["fit"].shortcuts()] == ["Ctrl+Alt+9"]
    assert window.actions_by_name["next_sibling"] in window.canvas.actions()
    assert window.actions_by_name["next_sibling"].shortcut().toString() == "Ctrl+Right"


def test_the_mini_map_is_there_until_it_is_switched_off(settings: Settings) -> None:
    assert settings.minimap
    settings.minimap = False
    assert not settings.minimap
