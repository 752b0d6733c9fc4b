"""Columns as `.npy` files: written in blocks, read by a strict reader of their heads, large ones mapped."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from cbvtool.regular_file import opened

Array = npt.NDArray[Any]

BLOCK = 1 << 24  # bytes between two looks at whether to go on
MAPPED = 1 << 16  # bytes from which on a column is mapped: every mapping holds a file open
_MAGIC = b"\x93NUMPY\x01\x00"
_MOST_HEAD = 512
# As NumPy writes it. Nothing else is evaluated: no pickles, no structures, no order of columns first.
_HEAD = re.compile(
    rb"\{'descr': '([<|][biuf][1248])', 'fortran_order': False, 'shape': \((\d{1,18}),(?: (\d{1,18}))?\), \} *\n"
)


class WrongColumn(Exception):
    """A file is no column as expected. Its text ends the sentence "X cannot be read: ..."."""


def write_column(add: Callable[[str], BinaryIO], name: str, column: Array, advance: Callable[[int], None]) -> None:
    """Write a column of numbers as the file `name`.

    add      opens a new file of that name
    advance  is told of the bytes of each block; may raise
    """
    if column.dtype.kind not in "biuf":
        raise ValueError(f"{name} is a column of {column.dtype}")
    column = np.ascontiguousarray(column.astype(column.dtype.newbyteorder("<"), copy=False))
    with add(name) as file:
        np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(column))
        for block in _blocks(column):
            file.write(block)
            advance(len(block))


def _blocks(column: Array) -> Iterator[memoryview]:
    if column.size:
        data = column.view().data.cast("B")
        for at in range(0, len(data), BLOCK):
            yield data[at : at + BLOCK]


def read_column(path: Path, *, dtype: npt.DTypeLike | None = None, length: int | None = None) -> Array:
    """The column in a file, read-only, mapped if it is large; of one dimension, or of two where the file says so.

    dtype   what it must hold; None = any numbers
    length  how long it must be

    Raises WrongColumn, and OSError.
    """
    with opened(path) as file:
        head = file.read(len(_MAGIC) + 2)
        size = int.from_bytes(head[len(_MAGIC) :], "little")
        if len(head) != len(_MAGIC) + 2 or not head.startswith(_MAGIC) or size > _MOST_HEAD:
            raise WrongColumn(f"{path.name} is no column of numbers")
        said = _HEAD.fullmatch(file.read(size))
        if said is None:
            raise WrongColumn(f"{path.name} is no column of numbers")
        try:
            found = np.dtype(said[1].decode())
        except TypeError:
            raise WrongColumn(f"{path.name} is no column of numbers") from None
        if dtype is not None and found != np.dtype(dtype):
            raise WrongColumn(f"{path.name} holds {found}, not {np.dtype(dtype)}")
        shape = tuple(int(number) for number in said.groups()[1:] if number is not None)
        if length is not None and shape[-1] != length:
            raise WrongColumn(f"{path.name} has {shape[-1]:,} rows, not {length:,}")
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        begin, end = len(head) + size, os.fstat(file.fileno()).st_size
        if end - begin < count * found.itemsize:
            raise WrongColumn(f"{path.name} was cut off")
        if end - begin > count * found.itemsize:
            raise WrongColumn(f"{path.name} is longer than it says")
        if count * found.itemsize >= MAPPED:
            mapped = np.memmap(file, found, "r", begin, shape)
            return mapped.view(np.ndarray)
        data = np.frombuffer(file.read(count * found.itemsize), found)
        if len(data) != count:
            raise WrongColumn(f"{path.name} was cut off")
        return data.reshape(shape)
