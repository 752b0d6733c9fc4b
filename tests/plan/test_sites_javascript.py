"""Sites of plans in JavaScript and TypeScript code (DND-9, NEW-9): each case by hand, as people write it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cbvtool.plan import Create, Move, Remove, Rename
from cbvtool.plan.sites.javascript import resolved, statements
from tests.plan.coded import Coded

SHOP = {
    "src/cart.ts": """
        import { tax } from './money/tax'
        import type { Desk } from "./desk"

        export function totalPrice(x: number) { return tax(x) }
        export const again = totalPrice
    """,
    "src/money/tax.ts": """
        import { totalPrice } from '../cart.js'
        export const tax = (x: number) => x * totalPrice.length
    """,
    "src/desk.ts": """
        import {
          totalPrice,
          again as more,
        } from './cart'
        import * as cart from './cart'
        // from './cart', totalPrice
        export class Desk {
          sum = totalPrice(1) + cart.totalPrice(2) + more(3)
        }
        jest.mock('./cart', () => 'totalPrice')
    """,
    "src/index.ts": """
        export * from './cart'
        export { Desk } from './desk'
    """,
    "src/late.js": """
        const { totalPrice: total } = require('./cart')
        const lazy = () => import('./cart').then((it) => it)
        const path = require.resolve(
          './cart.ts')
        const names = ['./cart.ts', './other', total]
    """,
    "test/shop.spec.ts": """
        import { totalPrice } from '../src'

        it('totalPrice adds', () => totalPrice(1))
    """,
    "other/cart.ts": """
        export function unrelated() { return 1 }
    """,
    "other/use.ts": """
        import { unrelated } from './cart'
        unrelated()
    """,
}


@pytest.fixture
def shop(tmp_path: Path) -> Coded:
    """A module imported in all ways, and one of the same name elsewhere."""
    return Coded(tmp_path, SHOP)


def test_a_file_moves(shop: Coded) -> None:
    """Paths to it, at the line on which they stand, and its own; not those to another file of the same name."""
    assert shop.told(Move(("src/cart.ts",), "src/money")) == [
        "check text src/late.js:5",
        "must import src/cart.ts:1",
        "must import src/cart.ts:2",
        "must import src/desk.ts:10",
        "must import src/desk.ts:4",
        "must import src/desk.ts:5",
        "must import src/index.ts:1",
        "must import src/late.js:1",
        "must import src/late.js:2",
        "must import src/late.js:4",
        "must import src/money/tax.ts:1",
    ]


def test_a_file_becomes_the_index_of_a_folder(shop: Coded) -> None:
    """Its users need not know; its own imports start one folder deeper, and who wrote the suffix is wrong."""
    told = shop.told(
        Create("plan:1", "src", "cart", "folder"), Move(("src/cart.ts",), "plan:1"), Rename("src/cart.ts", "index.ts")
    )
    assert [line for line in told if line.startswith("must")] == [
        "must import src/cart.ts:1",
        "must import src/cart.ts:2",
        "must import src/late.js:4",
        "must import src/money/tax.ts:1",
    ]


def test_what_moves_together_stays_right(shop: Coded) -> None:
    told = shop.told(Rename("src", "lib"))
    assert [line for line in told if line.startswith("must")] == ["must import test/shop.spec.ts:1"]


def test_a_file_is_removed(shop: Coded) -> None:
    assert [line for line in shop.told(Remove(("other/cart.ts",))) if line.startswith("must")] == [
        "must import other/use.ts:1"
    ]


def test_an_exported_function_gets_another_name(shop: Coded) -> None:
    """Also where a file passes it on, by a star, as part of a module; behind an alias, the import alone."""
    assert shop.told(Rename("src/cart.ts::totalPrice", "sumOf")) == [
        "check text src/desk.ts:10",
        "must call src/desk.ts:8",
        "must call test/shop.spec.ts:3",
        "must definition src/cart.ts:4",
        "must import src/desk.ts:2",
        "must import src/late.js:1",
        "must import src/money/tax.ts:1",
        "must import test/shop.spec.ts:1",
        "must reference src/cart.ts:5",
        "must reference src/money/tax.ts:2",
    ]


def test_an_exported_class_gets_another_name(shop: Coded) -> None:
    told = shop.told(Rename("src/desk.ts::Desk", "Table"))
    assert [line for line in told if line.startswith("must")] == [
        "must definition src/desk.ts:7",
        "must import src/cart.ts:2",
        "must import src/index.ts:2",
    ]


def test_a_method_gets_another_name_with_those_that_override_it(tmp_path: Path) -> None:
    files = {
        "a.js": """
            export class Shape {
              drawAll() { return this.drawAll }
            }
        """,
        "b.js": """
            import { Shape } from './a'

            class Circle extends Shape {
              drawAll() { return super.drawAll() }
            }
            describe('#drawAll', () => new Circle().drawAll())
        """,
    }
    assert Coded(tmp_path, files).told(Rename("a.js::Shape.drawAll", "paint")) == [
        "must call b.js:6",
        "must definition a.js:2",
        "must definition b.js:4",
    ]


def test_a_function_that_is_assigned_is_a_member(tmp_path: Path) -> None:
    """What takes a member of a module for a name of its own goes along."""
    files = {
        "app.js": "var app = exports = module.exports = {};\n\napp.useAll = function useAll(x) {\n  return x;\n};\n",
        "run.js": "var app = require('./app');\n\nvar useAll = app.useAll;\nuseAll(app.useAll(2));\n",
    }
    code = Coded(tmp_path, files)
    [node] = [name for name in code.graph.ids if name.startswith("app.js::")]
    told = code.told(Rename(node, "use"))
    assert {"must definition app.js:3", "must reference run.js:3", "must reference run.js:4"} <= {
        line.replace("call", "reference") for line in told
    }


def test_paths_by_an_alias_lead_where_the_analysis_says(tmp_path: Path) -> None:
    """Those of a tsconfig; the name of a package stays when its main file moves."""
    files = {
        "tsconfig.json": '{"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*"]}}}',
        "package.json": '{"private": true, "workspaces": ["packages/*"]}',
        "packages/tools/package.json": '{"name": "@shop/tools", "main": "src/index.ts"}',
        "packages/tools/src/index.ts": "export function mendIt() { return 1 }\n",
        "src/money/tax.ts": "export const tax = 1\n",
        "src/use.ts": "import { tax } from '@/money/tax'\nimport {\n  mendIt,\n} from '@shop/tools'\nmendIt(tax)\n",
    }
    code = Coded(tmp_path, files)
    moved = code.told(Move(("src/money/tax.ts",), "src"))
    assert [line for line in moved if line.startswith("must")] == ["must import src/use.ts:1"]
    moved = code.told(Move(("packages/tools/src/index.ts",), "packages/tools"))
    assert [line for line in moved if line.startswith("must")] == []
    renamed = code.told(Rename("packages/tools/src/index.ts::mendIt", "repair"))
    assert [line for line in renamed if line.startswith("must")] == [
        "must call src/use.ts:5",
        "must definition packages/tools/src/index.ts:1",
        "must import src/use.ts:3",
    ]


def test_statements_are_read() -> None:
    """Forms of imports; a path in any other string counts for itself."""
    text = (
        "import { a, type b as c } from './x'\nimport D, { e } from '../d'\nimport q = require('./q')\nimport './s'\n"
        "export {\n  g,\n  h as i,\n} from './g'\nconst { j, k: l } = await import('./j')\nlet m = require('./m').n\n"
        "f('./str')\n"
    )
    found = statements(text, text)
    assert [(said.line, said.first, said.path, dict(said.names), said.space) for said in found] == [
        (1, 1, "./x", {"a": "a", "b": "c"}, ""),
        (2, 2, "../d", {"e": "e", "default": "D"}, ""),
        (3, 3, "./q", {}, "q"),
        (4, 4, "./s", {}, ""),
        (8, 5, "./g", {"g": "g", "h": "i"}, ""),
        (9, 9, "./j", {"j": "j", "k": "l"}, ""),
        (10, 10, "./m", {"n": "m"}, ""),
        (11, 11, "./str", {}, ""),
    ]
    assert [said.is_passed for said in found] == [False] * 4 + [True] + [False] * 3
    assert [said.is_import for said in found] == [True] * 7 + [False]


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("./b", "a/b.ts"),
        ("./b.js", "a/b.ts"),
        ("./b.ts", "a/b.ts"),
        ("./c", "a/c/index.js"),
        ("./c/", "a/c/index.js"),
        ("..", "index.ts"),
        ("../a", ""),
        ("./data.json?raw", "a/data.json"),
    ],
)
def test_where_a_path_leads(path: str, target: str) -> None:
    files = {"a/b.ts", "a/c/index.js", "index.ts", "a/data.json", "a/x.ts"}
    assert resolved(path, "a/x.ts", files) == target
