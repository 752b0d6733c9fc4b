"""Five code bases, a plan of ten tasks for each, thirty commits, and the marks expected at every one of them.

The marks were written by hand from `docs/tracking.md`, before there was code that finds them. A column of each table is
a task, in the order of `tasks`: `.` open, `p` partly, `d` done, `x` overtaken. An action that is a number puts
everything back as it was after that commit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cbvtool.plan.operations import Create, Extract, Merge, Move, Operation, Remove, Rename, Split
from tests.tracking.subject import Action, Module, Subject

Row = tuple[str, Action | int]


@dataclass(frozen=True)
class Table:
    """tasks: how the title of each task begins, by column. plan: what is done, one gesture each."""

    name: str
    start: Subject
    plan: tuple[Operation, ...]
    tasks: tuple[str, ...]
    rows: tuple[Row, ...]


def _empty(*folders: str) -> dict[str, str]:
    return {f"{folder}/__init__.py": "" for folder in folders}


def edit(name: str) -> Action:
    return lambda s: s.edit(name)


def move(name: str, path: str, *, forward: bool = False) -> Action:
    return lambda s: s.move(name, path, forward=forward)


def new(name: str, module: Module) -> Action:
    return lambda s: s.modules.__setitem__(name, module)


def put(path: str) -> Action:
    return lambda s: s.others.__setitem__(path, "")


def all_of(*actions: Callable[[Subject], object]) -> Action:
    def act(subject: Subject) -> None:
        for action in actions:
            action(subject)

    return act


def uses(name: str, *used: tuple[str, str]) -> Action:
    return lambda s: setattr(s.modules[name], "uses", list(used))


SHOP = Table(
    "shop",
    Subject(
        "python",
        {
            "billing": Module("shop/ui/billing.py", ["pay"], [("price", "total")]),
            "cart": Module("shop/ui/cart.py", ["add"], [("billing", "pay")]),
            "menu": Module("shop/ui/menu.py", ["show"]),
            "tax": Module("shop/core/tax.py", ["rate"]),
            "price": Module("shop/core/price.py", ["total"], [("tax", "rate")]),
            "store": Module("shop/data/store.py", ["put"]),
            "rows": Module("shop/data/rows.py", ["row"], [("store", "put")]),
            "legacy": Module("shop/old/legacy.py", ["old_way"]),
            "compat": Module("shop/old/compat.py", ["shim"]),
            "util": Module("shop/util.py", ["clamp"]),
            "app": Module("app.py", ["main"], [("cart", "add"), ("tax", "rate"), ("util", "clamp")]),
        },
        _empty("shop", "shop/ui", "shop/core", "shop/data", "shop/old"),
    ),
    (
        Create("plan:1", "shop", "api", "package"),
        Move(("shop/ui/billing.py",), "shop/core"),
        Move(("shop/ui/cart.py",), "plan:1"),
        Rename("shop/util.py", "helpers.py"),
        Rename("shop/data", "storage"),
        Remove(("shop/old",)),
        Move(("shop/core/tax.py",), "shop/data"),
        Rename("shop/core/price.py::total", "total_price"),
        Move(("app.py",), "shop"),
        Remove(("shop/ui/menu.py",)),
    ),
    (
        "Create package shop/api",
        "Move billing.py",
        "Move cart.py",
        "Rename shop/util.py",
        "Rename shop/data",
        "Remove shop/old",
        "Move tax.py",
        "Rename shop/core/price.py::total",
        "Move app.py",
        "Remove shop/ui/menu.py",
    ),
    (
        ("..........", edit("tax")),
        (".d........", move("billing", "shop/core/billing.py")),
        (".d........", edit("billing")),
        ("..........", 1),
        (".d........", move("billing", "shop/core/billing.py")),
        ("dd........", put("shop/api/__init__.py")),
        ("ddd.......", move("cart", "shop/api/cart.py")),
        ("ddd.......", move("price", "shop/core/prices.py")),  # other work
        ("ddd....d..", lambda s: s.rename_def("price", "total", "total_price")),
        ("ddd.p..d..", all_of(put("shop/storage/__init__.py"), move("store", "shop/storage/store.py"))),
        ("ddd.d..d..", all_of(move("rows", "shop/storage/rows.py"), lambda s: s.others.pop("shop/data/__init__.py"))),
        ("ddd.dp.d..", lambda s: s.remove("legacy")),
        ("ddd.dd.d..", all_of(lambda s: s.remove("compat"), lambda s: s.others.pop("shop/old/__init__.py"))),
        ("ddd.dp.d..", 12),
        ("ddd.dd.d..", 13),
        ("ddd.ddxd..", move("tax", "shop/fiscal.py")),  # other work
        ("ddd.ddxd..", edit("cart")),
        ("ddd.dd.d..", move("tax", "shop/core/tax.py")),
        ("ddd.dddd..", move("tax", "shop/storage/tax.py")),
        ("ddddddddd.", all_of(move("util", "shop/helpers.py"), move("app", "shop/app.py"), edit("rows"))),  # squashed
        ("ddddddddd.", edit("menu")),
        ("ddddddddd.", move("menu", "shop/ui/menus.py")),  # other work
        ("dddddddddd", lambda s: s.remove("menu")),
        ("dddddddddd", lambda s: s.move_folder("shop/core", "shop/kernel")),  # other work
        ("dddddddddd", edit("tax")),
        ("dddddddddd", new("new", Module("shop/util.py", ["something", "other"]))),  # other work
        ("dddddddddd", edit("new")),
        ("dddddd.ddd", move("tax", "shop/kernel/tax.py")),
        ("dddddddddd", move("tax", "shop/storage/tax.py")),
        ("dddddddddd", edit("price")),
    ),
)

DESK = Table(
    "desk",
    Subject(
        "python",
        {
            "model": Module("desk/model.py", ["Task", "Note", "parse", "render"], [("util", "clamp")]),
            "view": Module("desk/view.py", ["Window", "draw", "layout"], [("model", "render"), ("model", "Note")]),
            "io": Module("desk/io.py", ["load", "save", "export"], [("model", "parse"), ("util", "join_all")]),
            "util": Module("desk/util.py", ["clamp", "join_all"]),
            "main": Module("desk/main.py", ["main"], [("view", "Window"), ("io", "load")]),
        },
        _empty("desk"),
    ),
    (
        Create("plan:1", "desk", "text.py", "file"),
        Move(("desk/model.py::render",), "desk/view.py"),
        Move(("desk/model.py::parse",), "desk/io.py"),
        Rename("desk/model.py::Note", "Remark"),
        Move(("desk/util.py::clamp",), "plan:1"),
        Remove(("desk/io.py::export",)),
        Rename("desk/main.py", "start.py"),
        Move(("desk/view.py::Window",), "desk/model.py"),
        Rename("desk/util.py::join_all", "join"),
        Remove(("desk/model.py::Task",)),
    ),
    (
        "Create file desk/text.py",
        "Move render",
        "Move parse",
        "Rename desk/model.py::Note",
        "Move clamp",
        "Remove desk/io.py::export",
        "Rename desk/main.py",
        "Move Window",
        "Rename desk/util.py::join_all",
        "Remove desk/model.py::Task",
    ),
    (
        ("..........", edit("model")),
        (".d........", lambda s: s.move_def("model", "view", "render")),
        (".d.d......", lambda s: s.rename_def("model", "Note", "Remark")),
        (  # other work
            ".dxd......",
            all_of(new("reader", Module("desk/reader.py", [])), lambda s: s.move_def("model", "reader", "parse")),
        ),
        (".dxd......", edit("reader")),
        (".ddd......", lambda s: s.move_def("reader", "io", "parse")),
        ("ddddd.....", all_of(new("text", Module("desk/text.py", [])), lambda s: s.move_def("util", "text", "clamp"))),
        (".ddd......", 6),
        ("dddd......", new("text", Module("desk/text.py", []))),
        ("ddddd.....", lambda s: s.move_def("util", "text", "clamp")),
        ("dddddd....", lambda s: s.remove_def("io", "export")),
        ("ddddd.....", 10),
        (  # other work
            "ddddd.....",
            all_of(new("export", Module("desk/export.py", [])), lambda s: s.move_def("io", "export", "export")),
        ),
        ("dddddd....", lambda s: s.remove("export")),
        ("ddddddd...", move("main", "desk/start.py")),
        ("ddddddd...", move("view", "desk/window.py")),  # other work
        ("dddddddd..", lambda s: s.move_def("view", "model", "Window")),
        ("dddddddd..", edit("view")),
        ("ddddddddd.", lambda s: s.rename_def("util", "join_all", "join")),
        ("ddddddddx.", lambda s: s.rename_def("util", "join", "joined")),  # other work
        ("ddddddddd.", lambda s: s.rename_def("util", "joined", "join")),
        ("dddddddddd", lambda s: s.remove_def("model", "Task")),
        ("ddddddddd.", 21),
        ("dddddddddd", lambda s: s.remove_def("model", "Task")),
        ("dddddddddd", move("util", "desk/tools/util.py")),  # other work
        ("dddddddddd", lambda s: s.modules["io"].defs.append("render")),  # other work
        ("dxdddddddd", lambda s: s.remove_def("view", "render")),
        ("dddddddddd", lambda s: s.modules["view"].defs.append("render")),
        ("dddddddddd", edit("io")),
        ("dddddddddd", edit("text")),
    ),
)

STORE = Table(
    "store",
    Subject(
        "python",
        {
            "order": Module("store/order.py", ["place", "cancel"], [("mail", "send")]),
            "orders": Module("store/orders.py", ["list_all", "find"], [("audit", "log")]),
            "mail": Module("store/mail.py", ["send"]),
            "report": Module("store/report.py", ["make"], [("db", "query"), ("audit", "log")]),
            "db": Module("store/db.py", ["query", "close"]),
            "audit": Module("store/audit.py", ["log"]),
            "a": Module("store/legacy/a.py", ["old_a"]),
            "b": Module("store/legacy/b.py", ["old_b"]),
            "fmt": Module("store/tools/fmt.py", ["pad"]),
            "dates": Module("store/tools/dates.py", ["today"]),
            "cli": Module(
                "store/cli.py", ["main"], [("dates", "today"), ("mail", "send"), ("audit", "log"), ("orders", "find")]
            ),
        },
        _empty("store"),
    ),
    (
        Extract("store/tools", "store/cli.py", "store"),
        Merge("store/orders.py", "store/order.py"),
        Merge("store/legacy", "store/tools"),
        Move(("store/audit.py",), "store/tools"),
        Split("store/report.py", "store/db.py", "store", "invert", "db_interface.py"),
        Split("store/cli.py", "store/mail.py", "store", "route", "mail_facade.py"),
        Create("plan:1", "store", "api", "package"),
        Move(("store/report.py",), "plan:1"),
        Remove(("store/tools/fmt.py",)),
        Rename("store/order.py::place", "place_order"),
    ),
    (
        "Merge store/orders.py",
        "Merge store/legacy",
        "Move audit.py",
        "Invert the dependency",
        "Route the dependency",
        "Create package store/api",
        "Move report.py",
        "Pull dates.py",
        "Remove store/tools/fmt.py",
        "Rename store/order.py::place",
    ),
    (
        ("..........", edit("order")),
        ("...p......", all_of(new("face", Module("store/db_interface.py", ["Base"])), uses("db", ("face", "Base")))),
        ("...d......", uses("report", ("face", "Base"), ("audit", "log"))),
        ("..pd......", move("audit", "store/tools/audit.py", forward=True)),
        ("..pd......", lambda s: s.switch("cli", "audit")),
        ("..pd......", lambda s: s.switch("orders", "audit")),
        ("..dd......", lambda s: s.switch("report", "audit")),
        ("..dd......", lambda s: s.left.clear()),
        (".pdd......", move("a", "store/tools/a.py")),
        (".ddd......", move("b", "store/tools/b.py")),
        (".pdd......", 9),
        (".ddd......", lambda s: s.remove("b")),  # other work
        (".ddd......", new("b", Module("store/tools/b.py", ["old_b"]))),
        (  # squashed
            ".dddd.....",
            all_of(
                new("facade", Module("store/mail_facade.py", ["post"], [("mail", "send")])),
                uses("cli", ("dates", "today"), ("facade", "post"), ("audit", "log"), ("orders", "find")),
            ),
        ),
        ("pdddd.....", lambda s: s.move_def("orders", "order", "find")),
        ("pdddd.....", lambda s: s.move_def("orders", "order", "list_all")),
        ("ddddd.....", lambda s: s.remove("orders")),
        ("ddddd.....", move("order", "store/purchases.py")),  # other work
        ("ddddd....d", lambda s: s.rename_def("order", "place", "place_order")),
        ("ddddddd..d", all_of(put("store/api/__init__.py"), move("report", "store/api/report.py"))),
        ("ddddd....d", 19),
        ("dddddd...d", put("store/api/__init__.py")),
        ("ddddddd..d", move("report", "store/api/report.py")),
        ("dddddddd.d", move("dates", "store/dates.py")),
        ("dddddddd.d", move("fmt", "store/fmt.py")),  # other work
        ("dddddddddd", lambda s: s.remove("fmt")),
        ("dddddddddd", new("statistics", Module("store/orders.py", ["stats", "chart"]))),  # other work
        ("dddddddddd", edit("order")),
        ("dddpdddddd", uses("report", ("face", "Base"), ("audit", "log"), ("db", "query"))),
        ("dddddddddd", uses("report", ("face", "Base"), ("audit", "log"))),
    ),
)

WEB = Table(
    "web",
    Subject(
        "javascript",
        {
            "app": Module("src/app.js", ["start"], [("button", "button"), ("http", "get"), ("text", "trim")]),
            "button": Module("src/ui/button.js", ["button"]),
            "menu": Module("src/ui/menu.js", ["menu"], [("button", "button")]),
            "list": Module("src/ui/list.js", ["list"], [("text", "trim")]),
            "http": Module("src/net/http.js", ["get"]),
            "socket": Module("src/net/socket.js", ["open"], [("http", "get")]),
            "text": Module("src/util/text.js", ["trim"]),
            "time": Module("src/util/time.js", ["now"]),
            "x": Module("src/old/x.js", ["xx"]),
            "y": Module("src/old/y.js", ["yy"]),
            "main": Module("index.js", ["run"], [("app", "start")]),
        },
    ),
    (
        Rename("src/ui", "widgets"),
        Create("plan:1", "src", "lib", "folder"),
        Move(("src/net",), "plan:1"),
        Move(("src/util/time.js",), "plan:1"),
        Rename("src/util/text.js", "strings.js"),
        Remove(("src/old",)),
        Move(("index.js",), "src"),
        Rename("src/net/http.js::get", "fetchJson"),
        Create("plan:2", "src/ui", "dialog.js", "file"),
        Move(("src/ui/list.js",), "plan:1"),
    ),
    (
        "Rename src/ui",
        "Move net",
        "Create folder src/lib",
        "Move time.js",
        "Rename src/util/text.js",
        "Remove src/old",
        "Move index.js",
        "Rename src/net/http.js::get",
        "Create file src/widgets/dialog.js",
        "Move list.js",
    ),
    (
        ("..........", edit("app")),
        ("p.........", move("button", "src/widgets/button.js")),
        ("d.........", move("menu", "src/widgets/menu.js")),
        ("d.d......d", move("list", "src/lib/list.js")),
        ("d........x", move("list", "src/shared/list.js")),  # other work
        ("d.d......d", move("list", "src/lib/list.js")),
        ("dpd......d", move("http", "src/lib/net/http.js")),
        ("ddd......d", move("socket", "src/lib/net/socket.js")),
        ("ddd....d.d", lambda s: s.rename_def("http", "get", "fetchJson")),
        ("ddd......d", 8),
        ("ddd....d.d", 9),
        ("ddd.d..d.d", move("text", "src/util/strings.js")),
        ("ddddd..d.d", move("time", "src/lib/time.js")),
        ("dddddp.d.d", lambda s: s.remove("x")),
        ("dddddp.d.d", move("y", "src/legacy/y.js")),  # other work
        ("dddddd.d.d", lambda s: s.remove("y")),
        ("dddddddd.d", move("main", "src/index.js")),
        ("dddddddddd", new("dialog", Module("src/widgets/dialog.js", ["dialog"], [("button", "button")]))),
        ("dddddddddd", lambda s: s.move_folder("src", "source")),  # other work
        ("dddddddddd", 18),
        ("dddddddddd", edit("app")),
        ("dddddddddd", move("socket", "src/socket.js")),  # other work
        ("dxdddddddd", move("http", "src/http.js")),  # other work
        ("dddddddddd", 21),
        ("dddddddddd", all_of(move("button", "src/widgets/knob.js"), edit("text"))),  # other work, squashed
        ("dddddddddd", edit("socket")),
        ("dx.xdddddx", lambda s: s.move_folder("src/lib", "src/libs")),  # other work
        ("dddddddddd", lambda s: s.move_folder("src/libs", "src/lib")),
        ("dddddddddd", edit("time")),
        ("dddddddddd", edit("menu")),
    ),
)

BANK = Table(
    "bank",
    Subject(
        "java",
        {
            "account": Module("src/bank/Account.java", ["open"]),
            "client": Module("src/bank/Client.java", ["greet"], [("account", "open")]),
            "ledger": Module("src/bank/book/Ledger.java", ["post"], [("account", "open")]),
            "entry": Module("src/bank/book/Entry.java", ["line"]),
            "tax": Module("src/bank/Tax.java", ["rate"]),
            "page": Module("src/web/Page.java", ["show"], [("client", "greet")]),
            "form": Module("src/web/Form.java", ["send"], [("page", "show")]),
            "log": Module("src/util/Log.java", ["write"]),
            "clock": Module("src/util/Clock.java", ["tick"]),
            "tool": Module("src/util/Tool.java", ["run"]),
            "app": Module("src/start/App.java", ["main"], [("page", "show"), ("log", "write")]),
        },
    ),
    (
        Create("plan:1", "src/bank", "people", "package"),
        Move(("src/bank/Account.java", "src/bank/Client.java"), "plan:1"),
        Rename("src/bank/book", "books"),
        Move(("src/bank/Tax.java",), "src/bank/book"),
        Remove(("src/util/Tool.java",)),
        Rename("src/util/Clock.java", "Watch.java"),
        Move(("src/web",), "src/bank"),
        Move(("src/util/Log.java",), "src/bank"),
        Create("plan:2", "src/bank", "Bank.java", "file"),
        Rename("src/start/App.java", "Main.java"),
    ),
    (
        "Create package src/bank/people",
        "Move 2 files",
        "Rename src/bank/book",
        "Move Tax.java",
        "Remove src/util/Tool.java",
        "Rename src/util/Clock.java",
        "Move web",
        "Move Log.java",
        "Create file src/bank/Bank.java",
        "Rename src/start/App.java",
    ),
    (
        ("..........", edit("tax")),
        ("dp........", move("account", "src/bank/people/Account.java")),
        ("dd........", move("client", "src/bank/people/Client.java")),
        ("dp........", 2),
        ("dd........", move("client", "src/bank/people/Client.java")),
        ("ddd.......", lambda s: s.move_folder("src/bank/book", "src/bank/books")),
        ("ddd.......", edit("entry")),
        ("dddd......", move("tax", "src/bank/books/Tax.java")),
        ("ddddd.....", lambda s: s.remove("tool")),
        ("dddd......", 8),
        ("dddddd....", all_of(lambda s: s.remove("tool"), move("clock", "src/util/Watch.java"))),  # squashed
        ("ddddddp...", move("page", "src/bank/web/Page.java")),
        ("ddddddd...", move("form", "src/bank/web/Form.java")),
        ("dddddddx..", move("log", "src/log/Log.java")),  # other work
        ("dddddddx..", edit("log")),
        ("dddddddd..", move("log", "src/bank/Log.java")),
        ("ddddddddd.", new("bank", Module("src/bank/Bank.java", ["go"], [("ledger", "post")]))),
        ("dddddddddd", move("app", "src/start/Main.java")),
        ("dddddddddd", lambda s: s.move_folder("src/bank", "src/finance")),  # other work
        ("dddddddddd", 18),
        ("dddddddddd", edit("app")),
        ("dddddddddd", move("account", "src/bank/people/Konto.java")),  # other work
        ("dddddddddd", 21),
        ("ddd.dddddd", move("tax", "src/bank/Tax.java")),
        ("dddddddddd", move("tax", "src/bank/books/Tax.java")),
        ("dddddxdddd", lambda s: s.remove("clock")),  # other work
        ("dddddddddd", 25),
        ("dddddddddd", edit("page")),
        ("dddddddddd", edit("tax")),
        ("dddddddddd", edit("ledger")),
    ),
)

TABLES = (SHOP, DESK, STORE, WEB, BANK)
