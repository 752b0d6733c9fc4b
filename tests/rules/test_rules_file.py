"""`cbvtool.toml`: what is read, what is refused, what can never be asked for (NEW-5, design 8)."""

from __future__ import annotations

from pathlib import Path

import pytest

from cbvtool.errors import InputError
from cbvtool.rules import Deny, Rules, parse_rules, read_rules

GOOD = """
[rules]
layers = ["shop/ui", "./shop/services/", "shop/core"]
deny = [{from = "shop/core/a.py", to = "shop/ui/b.py::View"}]
cycles = "forbid"
"""


def test_a_good_file_is_read() -> None:
    """NEW-5: layers highest first, denied relations, cycles; paths are normalised to node ids."""
    rules = parse_rules(GOOD)
    assert rules == Rules(
        ("shop/ui", "shop/services", "shop/core"), (Deny("shop/core/a.py", "shop/ui/b.py::View"),), True
    )


def test_no_file_and_no_section_mean_no_rules(tmp_path: Path) -> None:
    """NEW-11: zero configuration."""
    assert read_rules(tmp_path) == Rules()
    assert parse_rules("[other]\nlayers = 3\n") == Rules()


def test_unknown_keys_are_ignored_with_a_note() -> None:
    """Design 8: a repository cannot set an editor command or plugins; what is not known is told, not done."""
    rules = parse_rules(
        'editor = "rm -rf ~"\n[rules]\nplugins = ["x.py"]\n"od d" = 1\ndeny = [{from = "a", to = "b", run = "c"}]\n'
    )
    assert rules.deny == (Deny("a", "b"),)
    assert [note.partition(" is not known")[0] for note in rules.notes] == [
        "cbvtool.toml: rules.plugins",
        "cbvtool.toml: rules.'od d'",
        "cbvtool.toml: rules.deny[0].run",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[rules", "is not valid TOML"),
        ("a = " + "[" * 100_000, "is not valid TOML"),
        ("[rules]\na = " + "9" * 5000, "is not valid TOML"),
        ("rules = 3", "rules must be a section"),
        ('[rules]\nlayers = "shop"', "rules.layers must be a list, not shop"),
        ("[rules]\nlayers = [1]", "rules.layers[0] must be the path of a file or folder, not 1"),
        ('[rules]\nlayers = ["a", "b", "a"]', "rules.layers names 'a' twice"),
        ('[rules]\nlayers = [""]', "rules.layers[0] must be the path"),
        ('[rules]\nlayers = ["./"]', "rules.layers[0] must name something inside"),
        ('[rules]\nlayers = ["a/../../etc"]', "rules.layers[0] must lie inside the repository"),
        ('[rules]\nlayers = ["/etc"]', "must lie inside the repository, '/etc' does not"),
        ('[rules]\nlayers = ["C:\\\\x"]', "must lie inside the repository"),
        ('[rules]\nlayers = ["a\\\\..\\\\b"]', "must lie inside the repository"),
        ('[rules]\nlayers = ["a\\u0000"]', "must lie inside the repository"),
        ("[rules]\ndeny = [3]", "rules.deny[0] must be a table"),
        ('[rules]\ndeny = [{from = "a"}]', "rules.deny[0] lacks 'to'"),
        ('[rules]\ndeny = [{from = "a", to = ["b"]}]', "rules.deny[0].to must be the path"),
        ('[rules]\ncycles = "never"', 'rules.cycles must be "forbid" or "allow", not never'),
        ("[rules]\ncycles = [1]", "rules.cycles must be"),
    ],
)
def test_a_wrong_value_is_named_with_file_and_key(tmp_path: Path, text: str, said: str) -> None:
    """One sentence naming the thing and the reason."""
    (tmp_path / "cbvtool.toml").write_text(text)
    with pytest.raises(InputError) as caught:
        read_rules(tmp_path)
    assert said in str(caught.value)
    assert str(tmp_path / "cbvtool.toml") in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_link_out_of_the_repository_is_not_followed(tmp_path: Path) -> None:
    """Design 8: paths cannot leave the root, by symbolic links either; a link inside the root is fine."""
    root = tmp_path / "subject"
    root.mkdir()
    (tmp_path / "secret.toml").write_text(GOOD)
    (root / "cbvtool.toml").symlink_to(tmp_path / "secret.toml")
    with pytest.raises(InputError, match="leads out of"):
        read_rules(root)
    (root / "cbvtool.toml").unlink()
    (root / "rules.toml").write_text(GOOD)
    (root / "cbvtool.toml").symlink_to("rules.toml")
    assert read_rules(root).forbid_cycles


@pytest.mark.parametrize("kind", ["folder", "latin-1", "too large", "loop"])
def test_something_else_in_its_place_is_told(tmp_path: Path, kind: str) -> None:
    """Bad input."""
    path = tmp_path / "cbvtool.toml"
    if kind == "folder":
        path.mkdir()
    elif kind == "latin-1":
        path.write_bytes('[rules]\nlayers = ["für"]'.encode("latin-1"))
    elif kind == "too large":
        path.write_bytes(b"#" * (2**20 + 1))
    else:
        path.symlink_to("cbvtool.toml")
    with pytest.raises(InputError, match=r"cbvtool\.toml"):
        read_rules(tmp_path)
