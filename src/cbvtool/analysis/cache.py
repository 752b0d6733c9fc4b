"""The cache of analyses, one SQLite file: facts by file content, relations and graphs by folder content, histories.

It can be deleted at any time. A fault in it costs a note and some seconds, never the analysis. Several processes may
use it at once. Nothing in it is ever executed: facts are read back as plain numbers and texts.
"""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import msgspec

from cbvtool.analysis.facts import FACTS_VERSION, FileFacts, Uses

if TYPE_CHECKING:
    from cbvtool.graph import Graph

VARIABLE = "CBVTOOL_CACHE"  # environment: the folder of the cache; empty = none
FILE = "cbvtool-analysis.sqlite3"
SIZE_LIMIT = 1_000_000_000  # bytes; beyond it, the entries used least recently are deleted
_KEPT = 0.8  # share of the limit that remains after deleting
_BATCH = 500  # rows written or asked for at a time
_PATIENCE = 5.0  # seconds to wait for another process that writes
_LAYOUT = 3  # version of the table layout
_TABLES = {
    "facts": "key blob primary key, used integer not null, data blob not null",
    "relations": "root blob, key blob, used integer not null, data blob not null, primary key (root, key)",
    "folders": "root blob primary key, used integer not null, stamps blob, key blob, graph blob",
    "histories": "key blob primary key, used integer not null, data blob not null",
}
# Errors that do not come from damage, and would occur again with a new file.
_OUT_OF_REACH = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_AUTH,
    sqlite3.SQLITE_NOMEM,
)
_GRAMMAR = re.compile(r"(tree.sitter|libclang).*-info")  # package metadata folders, whose names hold the version

_T = TypeVar("_T")
_facts_from = msgspec.msgpack.Decoder(FileFacts | str).decode
_stamps_from = msgspec.msgpack.Decoder(dict[bytes, tuple[int, int, int, int, bytes]]).decode
_packed = msgspec.msgpack.Encoder().encode


class Stamp(NamedTuple):
    """Size, times and inode of a file at the time when its content had the digest `digest`."""

    size: int
    modified: int
    changed: int
    number: int
    digest: bytes


def default_folder() -> Path | None:
    """The folder of the user's cache: from the environment, else the system's usual place; None = no cache."""
    if (said := os.environ.get(VARIABLE)) is not None:
        return Path(said) if said else None
    import platformdirs  # imported late: it takes longer to load than everything else here

    return platformdirs.user_cache_path("cbvtool", appauthor=False)


@cache
def fingerprint() -> bytes:
    """Digest of everything but sources that facts and graphs depend on: this program, its grammars, this Python."""
    found = hashlib.blake2b(repr((FACTS_VERSION, sys.version_info[:2], sys.byteorder)).encode(), digest_size=16)
    package = Path(__file__).parent
    for source in sorted((*package.rglob("*.py"), *(package.parent / "graph").glob("*.py"))):
        found.update(source.read_bytes())
    grammars: set[str] = set()
    for folder in sys.path:  # reading folder names is a hundred times faster than importlib.metadata
        with suppress(OSError):
            grammars.update(filter(_GRAMMAR.fullmatch, os.listdir(folder or ".")))
    found.update(repr(sorted(grammars)).encode())
    return found.digest()


def facts_key(reader: str, name: str, digest: bytes) -> bytes:
    """The key of the facts that `reader` finds in a file called `name` with the content `digest`."""
    text = f"{reader}\0{name}\0".encode("utf-8", "surrogateescape")
    return hashlib.blake2b(fingerprint() + digest + text, digest_size=16).digest()


@contextmanager
def open_cache(folder: Path | None) -> Iterator[Cache]:
    """The cache in `folder`, which is created if missing; None = a cache that stores nothing."""
    opened = Cache(folder)
    try:
        yield opened
    finally:
        opened.close()


class HistoryKeeper:
    """Stores histories in the cache in `folder`, from any thread; None = stores nothing. See `mining.Keeper`."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def get(self, key: bytes) -> bytes | None:
        """The data stored under `key`; None = none."""
        with open_cache(self._folder) as opened:
            return opened.history(key)

    def put(self, key: bytes, data: bytes) -> None:
        """Store `data` under `key`."""
        with open_cache(self._folder) as opened:
            opened.keep_history(key, data)


def keeper_in(cache: Path | bool) -> HistoryKeeper:
    """A keeper of histories: in a folder, in the user's cache (True), or one that stores nothing (False)."""
    return HistoryKeeper(cache if isinstance(cache, Path) else default_folder() if cache else None)


