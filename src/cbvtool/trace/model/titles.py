"""What a function of a trace is called where there is room for few words."""

from __future__ import annotations

from pathlib import PurePath

from cbvtool.trace.model.trace import Functions, Threads

_BODY = "<module>"  # Python's name of the code of a module, which runs when it is imported


def function_title(functions: Functions, number: int) -> str:
    """The name of a function; of the code of a module, which Python calls `<module>` in each, the end of the name of
    the module or of the file: `rich.style, module`. "?" where nothing is known.
    """
    name = functions.name[number]
    if name != _BODY:
        return name or "?"
    module = functions.module[number] or PurePath(functions.file[number].strip("<>")).name
    return f"{'.'.join(module.split('.')[-2:])}, module" if module else name


def thread_title(threads: Threads, row: int) -> str:
    """What a thread is called, with its number where others have that name; or its number alone."""
    name, number = threads.name[row], int(threads.id[row])
    if not name:
        return f"thread {number}"
    return f"{name} ({number})" if name in threads.repeated_names else name


def is_main(threads: Threads, row: int) -> bool:
    """Whether a thread is the one that its process began with, by its name or its number."""
    return threads.name[row] in {"MainThread", "main"} or bool(threads.id[row] == threads.process[row])
