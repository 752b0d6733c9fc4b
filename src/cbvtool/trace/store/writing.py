"""Write traces and profiles in a format that a name or a user chooses."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, Literal, cast, get_args

from cbvtool.errors import InputError
from cbvtool.formats.atomic import replacing, replacing_tree
from cbvtool.progress import Progress, silent
from cbvtool.trace.model.profile import Profile
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.store.chrome_json import chrome_json
from cbvtool.trace.store.folder import ENDING, is_trace_folder, write_folder
from cbvtool.trace.store.parquet import is_parquet, write_parquet
from cbvtool.trace.store.speedscope import speedscope

TraceFormat = Literal["folder", "parquet", "chrome", "speedscope"]
TRACE_FORMATS: tuple[TraceFormat, ...] = get_args(TraceFormat)
_ENDINGS: dict[str, TraceFormat] = {
    ".speedscope.json": "speedscope",
    ".speedscope.json.gz": "speedscope",
    ".json": "chrome",
    ".json.gz": "chrome",
    ".parquet": "parquet",
    ENDING: "folder",
}


def trace_format(path: Path) -> TraceFormat:
    """The format that the ending of a name chooses; a name without one is a folder. Raises InputError."""
    name = path.name.lower()
    for ending, chosen in _ENDINGS.items():
        if name.endswith(ending):
            return chosen
    if path.is_dir() or not path.suffix:
        return "folder"
    raise InputError(
        f"{path.suffix} is the ending of no format of traces: name one by --to, or use {', '.join(_ENDINGS)}."
    )


def write_traces(
    path: Path, parts: Sequence[Trace | Profile], to: TraceFormat | None = None, progress: Progress = silent
) -> Counter[str]:
    """Write them completely or not at all, and return how much the format cannot say, by kind.

    to  None = as the ending of `path` says

    Several are written into a folder, each in one of its own: `path/1`, `path/2`; it takes the place of an older one.
    Raises InputError, Cancelled.
    """
    chosen, lost = to or trace_format(path), Counter[str]()
    if len(parts) != 1 and chosen in ("chrome", "speedscope"):
        raise InputError(f"A file of {chosen} takes one trace, and there are {len(parts)}: write a folder.")
    if len(parts) == 1:
        _write(path, parts[0], chosen, lost, progress)
        return lost
    _refuse_other_things(path)
    with replacing_tree(path) as folder:
        for number, part in enumerate(parts, 1):
            _write(folder / str(number), part, chosen, lost, progress)
    return lost


def _refuse_other_things(path: Path) -> None:
    """Raise InputError if a folder holds more than traces that were written into it before."""
    try:
        names = sorted(entry.name for entry in path.iterdir()) if path.is_dir() else []
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be written: {getattr(error, 'strerror', None) or error}.") from error
    for name in names:
        inner = path / name
        if not (name.isdecimal() and (is_trace_folder(inner) or is_parquet(inner))):
            raise InputError(f"{path} cannot be replaced: it holds {name}, which is no trace; choose another name.")


def _write(path: Path, part: Trace | Profile, to: TraceFormat, lost: Counter[str], progress: Progress) -> None:
    if to == "folder":
        write_folder(path, part, progress)
        return
    if to == "parquet":
        write_parquet(part, path, progress)
        return
    if to == "chrome" and isinstance(part, Profile):
        raise InputError("A profile has no times, and Chrome JSON holds nothing else: write a folder or speedscope.")
    pieces = speedscope(part, lost, progress) if to == "speedscope" else chrome_json(cast(Trace, part), lost, progress)
    with replacing(path) as file:
        if path.name.lower().endswith(".gz"):
            with gzip.GzipFile(fileobj=file, mode="wb", compresslevel=5, mtime=0, filename="") as packed:
                for piece in pieces:
                    cast(BinaryIO, packed).write(piece)
            return
        for piece in pieces:
            file.write(piece)
