"""JavaScript and TypeScript files that change places: what is written anew, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from cbvtool.apply.languages import doubtful, forwarding, relocated
from cbvtool.apply.python.moving import FileTree
from cbvtool.apply.stopped import Stopped
from cbvtool.cli import DONE, main
from cbvtool.plan import Group, Move, Operation, Rename
from cbvtool.plan.document import Document, Plan, write_document
from tests.test_project import committed, git

Files = Mapping[str, str]
LIB = {
    "package.json": '{"name": "shop", "main": "./src/app", "bin": {"shop": "src/a.js"}}\n',
    "src/a.js": "exports.a = 1;\n",
    "src/app.js": "exports.app = 1;\n",
    "src/deep/index.js": "exports.deep = 1;\n",
    "src/deep/leaf.js": "exports.leaf = 1;\n",
    "src/style.css": "p {}\n",
}
A_TO_DEEP = {"src/a.js": "src/deep/a.js"}
DEEP_AWAY = {path: path.replace("src/deep", "src/far/away") for path in LIB if "/deep/" in path}


def tree(files: Files) -> FileTree:
    return FileTree(frozenset(files), {path: text.encode() for path, text in files.items()})


def moved(files: Files, places: Mapping[str, str | None]) -> dict[str, str]:
    return {path: content.decode() for path, content in relocated(tree(files), places).tree.contents.items()}


@pytest.mark.parametrize(
    ("places", "before", "after"),
    [
        (A_TO_DEEP, 'import {a} from "./a";\n', 'import {a} from "./deep/a";\n'),
        (A_TO_DEEP, "import a from './a.js' // mine\r\n", "import a from './deep/a.js' // mine\r\n"),
        (A_TO_DEEP, 'export * from "./a";\n', 'export * from "./deep/a";\n'),
        (A_TO_DEEP, 'const {a} = require("./a");\n', 'const {a} = require("./deep/a");\n'),
        (
            A_TO_DEEP,
            "const a = await import(/* now */ `./a.js`);\n",
            "const a = await import(/* now */ `./deep/a.js`);\n",
        ),
        (A_TO_DEEP, 'jest.mock("./a", () => 1);\n', 'jest.mock("./deep/a", () => 1);\n'),
        (A_TO_DEEP, 'new URL("./a.js", import.meta.url);\n', 'new URL("./deep/a.js", import.meta.url);\n'),
        (A_TO_DEEP, 'new URL("a.js", import.meta.url);\n', 'new URL("deep/a.js", import.meta.url);\n'),
        (A_TO_DEEP, 'const s = "./a"; // "./a"\n', 'const s = "./a"; // "./a"\n'),
        (A_TO_DEEP, 'import a from "./a?raw";\n', 'import a from "./deep/a?raw";\n'),
        ({"src/a.js": "src/b.js"}, 'import "./a";\n', 'import "./b";\n'),
        (DEEP_AWAY, 'import d from "./deep";\n', 'import d from "./far/away";\n'),
        (DEEP_AWAY, 'import d from "./deep/";\n', 'import d from "./far/away/";\n'),
        (DEEP_AWAY, 'import d from "./deep/index";\n', 'import d from "./far/away/index";\n'),
        ({"src/deep/index.js": "src/deep/main.js"}, 'import d from "./deep";\n', 'import d from "./deep/main";\n'),
        ({"src/style.css": "src/deep/style.css"}, 'import "./style.css";\n', 'import "./deep/style.css";\n'),
    ],
)
def test_what_names_a_file_that_moves(places: Mapping[str, str | None], before: str, after: str) -> None:
    """NEW-4: every form of import, endings and `index` as they were; strings and comments are left alone."""
    assert moved({**LIB, "src/use.js": before}, places)["src/use.js"] == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('import type { T } from "./t";\n', 'import type { T } from "./deep/t";\n'),
        ('import { T } from "./t.js";\n', 'import { T } from "./deep/t.js";\n'),
        ('type T = import("./t").T;\n', 'type T = import("./deep/t").T;\n'),
        ('import t = require("./t");\n', 'import t = require("./deep/t");\n'),
        ('import { T } from "@/t";\n', 'import { T } from "@/deep/t";\n'),
        ('/// <reference path="t.ts" />\n', '/// <reference path="deep/t.ts" />\n'),
        ('declare module "./t" {}\n', 'declare module "./deep/t" {}\n'),
    ],
)
def test_typescript(before: str, after: str) -> None:
    """NEW-4: import types, aliases by `paths`, `.js` for a file `.ts`."""
    files = {
        **LIB,
        "tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}} /* mine */, "include": ["src"]}\n',
        "src/t.ts": "export interface T {}\n",
        "src/use.ts": before,
    }
    assert moved(files, {"src/t.ts": "src/deep/t.ts"})["src/use.ts"] == after


def test_what_moves_names_the_rest_from_its_new_place() -> None:
    """NEW-4: what the moved file imports, and what moves with it stays as it is."""
    leaf = 'require("../a");\nrequire("./index");\nrequire("fs");\n'
    found = moved({**LIB, "src/deep/leaf.js": leaf}, DEEP_AWAY)
    assert found["src/far/away/leaf.js"] == leaf.replace("../a", "../../a")


def test_entry_points_and_folders_of_the_configuration() -> None:
    """NEW-4: `main` and `bin` of package.json, `paths` and `include` of tsconfig.json, paths in style sheets."""
    files = {
        **LIB,
        "tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}} /* mine */, "include": ["src"]}\n',
        "top.css": '@import "src/style.css";\n',
    }
    found = moved(files, {path: path.replace("src/", "code/") for path in files if path.startswith("src/")})
    assert found["package.json"] == LIB["package.json"].replace("src/", "code/")
    assert found["tsconfig.json"] == files["tsconfig.json"].replace("src", "code")
    assert found["top.css"] == '@import "code/style.css";\n'


@pytest.mark.parametrize(
    ("files", "places", "reason"),
    [
        ({"src/use.js": 'require("./a");\n'}, {"src/a.js": None}, "would be gone"),
        ({"src/a.js": 'require("./lib/" + name);\n'}, A_TO_DEEP, "computes what it imports"),
        ({"src/a.js": "import(`./lib/${name}`);\n"}, A_TO_DEEP, "computes what it imports"),
        ({"src/a.js": 'require("./built");\n'}, A_TO_DEEP, "no file of the repository"),
        ({"src/deep/package.json": "{}\n"}, A_TO_DEEP, "in another package"),
        ({"src/__mocks__/a.js": ""}, A_TO_DEEP, "has a mock beside it"),
        ({"src/use.vue": '<script>import a from "./a";</script>\n'}, A_TO_DEEP, "such files are not rewritten"),
        (
            {
                "tsconfig.json": '{"compilerOptions": {"rootDir": "src"}}\n',
                "src/use.ts": 'import "./a";\n',
                "test/b.js": "",
                "package.json": "{}",
            },
            {"src/a.js": "test/a.js"},
            "the rootDir of TypeScript",
        ),
        ({"package.json": '{"exports": {"./*": "./src/*.js"}}\n'}, A_TO_DEEP, "by the pattern"),
        ({"src/use.js": 'require("./b");\n', "src/b/index.js": ""}, {"src/a.js": "src/b.js"}, ""),
    ],
)
def test_what_is_refused(files: Files, places: Mapping[str, str | None], reason: str) -> None:
    """NEW-4: said before anything is written; an empty reason = nothing is against it."""
    if not reason:
        assert moved({**LIB, **files}, places)["src/use.js"] == 'require("./b/index");\n'
        return
    with pytest.raises(Stopped, match=reason):
        moved({**LIB, **files}, places)


def test_strings_that_look_like_paths() -> None:
    """NEW-4: other strings that look like the path are listed."""
    files = {**LIB, "src/use.js": 'load("./a");\nload("./app");\n'}
    assert list(doubtful(tree(files), {**{path: path for path in files}, **A_TO_DEEP})) == [("src/use.js", 1, "./a")]


@pytest.mark.parametrize(
    ("path", "content", "left"),
    [
        ("src/a.js", "exports.a = 1;\n", 'module.exports = require("./deep/a.js");\n'),
        ("src/a.js", "export const a = 1;\n", 'export * from "./deep/a.js";\n'),
        ("src/a.ts", "export default 1;\n", 'export * from "./deep/a";\nexport { default } from "./deep/a";\n'),
        ("src/a.js", "run();\n", None),
    ],
)
def test_a_script_stays_under_its_old_name(path: str, content: str, left: str | None) -> None:
    """NEW-4: --forward leaves a script that exports again what the new one does."""
    new = path.replace("src/", "src/deep/")
    found = list(forwarding(tree({new: content}), {path: new}))
    assert [text.decode().partition("\n")[2] for _, _, text in found] == ([] if left is None else [left])


def test_a_plan_with_scripts(tmp_path: Path) -> None:
    """NEW-4: the graph is the planned one, and node finds every module."""
    folder = tmp_path / "subject"
    files = {**LIB, "src/app.js": 'require("./a");\nrequire("./deep");\nconsole.log("runs");\n'}
    committed(folder, files)
    steps: tuple[Operation, ...] = (
        Move(("src/a.js",), "src/deep"),
        Rename("src/deep", "core"),
        Rename("src/app.js", "run.js"),
    )
    groups = tuple(Group(str(number), (step,)) for number, step in enumerate(steps))
    write_document(Document(folder, "subject", "", (Plan("Plan 1", groups),)), tmp_path / "plan.cbv")
    report = tmp_path / "report.json"
    arguments = ["--to", "new", "--jobs", "1", "--format", "json", "-o", str(report)]
    assert main(["plan", "apply", str(tmp_path / "plan.cbv"), *arguments]) == DONE
    assert json.loads(report.read_text())["proof"] == {
        "holds": True,
        "imports": 2,
        "missing": [],
        "extra": [],
        "declared": [],
    }
    git(folder, "checkout", "-q", "new")
    assert (folder / "src/run.js").read_text() == files["src/app.js"].replace("./a", "./core/a").replace(
        "./deep", "./core"
    )
    assert json.loads((folder / "package.json").read_text())["main"] == "./src/run"
