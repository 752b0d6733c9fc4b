"""`.cbv` documents: nothing is lost, trusted or half-written."""

from __future__ import annotations

import json
import os
import re
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.errors import InputError
from cbvtool.graph import Graph
from cbvtool.plan import Create, Extract, Group, History, Merge, Move, Operation, Remove, Rename, Split
from cbvtool.plan.document import Document, Plan, read_document, write_document

DOCS = Path(__file__).parents[2] / "docs"
SCHEMA = json.loads((DOCS / "plan.schema.json").read_text())

# Any text that JSON can carry, and names that are not UTF-8 (PEP 383).
text = st.one_of(st.text(max_size=8), st.sampled_from(["ä 😀", "a\nb", '"\\', "x\udcffy", "\u2028", ""]))
nodes = st.lists(text, max_size=3).map(tuple)
operations = st.one_of(
    st.builds(Move, nodes, text),
    st.builds(Create, text, text, text, text),
    st.builds(Remove, nodes),
    st.builds(Rename, text, text),
    st.builds(Merge, text, text),
    st.builds(Split, text, text, text, st.sampled_from(["invert", "route"])),
    st.builds(Extract, text, text, text),
)
groups = st.lists(st.builds(Group, text, st.lists(operations, max_size=3).map(tuple)), max_size=3).map(tuple)
data = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-(2**62), 2**62), st.floats(allow_nan=False, allow_infinity=False), text
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(text, inner, max_size=3)),
    max_leaves=8,
)


@st.composite
def documents(draw: st.DrawFn, folder: Path = Path("/work")) -> Document:
    """Any document at all."""
    names = draw(st.lists(text, min_size=1, max_size=3, unique=True))
    plans = tuple(Plan(name, draw(groups), draw(groups), {}, draw(text), draw(text)) for name in names)
    parts = draw(st.lists(st.sampled_from(["a", "ü b", "c\udcff"]), min_size=1, max_size=4))
    view = draw(st.dictionaries(text, data, max_size=3))
    return Document(folder.joinpath(*parts), draw(text), "", plans, draw(st.integers(0, len(names) - 1)), view)


@pytest.fixture
def document(tmp_path: Path) -> Document:
    """A plan with one gesture of every kind of operation."""
    steps = (
        Move(("a", "b"), "c"),
        Create("plan:1", "", "new", "folder"),
        Remove(("d",)),
        Rename("a", "z"),
        Merge("e", "f"),
        Split("a", "b", "c", "route"),
        Extract("a", "b", "c"),
    )
    done = Group("all of it", steps)
    plan = Plan("Plan 1", (done,), (Group("removal of x", (Remove(("x",)),)),), commit="1a2b", note="less of a tangle")
    return Document(tmp_path / "shop", "shop", "", (plan, Plan("Other")), 0, {"beta": 0.8, "expanded": ["a", "b/c"]})


@given(documents())
def test_save_then_load_loses_nothing(tmp_path_factory: pytest.TempPathFactory, document: Document) -> None:
    """Save then load; the schema in docs/ accepts what is written."""
    path = tmp_path_factory.mktemp("saved") / "plan.cbv"
    write_document(document, path)
    assert read_document(path) == document
    written = path.read_bytes()
    jsonschema.validate(json.loads(written), SCHEMA)
    write_document(read_document(path), path)
    assert path.read_bytes() == written


def test_the_file_is_readable_and_diffs_well(tmp_path: Path, document: Document) -> None:
    """Readable JSON; one more step adds one line and changes no other, but for the comma before it."""
    first, second = tmp_path / "1.cbv", tmp_path / "2.cbv"
    write_document(document, first)
    more = replace(document.plan, done=(*document.plan.done, Group("removal of ü", (Remove(("ü",)),))))
    write_document(replace(document, plans=(more, *document.plans[1:])), second)
    before, after = (path.read_text("utf-8").splitlines() for path in (first, second))
    assert any('"ü"' in line for line in after)
    rest = iter(line.rstrip(",") for line in after)
    assert all(line.rstrip(",") in rest for line in before), "the lines of the first are those of the second, in order"
    assert len(after) == len(before) + 1


