"""NEW-6: any commit read from git's blobs, without touching the work tree; bad input gets one sentence."""

from __future__ import annotations

import json
import os
import subprocess
import zlib
from hashlib import sha1
from pathlib import Path

import pytest

import cbvtool
from cbvtool.cli import main
from cbvtool.errors import InputError
from cbvtool.mining import open_versions
from cbvtool.versions import Version, analysed
from tests.mining.conftest import Repository


def version(repository: Repository, name: str, path: Path | None = None) -> Version:
    with open_versions(path or repository.root) as versions:
        return analysed(versions, name, cache=False, jobs=1)


def edges(graph: cbvtool.Graph) -> set[tuple[str, str, str]]:
    return {
        (graph.ids[source], graph.ids[target], graph.edges.kind_names[kind])
        for source, target, kind in zip(graph.edges.source, graph.edges.target, graph.edges.kind, strict=True)
    }


@pytest.mark.parametrize("name", ["v1", "v2", "HEAD~1", "main", "HEAD^"])
def test_a_version_is_what_a_checkout_gives(repository: Repository, tmp_path: Path, name: str) -> None:
    """NEW-6: equal to the analysis of a folder that git has checked out, also for what a .gitignore names."""
    other = tmp_path / "elsewhere" / "subject"
    repository.git("clone", "-q", str(repository.root), str(other))
    subprocess.run(["git", "-C", str(other), "checkout", "-q", repository.git("rev-parse", name)], check=True)
    there = cbvtool.analyze(other, history=False)
    found = version(repository, name).graph
    assert set(found.ids) == set(there.ids)
    assert "ignored.py" in found.ids
    assert edges(found) == edges(there)


def test_the_work_tree_is_not_touched(repository: Repository) -> None:
    (repository.root / "shop/price.py").write_text("changed = 1\n")
    (repository.root / "untracked.py").write_text("y = 2\n")
    before = {path: path.stat().st_mtime_ns for path in repository.root.rglob("*")}
    version(repository, "v1")
    assert {path: path.stat().st_mtime_ns for path in repository.root.rglob("*")} == before


def test_the_files_of_one_version_become_those_of_the_next(repository: Repository) -> None:
    with open_versions(repository.root) as versions:
        for name in ("v1", "v2", "v1"):
            folder, notes = versions.lay_out(versions.commit_of(name), largest=10_000)
            found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} - {
                ".git/index"
            }
            assert found == set(repository.git("ls-tree", "-r", "--name-only", name).split())
            assert not notes
    assert not folder.exists(), "the folder goes with the view"


def test_a_folder_and_a_bare_clone(repository: Repository, tmp_path: Path) -> None:
    inside = version(repository, "v2", repository.root / "shop").graph
    assert "sale/cart.py" in inside.ids
    bare = tmp_path / "subject.git"
    repository.git("clone", "-q", "--bare", str(repository.root), str(bare))
    with open_versions(bare) as versions:
        assert set(analysed(versions, "v2", cache=False).graph.ids) == set(version(repository, "v2").graph.ids)
        assert [one.name for one in versions.references()] == ["v2", "v1", "main"]


def test_links_and_submodules(repository: Repository, tmp_path: Path) -> None:
    """A symbolic link is laid out as one and not followed; a submodule is left out, with a note."""
    secret = tmp_path / "secret.py"
    secret.write_text("secret = 1\n")
    os.symlink(secret, repository.root / "link.py")
    repository.git("add", "-A")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{repository.git('rev-parse', 'HEAD')},module")
    repository.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "links")
    graph = version(repository, "HEAD").graph
    assert "link.py" not in graph.ids
    assert any("submodule is left out" in note for note in graph.report.notes)


def raw_tree(repository: Repository, *rows: tuple[bytes, bytes, str]) -> str:
    """A commit with a tree that git itself would not make: rows of (mode, name, id)."""
    content = b"".join(mode + b" " + name + b"\0" + bytes.fromhex(id_) for mode, name, id_ in rows)
    data = b"tree %d\0" % len(content) + content
    name = sha1(data, usedforsecurity=False).hexdigest()
    file = repository.root / ".git/objects" / name[:2] / name[2:]
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(zlib.compress(data))
    return repository.git("-c", "user.name=a", "-c", "user.email=a@b", "commit-tree", "-m", "m", name)


def test_paths_that_lead_out_are_refused(repository: Repository, tmp_path: Path) -> None:
    blob = repository.git("rev-parse", "v1:shop/price.py")
    link = (
        subprocess.run(
            ["git", "hash-object", "-w", "--stdin"],
            cwd=repository.root,
            input=str(tmp_path).encode(),
            capture_output=True,
            check=True,
        )
        .stdout.decode()
        .strip()
    )
    inner = repository.git("rev-parse", "v1:shop")
    hostile = {
        "no path": raw_tree(repository, (b"100644", b"..", blob)),
        "is no path": raw_tree(repository, (b"40000", b"..", inner)),
        "which is no path": raw_tree(repository, (b"40000", b".GIT", inner)),
        "inside of a file": raw_tree(repository, (b"120000", b"a", link), (b"40000", b"a", inner)),
    }
    for said, commit in hostile.items():
        with pytest.raises(InputError, match=said):
            version(repository, commit)
    assert not (tmp_path / "price.py").exists()


