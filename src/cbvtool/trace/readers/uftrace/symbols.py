"""Which function an address belongs to: memory maps of the sessions, symbol files and debug files."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from cbvtool.budget import Budget
from cbvtool.trace.readers.uftrace.arguments import Value, value_of
from cbvtool.trace.readers.uftrace.cxx_names import qualified_name
from cbvtool.trace.readers.uftrace.folder import Folder

_MAP = re.compile(r"([0-9a-f]{1,16})-([0-9a-f]{1,16}) \S+ \S+ \S+ \S+\s+(/.*?)(?: build-id:\w+)?$")
_SYMBOL = re.compile(r"([0-9a-f]{1,16}) (?:[0-9a-f]+ )?([?TtwPKDdvu]) (.*)$")
_PATH = re.compile(r"# path name: (.*)$")
_ENDS = ("__sym_end", "__dynsym_end", "__func_end")
_CODE = frozenset("TtwPK")
_SIZE = 300  # bytes of memory of a symbol


@dataclass(frozen=True)
class Symbol:
    """A function of a program or library; `mangled` is its name as the linker knows it."""

    name: str
    mangled: str
    module: str = ""
    file: str = ""
    line: int = 0
    arguments: tuple[Value, ...] = ()
    returned: tuple[Value, ...] = ()


@dataclass
class _Module:
    """The symbols of a program or library by their offsets. None: there the last one ends."""

    offsets: list[int] = field(default_factory=list)
    symbols: list[Symbol | None] = field(default_factory=list)

    def at(self, offset: int) -> Symbol | None:
        row = bisect_right(self.offsets, offset) - 1
        return self.symbols[row] if row >= 0 else None


@dataclass
class _Session:
    """What one program (until it runs another one by exec) has mapped: ascending, path by start."""

    start: int
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    known: dict[int, Symbol | None] = field(default_factory=dict)

    def map(self, start: int, end: int, path: str) -> None:
        row = bisect_right(self.starts, start)
        self.starts.insert(row, start)
        self.ends.insert(row, end)
        self.paths.insert(row, path)


class Symbols:
    """The functions of a recording by process, time and address."""

    def __init__(self, folder: Folder, budget: Budget) -> None:
        self._folder, self._budget = folder, budget
        self._modules: dict[str, _Module] = {}
        self._sessions: dict[int, list[_Session]] = {}
        self._by_id: dict[str, _Session] = {}
        self._parents: dict[int, int] = {}
        self._files: dict[str, str] | None = None

    def add_session(self, process: int, time: int, id: str) -> None:
        """A program started in that process."""
        session = _Session(time)
        last, first = "", 0
        for line in self._folder.lines(f"sid-{id}.map"):
            found = _MAP.match(line)
            if found is None:
                last = "" if " /" in line else last
                continue
            start, end, path = int(found[1], 16), int(found[2], 16), found[3]
            if path == last:  # the next segment of the same file
                session.ends[session.starts.index(first)] = end
                continue
            self._budget.spend(count=1, size=_SIZE)
            session.map(start, end, path)
            last, first = path, start
        self._by_id[id] = session
        found_sessions = self._sessions.setdefault(process, [])
        found_sessions.insert(bisect_right([one.start for one in found_sessions], time), session)

    def add_library(self, session: str, base: int, path: str) -> None:
        """A library that was loaded later."""
        if session in self._by_id:
            module = self._module(path)
            end = base + (module.offsets[-1] if module.offsets else 0) + 1
            self._by_id[session].map(base, end, path)

    def add_fork(self, process: int, parent: int) -> None:
        """A process that began as a copy of another one."""
        if process != parent:
            self._parents.setdefault(process, parent)

    def starts(self, process: int) -> list[int]:
        """When the sessions of a process began, ns, ascending: between two of them addresses mean the same."""
        return [one.start for one in self._sessions.get(process, [])]

    def find(self, process: int, time: int, address: int) -> Symbol | None:
        """The function at an address; None = unknown."""
        session = self._session(process, time)
        if session is None:
            return None
        if address not in session.known:
            self._budget.spend(size=_SIZE)
            session.known[address] = self._find(session, address)
        return session.known[address]

    def _session(self, process: int, time: int) -> _Session | None:
        for _ in range(64):
            sessions = self._sessions.get(process, [])
            row = bisect_right([one.start for one in sessions], time) - 1
            if row >= 0:
                return sessions[row]
            if process not in self._parents:
                return sessions[0] if sessions else None
            process = self._parents[process]
        return None

    def _find(self, session: _Session, address: int) -> Symbol | None:
        row = bisect_right(session.starts, address) - 1
        if row < 0 or address >= session.ends[row]:
            return None
        return self._module(session.paths[row]).at(address - session.starts[row])

    def _module(self, path: str) -> _Module:
        if path not in self._modules:
            self._modules[path] = self._read(path)
        return self._modules[path]

    def _read(self, path: str) -> _Module:
        """The symbols of a file, from the symbol file that names its path."""
        name = self._symbol_files().get(path, f"{PurePosixPath(path).name}.sym")
        debug = self._debug(f"{name.removesuffix('.sym')}.dbg")
        library = PurePosixPath(path).name
        found: dict[int, Symbol | None] = {}
        for line in self._folder.lines(name):
            parts = _SYMBOL.match(line)
            if parts is None:
                continue
            offset, kind, symbol = int(parts[1], 16), parts[2], parts[3].split("\t")[0]
            self._budget.spend(count=1, size=_SIZE)
            if kind == "?" or symbol in _ENDS or kind not in _CODE:
                found.setdefault(offset, None)
            elif found.get(offset) is None:
                file, number, arguments, returned = debug.get(offset, ("", 0, (), ()))
                # A stub for a function of another library, whose name the symbol file does not say.
                module = "" if kind == "P" else library
                given = (file, number, arguments, returned)
                found[offset] = Symbol(qualified_name(symbol), symbol, module, *given)
        return _Module(sorted(found), [found[offset] for offset in sorted(found)])

    def _symbol_files(self) -> dict[str, str]:
        """Names of the symbol files by the path that they are for."""
        if self._files is None:
            self._files = {}
            for name in self._folder.names(".sym"):
                for row, line in enumerate(self._folder.lines(name)):
                    if found := _PATH.match(line):
                        self._files.setdefault(found[1], name)
                    if row > 3:
                        break
        return self._files

    def _debug(self, name: str) -> dict[int, tuple[str, int, tuple[Value, ...], tuple[Value, ...]]]:
        """File, line, arguments and return values by offset, as far as the program had debug information."""
        found: dict[int, tuple[str, int, tuple[Value, ...], tuple[Value, ...]]] = {}
        offset = -1
        for line in self._folder.lines(name):
            kind, text = line[:3], line[3:]
            if kind == "F: ":
                word = text.split(" ")[0]
                offset = int(word, 16) if re.fullmatch("[0-9a-f]{1,16}", word) else -1
                self._budget.spend(count=1, size=_SIZE)
            elif offset < 0:
                continue
            elif kind == "L: ":
                number, _, file = text.partition(" ")
                line_number = int(number) if number.isdecimal() and len(number) < 10 else 0
                found[offset] = (file, line_number, *found.get(offset, ("", 0, (), ()))[2:])
            elif kind in ("A: ", "R: "):
                values = [value_of(part.strip()) for part in text.lstrip("@").split(",")]
                known = tuple(value for value in values if value is not None)
                file, number_, arguments, returned = found.get(offset, ("", 0, (), ()))
                if kind == "A: ":
                    found[offset] = (file, number_, known, returned)
                else:
                    found[offset] = (file, number_, arguments, known)
        return found