def test_a_note_on_a_step_stands_on_its_line(tmp_path: Path, document: Document) -> None:
    """NEW-6: it is written where somebody noted something, on done and undone steps, and read again."""
    file = tmp_path / "1.cbv"
    plan = Plan("Noted", (Group("removal of a", (Remove(("a",)),), "why"),), (Group("removal of b", (), "not yet"),))
    write_document(replace(document, plans=(plan,), active=0), file)
    jsonschema.validate(json.loads(file.read_bytes()), SCHEMA)
    [line] = [line for line in file.read_text("utf-8").splitlines() if "why" in line]
    assert json.loads(line.strip().rstrip(","))["note"] == "why"
    assert read_document(file).plan.done == plan.done
    assert read_document(file).plan.undone == plan.undone


OLD = """{
  "format": "cbvtool-document",
  "version": 1,
  "subject": {"path": "shop", "name": "shop", "commit": "1a2b"},
  "plans": [
    {"name": "Plan 1", "operations": [{"label": "removal of x", "operations": [{"op": "remove", "nodes": ["x"]}]}]},
    {"name": "Other", "operations": [], "undone": []}
  ],
  "active": "Other",
  "view": {"beta": 0.5}
}"""


def test_documents_of_version_1_are_read(tmp_path: Path) -> None:
    """Version 1 named one commit for all plans: each was made on it. Written again it is version 2."""
    path = tmp_path / "old.cbv"
    path.write_text(OLD)
    read = read_document(path)
    assert read.plans == (
        Plan("Plan 1", (Group("removal of x", (Remove(("x",)),)),), commit="1a2b"),
        Plan("Other", commit="1a2b"),
    )
    assert (read.plan.name, read.commits, read.view) == ("Other", ("1a2b",), {"beta": 0.5})
    jsonschema.validate(json.loads(OLD), SCHEMA)
    write_document(read, path)
    assert json.loads(path.read_text())["version"] == 2
    assert read_document(path) == read


def test_plans_without_a_commit_of_their_own_have_that_of_the_document(tmp_path: Path) -> None:
    """What is made by hand says it once for all."""
    made = Document(tmp_path, "shop", "1a2b", (Plan("a"), Plan("b", commit="3c4d")))
    assert [made.commit_of(plan) for plan in made.plans] == ["1a2b", "3c4d"]
    write_document(made, tmp_path / "p.cbv")
    assert [plan.commit for plan in read_document(tmp_path / "p.cbv").plans] == ["1a2b", "3c4d"]


def test_a_document_that_belongs_elsewhere(tmp_path: Path, document: Document) -> None:
    """Git gives its merge driver temporary files; relative paths count from where the document belongs."""
    place = tmp_path / "plans" / "plan.cbv"
    write_document(document, tmp_path / "temporary", place=place)
    assert json.loads((tmp_path / "temporary").read_text())["subject"]["path"] == "../shop"
    assert read_document(tmp_path / "temporary", place=place) == document


def test_the_example_of_the_manual_is_a_document(tmp_path: Path) -> None:
    """Docs/plan-format.md, the schema and the reader agree."""
    example = re.findall(r"```json\n(.*?)```", (DOCS / "plan-format.md").read_text("utf-8"), re.S)[0]
    jsonschema.validate(json.loads(example), SCHEMA)
    path = tmp_path / "plans" / "plan.cbv"
    path.parent.mkdir()
    path.write_text(example)
    read = read_document(path)
    assert read.subject == tmp_path / "shop"
    assert read.plan.done[1].operations[0] == Move(("shop/ui/billing.py",), "plan:3f9a1c2b4d")
    write_document(read, path)
    assert path.read_text("utf-8") == example
    for wrong in ({"op": "exec"}, {"op": "move", "nodes": "a", "target": "b"}, {"op": "rename", "node": "a"}):
        broken = json.loads(example)
        broken["plans"][0]["operations"][0]["operations"] = [wrong]
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, SCHEMA)


@pytest.mark.parametrize(
    ("subject", "written"),
    [
        ("plans", "."),
        ("plans/shop", "shop"),
        ("shop", "../shop"),
        ("", ".."),
        ("../shop", "../../shop"),
        ("../../shop", None),
    ],
)
def test_a_subject_nearby_is_named_relative_to_the_document(tmp_path: Path, subject: str, written: str | None) -> None:
    """Both can be moved together; what lies elsewhere has its absolute path."""
    root = tmp_path / "one" / "two"
    (root / "plans").mkdir(parents=True)
    target = Path(os.path.normpath(root / subject))
    path = root / "plans" / "p.cbv"
    write_document(Document(target, "shop"), path)
    assert json.loads(path.read_text())["subject"]["path"] == (written or target.as_posix())
    assert read_document(path).subject == target


