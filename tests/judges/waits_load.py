"""Serves flaskr, the blog of Flask's tutorial, by waitress, and reads it with requests: waits_load.py PORT

Four threads of the server answer eight readers, who share a pool of two connections. It runs where `waitress`,
`requests` and the folder `flaskr` are; `tests/judges/waits.py` records it.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

THREADS, READERS, CONNECTIONS, POSTS, READS = 4, 8, 2, 12, 40


def main(port: str) -> None:
    import requests  # it is there where this runs, not where it is checked
    from requests.adapters import HTTPAdapter

    address = f"http://127.0.0.1:{port}"
    serve = str(Path(sysconfig.get_path("scripts")) / "waitress-serve")
    listen = [f"--listen=127.0.0.1:{port}", f"--threads={THREADS}", "--call", "flaskr:create_app"]
    server = subprocess.Popen([sys.executable, serve, *listen])
    try:
        session = requests.Session()
        session.mount("http://", HTTPAdapter(pool_maxsize=CONNECTIONS, pool_block=True))
        wait_for(session, address, requests.ConnectionError)
        someone = {"username": "ada", "password": "analytical"}
        session.post(f"{address}/auth/register", data=someone).raise_for_status()
        session.post(f"{address}/auth/login", data=someone).raise_for_status()
        for number in range(POSTS):
            post = {"title": f"Note {number}", "body": "An engine that weaves algebraic patterns. " * 20}
            session.post(f"{address}/create", data=post).raise_for_status()
        with ThreadPoolExecutor(READERS, thread_name_prefix="reader") as readers:
            for answer in readers.map(lambda _: session.get(address), range(READS)):
                answer.raise_for_status()
    finally:
        server.terminate()
        server.wait()


def wait_for(session: Any, address: str, refused: type[Exception]) -> None:
    """Return when the server answers."""
    for _ in range(200):
        try:
            session.get(f"{address}/hello").raise_for_status()
            return
        except refused:
            time.sleep(0.5)
    raise SystemExit("The server does not answer.")


if __name__ == "__main__":
    main(sys.argv[1])