def test_names_of_nothing_get_a_sentence(repository: Repository) -> None:
    repository.git("branch", "v1")  # another commit than the tag
    shas = [repository.git("rev-parse", name) for name in ("v1^{tree}", "main")]
    for name, said in {
        "nothing": "There is no commit, branch or tag 'nothing'",
        "f" * 40: "There is no commit",
        shas[0]: "There is no commit",  # a tree
        "v1": "ambiguous",
        "../x": "There is no commit",
        "HEAD~999": "There is no commit",
        ":/m": "There is no commit",
        "-x": "There is no commit",
    }.items():
        with pytest.raises(InputError, match=said):
            version(repository, name)
    assert version(repository, "refs/tags/v1").commit == repository.git("rev-parse", "refs/tags/v1")
    assert version(repository, shas[1][:12]).commit == shas[1]


def test_no_versions_at_all(tmp_path: Path) -> None:
    for make, said in {
        lambda: None: "not in a git repository",
        lambda: Repository(tmp_path / "a"): "no commits yet",
    }.items():
        make()
        (tmp_path / "a").mkdir(exist_ok=True)
        with pytest.raises(InputError, match=said), open_versions(tmp_path / "a"):
            pass


def test_an_empty_and_a_damaged_commit(repository: Repository) -> None:
    empty = raw_tree(repository)
    with pytest.raises(InputError, match="holds no files"):
        version(repository, empty)
    blob = repository.git("rev-parse", "v1:shop/price.py")
    file = repository.root / ".git/objects" / blob[:2] / blob[2:]
    file.chmod(0o644)
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])
    with pytest.raises(InputError, match=r"cannot be read|cannot be laid out") as told:
        version(repository, "v1")
    assert "\n" not in str(told.value)
    file.unlink()
    assert any("not here" in note for note in version(repository, "v1").graph.report.notes)


def test_diff_lists_what_differs(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    """NEW-6: moved files are followed with what is in them, nothing is listed twice; status 0 though they differ."""
    assert main(["diff", "v1", "v2", str(repository.root), "--format", "json", "--no-cache"]) == 0
    said = json.loads(capsys.readouterr().out)
    nodes = said["nodes"]
    moved = {one["from"]: one["to"] for one in nodes["moved"]}
    assert moved["shop/cart.py"] == "shop/sale/cart.py"
    assert len(moved) == 1
    assert not nodes["renamed"]
    assert {"shop/sale", "shop/sale/__init__.py", "shop/new.py"} == set(nodes["added"])
    assert {"shop/old.py"} <= set(nodes["removed"])
    assert not any(node.startswith("shop/cart.py") for node in nodes["removed"])
    assert not any(node.startswith("shop/sale/cart.py") for node in nodes["added"])
    (price,) = [one for one in nodes["changed"] if one["id"] == "shop/price.py::total"]
    assert price["before"]["sloc"] + 1 == price["after"]["sloc"]
    new = {(one["source"], one["target"]) for one in said["relations"]["added"]}
    assert new == {("shop/new.py", "shop/price.py")}
    assert [one["to"]["source"] for one in said["relations"]["moved"]] == ["shop/sale/cart.py"]
    assert main(["diff", "v1", "v2", str(repository.root), "--no-cache"]) == 0
    assert "> shop/cart.py -> shop/sale/cart.py" in capsys.readouterr().out
    assert main(["diff", "v1", "v2", str(repository.root), "--no-cache", "--format", "csv"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[0].startswith("part,change,id,target,")
    assert "node,added,shop/new.py,,,,,,," in rows


def test_diff_of_one_version_is_empty(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "v2", "HEAD", str(repository.root), "--format", "json", "--no-cache"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert not any(part for kind in ("nodes", "relations", "rules") for part in said[kind].values())


def test_rules_broken_and_mended(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    rules = '[[rules.deny]]\nfrom = "shop/new.py"\nto = "shop/price.py"\n'
    repository.commit({"cbvtool.toml": rules})
    for before, after, part in (("v1", "HEAD", "broken"), ("HEAD", "HEAD", "")):
        assert main(["diff", before, after, str(repository.root), "--format", "json", "--no-cache"]) == 0
        said = json.loads(capsys.readouterr().out)["rules"]
        assert [name for name, found in said.items() if found] == ([part] if part else [])


def test_a_second_time_comes_from_the_cache(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The graph of a commit is kept: nothing is laid out again."""
    with open_versions(repository.root) as versions:
        first = analysed(versions, "v1", cache=tmp_path / "cache")
        monkeypatch.setattr(type(versions), "lay_out", None)
        again = analysed(versions, "v1", cache=tmp_path / "cache")
    assert again.graph.ids == first.graph.ids
