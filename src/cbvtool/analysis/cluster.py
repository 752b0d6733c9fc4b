"""Reading files on an existing Dask cluster."""

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
    """The executor of the Dask cluster whose scheduler has `address`; left alone again at the end.

    Its workers need no access to the files, but the very same cbvtool. Raises InputError when Dask is not installed,
    the cluster does not answer or has no workers, or their cbvtool is another one.
    """
    try:
        distributed: Any = import_module("distributed")  # which has no types
    except ImportError:
        raise InputError("Dask is not installed: pip install 'cbvtool[dask]' brings it.") from None
    if not _ADDRESS.fullmatch(address):  # with such a one, a client would try to close for long
        raise InputError(f"{address!r} is no address of a Dask scheduler, such as tcp://192.168.0.5:8786.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of versions that differ: the ones that matter are compared below
        try:
            client = distributed.Client(address, timeout=_PATIENCE, set_as_default=False)
        except OSError as error:
            raise InputError(f"No Dask cluster answers at {address!r}: {_reason(error)}.") from error
    with client:
        _check(client, address)
        yield client.get_executor(pure=False)


def _check(client: Any, address: str) -> None:
    """Raise InputError unless every worker finds what this process would find."""
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