class Cache:
    """The open cache (see the module). `notes` has one sentence about each fault."""

    def __init__(self, folder: Path | None) -> None:
        self.notes: list[str] = []
        self._file = None if folder is None else folder / FILE
        self._connection: sqlite3.Connection | None = None
        self._renewed = False
        self._new: dict[bytes, bytes] = {}  # facts not written yet
        self._grown = False
        self._today = int(time.time() // 86_400)

    def close(self) -> None:
        """Write all pending entries, and close the file."""
        self._flush()
        if self._grown:
            self._carefully(_shrink, None)
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @property
    def remembers(self) -> bool:
        """Whether it stores anything."""
        return self._file is not None

    # -- facts ---------------------------------------------------------------------------------------------------

    @property
    def holds_facts(self) -> bool:
        """Whether it holds any facts, so that asking for some is worth the time."""
        return self._carefully(lambda db: db.execute("select 1 from facts limit 1").fetchone(), None) is not None

    def facts(self, keys: Iterable[bytes]) -> dict[bytes, FileFacts | str]:
        """The stored results for `keys` (see `facts_key`): facts, or a text that says why a file could not be read."""
        wanted, found = list(keys), dict[bytes, FileFacts | str]()
        nothing: list[tuple[bytes, bytes]] = []
        for start in range(0, len(wanted), _BATCH):
            ask = partial(self._ask, wanted[start : start + _BATCH])
            for key, data in self._carefully(ask, nothing):
                with suppress(zlib.error, msgspec.DecodeError):  # damaged: it will be computed and written again
                    found[key] = _facts_from(zlib.decompress(data))
        return found

    def _ask(self, keys: list[bytes], db: sqlite3.Connection) -> list[tuple[bytes, bytes]]:
        marks = ",".join("?" * len(keys))
        # The only text inserted is question marks.
        rows = db.execute(f"select key, data, used from facts where key in ({marks})", keys).fetchall()  # noqa: S608
        old = [(self._today, key) for key, _, used in rows if used != self._today]
        if old:
            with db:
                db.executemany("update facts set used = ? where key = ?", old)
        return [(key, data) for key, data, _ in rows]

    def add_facts(self, key: bytes, found: FileFacts | str) -> None:
        """Store the facts of a file, or the reason why there are none."""
        if self._file is None:
            return
        with suppress(UnicodeEncodeError):
            self._new[key] = zlib.compress(_packed(found if isinstance(found, str) else _plain(found)), 1)
        if len(self._new) >= _BATCH:
            self._flush()

    def _flush(self) -> None:
        rows = [(key, self._today, data) for key, data in self._new.items()]
        self._new = {}

        def write(db: sqlite3.Connection) -> None:
            with db:
                db.executemany("insert or replace into facts values (?, ?, ?)", rows)
            self._grown = True

        if rows:
            self._carefully(write, None)

    # -- relations -----------------------------------------------------------------------------------------------

    def relations(self, root: str, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The stored results for `keys` in the folder `root` (see `keep_relations`)."""
        found: dict[bytes, bytes] = {}
        for start in range(0, len(keys), _BATCH):
            some = keys[start : start + _BATCH]
            marks = ",".join("?" * len(some))
            text = f"select key, data from relations where root = ? and key in ({marks})"  # noqa: S608 - question marks
            asked = (os.fsencode(root), *some)
            # mypy does not infer lambdas with defaults.
            found |= self._carefully(lambda db, text=text, asked=asked: dict(db.execute(text, asked)), {})  # type: ignore[misc]
        return found

    def keep_relations(self, root: str, keys: AbstractSet[bytes], new: Mapping[bytes, bytes]) -> None:
        """Store the results for `new` keys of the folder `root`.

        Delete all entries of the folder that are not in `keys`.
        """
        folder = os.fsencode(root)

        def write(db: sqlite3.Connection) -> None:
            known = {key for (key,) in db.execute("select key from relations where root = ?", (folder,))}
            with db:
                db.executemany(
                    "delete from relations where root = ? and key = ?", [(folder, key) for key in known - keys]
                )
                rows = [(folder, key, self._today, data) for key, data in new.items()]
                db.executemany("insert or replace into relations values (?, ?, ?, ?)", rows)
                db.execute(
                    "update relations set used = ? where root = ? and used != ?", (self._today, folder, self._today)
                )
            self._grown = True

        self._carefully(write, None)

    # -- folders -------------------------------------------------------------------------------------------------

    def stamps(self, root: str) -> dict[str, Stamp]:
        """The stored stamps of the files below `root`, by relative path."""
        row = self._folder(root, "stamps")
        if row is not None:
            with suppress(zlib.error, msgspec.DecodeError):
                found = _stamps_from(zlib.decompress(row))
                return {os.fsdecode(path): Stamp(*stamp) for path, stamp in found.items()}
        return {}

    def graph(self, root: str, key: bytes) -> Graph | None:
        """The graph of the folder `root`, if it was built when the folder was in the state `key`."""
        if self._folder(root, "key") != key or (data := self._folder(root, "graph")) is None:
            return None
        from cbvtool.graph.pack import unpack

        try:
            return unpack(data)
        except ValueError:
            return None

    def _folder(self, root: str, column: str) -> bytes | None:
        text = f"select {column} from folders where root = ?"  # noqa: S608 - a name from this file
        row = self._carefully(lambda db: db.execute(text, (os.fsencode(root),)).fetchone(), None)
        return None if row is None else row[0]

    def keep(self, root: str, stamps: Mapping[str, Stamp], key: bytes = b"", graph: Graph | None = None) -> None:
        """Store the stamps of the files below `root`, and the graph of the folder in the state `key`."""
        if self._file is None:
            return
        from cbvtool.graph.pack import pack

        seen = zlib.compress(_packed({os.fsencode(path): tuple(stamp) for path, stamp in stamps.items()}), 1)
        packed = None
        with suppress(UnicodeEncodeError):
            packed = None if graph is None else pack(graph)
        row = (os.fsencode(root), self._today, seen, key, packed)

        def write(db: sqlite3.Connection) -> None:
            with db:
                db.execute("insert or replace into folders values (?, ?, ?, ?, ?)", row)
            self._grown = True

        self._carefully(write, None)

    # -- histories -----------------------------------------------------------------------------------------------

    def history(self, key: bytes) -> bytes | None:
        """The data of a history stored under `key`; None = none."""

        def read(db: sqlite3.Connection) -> bytes | None:
            row = db.execute("select data, used from histories where key = ?", (key,)).fetchone()
            if row is not None and row[1] != self._today:
                with db:
                    db.execute("update histories set used = ? where key = ?", (self._today, key))
            return None if row is None else bytes(row[0])

        return self._carefully(read, None)

    def keep_history(self, key: bytes, data: bytes) -> None:
        """Store the data of a history; only its reader knows the format."""

        def write(db: sqlite3.Connection) -> None:
            with db:
                db.execute("insert or replace into histories values (?, ?, ?)", (key, self._today, data))
            self._grown = True

        self._carefully(write, None)

    # -- the file ------------------------------------------------------------------------------------------------

    def _carefully(self, use: Callable[[sqlite3.Connection], _T], otherwise: _T) -> _T:
        """The result of `use`; a damaged cache is made anew and asked again. If that fails, too, `otherwise`."""
        while self._file is not None:
            try:
                if self._connection is None:
                    self._connection = _opened(self._file)
                return use(self._connection)
            except (sqlite3.Error, OSError) as error:
                code = getattr(error, "sqlite_errorcode", None)
                if isinstance(error, sqlite3.Error) and code is None:
                    raise  # an error in this program
                self._let_go(error, damaged=code is not None and code & 0xFF not in _OUT_OF_REACH)
        return otherwise

    def _let_go(self, error: Exception, damaged: bool) -> None:
        """Delete the file if it is damaged, the first time; otherwise continue without a cache."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        assert self._file is not None
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        if damaged and not self._renewed:
            self._renewed = True
            try:
                self._file.unlink()
            except OSError as refused:
                reason = refused.strerror or str(refused)
            else:
                self.notes.append(f"The cache {self._file} was damaged ({reason}) and is made anew.")
                return
        self.notes.append(f"The cache {self._file} is not used: {reason}.")
        self._file = None


def _plain(found: FileFacts) -> tuple[object, ...]:
    """`found` as a tuple for the encoder, which uses `len`; `Uses` defines another length."""
    return tuple(tuple(iter(part)) if isinstance(part, Uses) else part for part in found)


def _opened(file: Path) -> sqlite3.Connection:
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    connection = sqlite3.connect(file, timeout=_PATIENCE)
    try:
        if _layout(connection) != _LAYOUT:
            connection.execute("begin immediate")
            if _layout(connection) != _LAYOUT:  # otherwise another process has done it already
                for name, columns in _TABLES.items():
                    connection.execute(f"drop table if exists {name}")
                    connection.execute(f"create table {name} ({columns})")
                connection.execute(f"pragma user_version = {_LAYOUT}")
            connection.commit()
    except BaseException:
        connection.close()
        raise
    return connection


def _layout(connection: sqlite3.Connection) -> int:
    found: int = connection.execute("pragma user_version").fetchone()[0]
    return found


def _shrink(connection: sqlite3.Connection) -> None:
    """Delete the entries used least recently, if all entries together exceed the limit."""
    pages, free, page = (
        connection.execute(f"pragma {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    if (used := (pages - free) * page) > SIZE_LIMIT:
        share = 1 - _KEPT * SIZE_LIMIT / used
        with connection:
            for table in _TABLES:
                rows = connection.execute(f"select count(*) from {table}").fetchone()[0]  # noqa: S608 - words of ours
                oldest = f"select rowid from {table} order by used, rowid limit ?"  # noqa: S608 - as above
                connection.execute(f"delete from {table} where rowid in ({oldest})", (int(rows * share),))  # noqa: S608
