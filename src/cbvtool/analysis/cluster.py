"""Reads files on an existing Dask cluster."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from cbvtool.analysis.cache import fingerprint
from cbvtool.errors import InputError

_ADDRESS = re.compile(r"((tcp|tls|wss?)://)?[^\s/:]+:[0-9]{1,5}/?|((tcp|tls|wss?)://)\[[0-9a-fA-F:]+\]:[0-9]{1,5}/?")
_PATIENCE = 10  # seconds to wait for the cluster to answer


@contextmanager
def dask_executor(address: str) -> Iterator[Executor]:
    """An executor on the Dask cluster whose scheduler has `address`; it disconnects at the end.

    The workers need no access to the files, but exactly the same cbvtool, Python and grammars. Raises InputError if
    Dask is not installed, if `address` is invalid, or if the cluster does not answer, has no workers, or differs in
    these.
    """
    try:
        distributed: Any = import_module("distributed")  # a library without types
    except ImportError:
        raise InputError("Dask is not installed: pip install 'cbvtool[dask]' brings it.") from None
    if not _ADDRESS.fullmatch(address):  # with a wrong address, a client takes long to close
        raise InputError(f"{address!r} is no address of a Dask scheduler, such as tcp://192.168.0.5:8786.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings about versions: the important ones are compared below
        try:
            client = distributed.Client(address, timeout=_PATIENCE, set_as_default=False)
        except OSError as error:
            raise InputError(f"No Dask cluster answers at {address!r}: {_reason(error)}.") from error
    with client:
        _check(client, address)
        yield client.get_executor(pure=False)


def _check(client: Any, address: str) -> None:
    """Raise InputError unless every worker would produce the same facts as this process."""
    try:
        found = client.run(fingerprint)
    except ImportError:
        found = {"": b""}
    if not found:
        raise InputError(f"The Dask cluster at {address!r} has no workers.")
    if set(found.values()) != {fingerprint()}:
        raise InputError(
            f"The workers of the Dask cluster at {address!r} have no cbvtool, another one, another Python, or other "
            "grammars: install the same there."
        )


def _reason(error: Exception) -> str:
    return str(error).partition("\n")[0].rstrip(".") or type(error).__name__