def test_a_document_in_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`cbvtool tasks FILE.cbv`, the path as it was typed."""
    monkeypatch.chdir(tmp_path)
    write_document(Document(Path("shop"), "shop"), Path("p.cbv"))
    assert read_document(Path("p.cbv")).subject == tmp_path / "shop"


def spoilt(path: Path, change: Any) -> bytes:
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    return path.read_bytes()


def set_at(*where: Any, to: Any) -> Any:
    def change(content: Any) -> None:
        for step in where[:-1]:
            content = content[step]
        content[where[-1]] = to

    return change


FIRST = ("plans", 0, "operations", 0, "operations", 0)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (set_at("version", to=3), "was written by a newer cbvtool (format version 3"),
        (set_at("version", to=10**18), "newer cbvtool"),
        (set_at("version", to=0), "its version is not a positive number"),
        (set_at("version", to=True), "its version is not a positive number"),
        (set_at("version", to="1"), "its version is not a positive number"),
        (set_at("format", to="cbvtool-graph"), "is not a .cbv document: its format is 'cbvtool-graph'"),
        (set_at("format", to=None), "is not a .cbv document"),
        (set_at("subject", to="shop"), "Expected `object`, got `str` at `subject`"),
        (set_at("subject", "path", to=3), "at `subject.path`"),
        (set_at("subject", "path", to=""), "at `subject.path`"),
        (set_at("subject", "path", to="a\0b"), "subject.path is not a path"),
        (set_at("plans", to=[]), "at `plans`"),
        (set_at("plans", to=[{"name": str(n), "operations": []} for n in range(101)]), "at `plans`"),
        (set_at("plans", 0, "commit", to=7), "at `plans[0].commit`"),
        (set_at("plans", to={}), "at `plans`"),
        (set_at("plans", 1, "name", to="Plan 1"), "two plans have one name"),
        (set_at("plans", 0, "operations", 0, to=[]), "at `plans[0].operations[0]`"),
        (set_at("plans", 0, "operations", 0, "label", to=None), "at `plans[0].operations[0].label`"),
        (
            set_at(*FIRST, "op", to="exec"),
            "plans[0].operations[0].operations[0] is not an operation that cbvtool knows: 'exec'",
        ),
        (set_at(*FIRST, "op", to=["move"]), "is not an operation that cbvtool knows"),
        (set_at(*FIRST, "nodes", to="abc"), "plans[0].operations[0].operations[0]: Expected `array`"),
        (set_at(*FIRST, "nodes", to=[1]), "Expected `str`, got `int` at `nodes"),
        (set_at("plans", 0, "operations", 0, "operations", 5, "form", to="x"), "Invalid enum value 'x' at `form`"),
        (set_at("plans", 0, "undone", 0, "operations", 0, to={"op": "remove"}), "undone[0].operations[0]: Object"),
        (set_at("active", to="Plan 9"), "it has no plan 'Plan 9'"),
        (set_at("view", to=[]), "at `view`"),
        (set_at("view", "x", to=10**30), "is too large"),
        (set_at("view", "x", to=float("nan")), "NaN is no number"),
        (set_at("view", "x", to=float("inf")), "Infinity is no number"),
    ],
)
def test_a_wrong_value_gets_one_sentence(tmp_path: Path, document: Document, change: Any, said: str) -> None:
    """The sentence names the file and the reason; the file stays as it is."""
    path = tmp_path / "plan.cbv"
    write_document(document, path)
    content = spoilt(path, change)
    refused(path, said)
    assert path.read_bytes() == content


def refused(path: Path, said: str) -> None:
    with pytest.raises(InputError) as caught:
        read_document(path)
    message = str(caught.value)
    assert said in message
    assert str(path) in message
    assert "\n" not in message
    assert len(message) < len(str(path)) + 300


def test_wherever_it_is_cut_off_it_is_refused(tmp_path: Path, document: Document) -> None:
    """A truncated `.cbv`."""
    path = tmp_path / "plan.cbv"
    write_document(document, path)
    whole = path.read_bytes()
    for length in range(0, len(whole) - 2, 13):
        path.write_bytes(whole[:length])
        refused(path, "it ends too early" if length > 1 else "")
        assert path.read_bytes() == whole[:length]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"\x00\x01\xff", "not UTF-8"),
        ('{"a": "ä"}'.encode("latin-1"), "not UTF-8"),
        ("{}".encode("utf-16"), "not UTF-8"),
        (b"hello", "line 1: Expecting value"),
        (b"[]", "is not a .cbv document"),
        (b"null", "is not a .cbv document"),
        (b"{}", "is not a .cbv document"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b"[" * 60 + b"]" * 60, "nested too deeply"),
        (b'{"a": 1e999}', "1e999 is too large"),
        (b'{"a": ' + b"9" * 100_000 + b"}", "is too large"),
        (b'{"format": "' + b"x" * 100_000 + b'"}', "is not a .cbv document"),
    ],
)
def test_what_is_no_document_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    """Garbage, other encodings, deep nesting, huge numbers."""
    path = tmp_path / "plan ü 'x'.cbv"
    path.write_bytes(content)
    refused(path, said)
    assert path.read_bytes() == content


def test_a_byte_order_mark_is_no_fault(tmp_path: Path, document: Document) -> None:
    """An editor may have put one there."""
    path = tmp_path / "plan.cbv"
    write_document(document, path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert read_document(path) == document


def test_what_is_not_a_file_is_refused(tmp_path: Path) -> None:
    """A missing path, a folder, a pipe (which would never end), a file of gigabytes."""
    refused(tmp_path / "missing.cbv", "does not exist")
    refused(tmp_path, "is a folder")
    os.mkfifo(tmp_path / "pipe.cbv")
    refused(tmp_path / "pipe.cbv", "is not a regular file")
    with (tmp_path / "large.cbv").open("wb") as large:
        large.truncate(2**33)
    refused(tmp_path / "large.cbv", "is too large")
    (tmp_path / "loop.cbv").symlink_to("loop.cbv")
    refused(tmp_path / "loop.cbv", "")


def test_members_that_are_not_known_are_ignored(tmp_path: Path, document: Document) -> None:
    """Design 8: nothing that a document says is done, beyond what is documented."""
    path = tmp_path / "plan.cbv"
    write_document(document, path)
    for change in (
        set_at("editor", to="rm -rf ~"),
        set_at("subject", "plugins", to=["x.py"]),
        set_at(*FIRST, "run", to="x"),
        set_at("plans", 0, "on_open", to="x"),
    ):
        spoilt(path, change)
    assert read_document(path) == document


def test_operations_on_unknown_nodes_are_kept(tmp_path: Path, shop: Graph) -> None:
    """Kept, not applied, reported; saved again they are still there."""
    steps: tuple[Operation, ...] = (Move(("gone.py",), "ui"), Move(("ui/cart.py",), "core"))
    path = tmp_path / "plan.cbv"
    write_document(Document(tmp_path, "shop", plans=(Plan("p", (Group("both", steps),)),)), path)
    history = read_document(path).plan.history(shop)
    assert [refusal.reason for refusal in history.refusals] == ["gone.py is not there."]
    assert Plan.of(history, "p").done == (Group("both", steps),)
    assert history.graph is not shop


def test_writing_is_all_or_nothing(tmp_path: Path, document: Document, monkeypatch: pytest.MonkeyPatch) -> None:
    """Written atomically; permissions stay; no other file is left behind; links stay links."""
    real = tmp_path / "real.cbv"
    write_document(document, real)
    real.chmod(0o640)
    link = tmp_path / "link.cbv"
    link.symlink_to("real.cbv")
    write_document(replace(document, name="renamed"), link)
    assert link.is_symlink()
    assert read_document(real).name == "renamed"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    before = real.read_bytes()

    def broken(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(InputError, match="No space left"):
        write_document(document, real)
    assert real.read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["link.cbv", "real.cbv"]
    with pytest.raises(InputError, match="missing"):
        write_document(document, tmp_path / "missing" / "plan.cbv")


def test_the_history_of_a_document(tmp_path: Path, shop: Graph) -> None:
    """DND-5: what was undone can still be redone after saving and opening."""
    history = History(shop).do(Group("removal of ui", (Remove(("ui",)),))).undo()
    path = tmp_path / "plan.cbv"
    write_document(Document(tmp_path, "shop", plans=(Plan.of(history),)), path)
    opened = read_document(path).plan.history(shop)
    assert opened.label_redo == "Redo removal of ui"
    assert "ui" not in opened.redo().graph.key_of
