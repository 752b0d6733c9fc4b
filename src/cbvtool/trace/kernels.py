"""Compiled loops over millions of calls: Numba is loaded when the first of them is called, not before.

A kernel is a function of arrays and numbers that Numba can compile. The compiled code is kept beside the source, or in
the user's cache folder where that is read-only; so only the first trace after an installation waits for it.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any, Generic, ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")
_lock = threading.RLock()
_thread = threading.local()  # `.otherwise`: see `not_compiled_here`
_tried: set[UncompiledCall] = set()  # elsewhere: what the cache lacks nevertheless is compiled where it is called


@dataclass(frozen=True)
class UncompiledCall:
    """A kernel and Numba's types of its arguments, of which neither this process nor the cache has compiled code.

    module, name  of the kernel
    types         plain values for another process, which `Kernel.compile_for` takes
    """

    module: str
    name: str
    types: tuple[Any, ...]


class NotCompiled(BaseException):  # no `except Exception` of a plugin is to take it for a fault
    """A kernel was called in a thread that is not to compile it. `call`: what was called."""

    def __init__(self, call: UncompiledCall) -> None:
        super().__init__(f"{call.module}.{call.name} is not compiled")
        self.call = call


@contextmanager
def not_compiled_here(otherwise: Callable[[NotCompiled], None] | None) -> Iterator[None]:
    """Within this, this thread compiles no kernel that could be kept: `otherwise` is called, and the kernel once more.

    `otherwise` has the code made elsewhere and says so (`note_tried`), or raises what it is given. None = it compiles.
    """
    before = getattr(_thread, "otherwise", None)
    _thread.otherwise = otherwise
    try:
        yield
    finally:
        _thread.otherwise = before


def have_compiled(missing: NotCompiled) -> None:
    """Have it compiled as `not_compiled_here` says in this thread; else whoever calls it next compiles it."""
    otherwise = getattr(_thread, "otherwise", None)
    if otherwise is None:
        note_tried(missing.call)
    else:
        otherwise(missing)


def as_here(function: Callable[P, R]) -> Callable[P, R]:
    """The function, to be called by other threads, in which `not_compiled_here` holds as in this one."""
    otherwise = getattr(_thread, "otherwise", None)

    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        with not_compiled_here(otherwise):
            return function(*args, **kwargs)

    return called


def note_tried(call: UncompiledCall) -> None:
    """Another process was asked for this. What the cache lacks nevertheless is compiled where it is called."""
    _tried.add(call)


def is_tried(call: UncompiledCall) -> bool:
    """Whether another process was asked for this."""
    return call in _tried


class Kernel(Generic[P, R]):
    """A function that is compiled when it is first called. `source` is the function as it is written."""

    def __init__(self, source: Callable[P, R]) -> None:
        functools.update_wrapper(self, source)
        self.source = source
        self._compiled: Callable[P, R] | None = None

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """What `source` returns. The interpreter is free for other threads meanwhile (nogil)."""
        if self._compiled is None:
            self._compiled = self.compiled()
        try:
            return self._compiled(*args, **kwargs)
        except NotCompiled as missing:
            _thread.otherwise(missing)
            return self._compiled(*args, **kwargs)

    def compiled(self) -> Callable[P, R]:
        """Numba's dispatcher. Kernels that this one calls are replaced by theirs."""
        with _lock:
            if self._compiled is None:
                from numba import njit

                written = cast(FunctionType, self.source)
                names = dict(written.__globals__)
                for name in written.__code__.co_names:
                    if isinstance(names.get(name), Kernel):
                        names[name] = names[name].compiled()
                function = FunctionType(written.__code__, names, written.__name__, written.__defaults__)
                functools.update_wrapper(function, written, updated=())
                if not written.__module__.startswith("cbvtool."):
                    _settle(function)
                try:
                    made = njit(cache=True, nogil=True)(function)
                    self._ask_first(made)
                except RuntimeError:  # no folder for the cache can be written: it is compiled in each process anew
                    made = njit(nogil=True)(function)
                self._compiled = cast(Callable[P, R], made)
            return self._compiled

    def compile_for(self, types: tuple[Any, ...]) -> None:
        """Compile it for such arguments, and keep the code. types: see `UncompiledCall`. Raises what Numba raises."""
        cast(Any, self.compiled()).compile(types)

    def _ask_first(self, made: Any) -> None:
        """Have Numba's dispatcher ask `not_compiled_here` before it compiles what the cache lacks."""
        compiler = getattr(made, "_compiler", None)  # no public name leads there
        if compiler is None:
            return
        compile_here = compiler.compile

        def compile_or_ask(types: tuple[Any, ...], result: Any) -> Any:
            call = UncompiledCall(self.source.__module__, self.source.__name__, tuple(types))
            if getattr(_thread, "otherwise", None) is not None and not is_tried(call):
                raise NotCompiled(call)
            with not_compiled_here(None):  # kernels that it calls
                return compile_here(types, result)

        compiler.compile = compile_or_ask

    @property
    def missing(self) -> bool:
        """Whether the cache lacks the compiled code, or has that of an older file, and could hold it."""
        folder = cast(Any, self.compiled()).stats.cache_path
        if folder is None:
            return False
        code = cast(FunctionType, self.source).__code__
        written = Path(code.co_filename).stat().st_mtime
        kept = Path(folder).glob(f"*.{code.co_name}-{code.co_firstlineno}.*.nbi")
        return not any(index.stat().st_mtime >= written for index in kept)


def _settle(function: FunctionType) -> None:
    """Name a kernel of a plugin after its file: a plugin is imported under several names, of which its compiled code,
    kept in one process and loaded by another, would ask for the first.
    """
    path = Path(function.__code__.co_filename)
    function.__qualname__ = f"{path.parent.name}.{path.stem}.{function.__name__}"
    function.__module__ = __name__


class _Load(Kernel[[Any, int], int]):
    """A load of eight bytes wherever they begin: NumPy's arrays have no element for it, the machine has."""

    def __call__(self, data: Any, at: int) -> int:
        """What `source` returns."""
        return self.source(data, at)

    def compiled(self) -> Callable[[Any, int], int]:
        """Numba's intrinsic. It checks no bounds."""
        with _lock:
            if self._compiled is None:
                from llvmlite import ir
                from numba import types
                from numba.extending import intrinsic

                def typed(_: Any, data: Any, at: Any) -> Any:
                    def load(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                        start = context.make_array(signature.args[0])(context, builder, args[0]).data
                        byte = builder.gep(builder.bitcast(start, ir.IntType(8).as_pointer()), [args[1]])
                        return builder.load(builder.bitcast(byte, ir.IntType(64).as_pointer()), align=1)

                    return types.int64(data, types.int64), load

                self._compiled = cast(Callable[[Any, int], int], intrinsic(typed))
            return self._compiled


@_Load
def word_at(data: Any, at: int) -> int:
    """The eight bytes from byte `at` of uint8[n] on, at most n - 8, as an int64, the first one lowest: for kernels."""
    return int.from_bytes(data[at : at + 8].tobytes(), "little", signed=True)


def kernel(source: Callable[P, R]) -> Kernel[P, R]:
    """Make a kernel of a function (a decorator)."""
    return Kernel(source)
