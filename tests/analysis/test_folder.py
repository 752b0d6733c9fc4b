"""Two stages, shares of languages, and the executors of others up to a real Dask cluster."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cbvtool.analysis import analyze, folder
from cbvtool.analysis.cluster import dask_executor
from cbvtool.errors import Cancelled, InputError
from cbvtool.graph import Graph, LanguageShare
from tests.graph.compare import same_graph

SOURCE = Path(__file__).parents[2] / "src" / "cbvtool" / "plan"


def imports(graph: Graph) -> set[tuple[str, str]]:
    """Which file imports which, inside the folder."""
    edges, kinds = graph.edges, graph.edges.kind_names
    return {
        (graph.ids[source], graph.ids[target])
        for source, target, kind in zip(edges.source, edges.target, edges.kind, strict=True)
        if kinds[kind] == "import" and graph.kind(int(target)) == "file"
    }


def test_a_first_picture_of_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    """NEW-11: first the files and their imports, then the depth."""
    monkeypatch.setattr(folder, "FIRST_BYTES", 0)
    firsts: list[Graph] = []
    final = analyze(SOURCE, on_first=firsts.append)
    (first,) = firsts
    assert {first.ids[key] for key in range(len(first)) if first.kind(key) == "file"} == {
        final.ids[key] for key in range(len(final)) if final.kind(key) == "file"
    }
    assert imports(first) == imports(final)
    assert same_graph(final, analyze(SOURCE))


def test_little_work_has_no_first_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where everything is there in two seconds, or is known already, one picture is enough."""

    def never(graph: Graph) -> None:
        raise AssertionError("a first picture")

    analyze(SOURCE, on_first=never)
    analyze(SOURCE, cache=tmp_path)
    monkeypatch.setattr(folder, "FIRST_BYTES", 0)
    analyze(SOURCE, cache=tmp_path, on_first=never)


def test_cancel_keeps_the_first_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """NEW-11: who stops the second stage has the first."""
    monkeypatch.setattr(folder, "FIRST_BYTES", 0)
    firsts: list[Graph] = []

    def stop(what: str, done: int, total: int) -> None:
        if firsts and done:
            raise Cancelled

    with pytest.raises(Cancelled):
        analyze(SOURCE, progress=stop, on_first=firsts.append)
    assert imports(firsts[0])


def test_shares_of_languages(tmp_path: Path) -> None:
    """How many files of each language were read, and how many of them have syntax errors."""
    for name, text in {"a.py": "x = 1\n\n", "b.py": "def (:\n", "c.py": "\0", "d.txt": "x"}.items():
        (tmp_path / name).write_text(text)
    assert analyze(tmp_path).report.languages == (
        LanguageShare("Python", files=2, with_errors=1, lines=3, lost_lines=1),
    )


def test_any_executor() -> None:
    """The map over files takes any `concurrent.futures.Executor`."""
    with ThreadPoolExecutor(2) as executor:
        assert same_graph(analyze(SOURCE, executor=executor), analyze(SOURCE))


# It is of no use to find threads and processes of Dask in this process: it has one of its own, which must end cleanly.
CLUSTER = """
    import os, sys
    from distributed import LocalCluster
    from cbvtool.analysis import analyze
    from cbvtool.analysis.cluster import dask_executor
    from cbvtool.errors import InputError
    from tests.graph.compare import difference
    import cbvtool.analysis.cluster as cluster

    if __name__ == "__main__":
        options = dict(threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=50)
        with LocalCluster(n_workers=2, processes=True, **options) as own:
            with dask_executor(own.scheduler_address) as executor:
                found = analyze(sys.argv[1], executor=executor)
            print(len(own.workers), difference(found, analyze(sys.argv[1])), len(found))
            cluster.fingerprint = os.getpid  # whatever differs from process to process
            try:
                with dask_executor(own.scheduler_address):
                    pass
            except InputError as error:
                print(error)
"""


@pytest.mark.long
def test_a_dask_cluster_finds_the_same(tmp_path: Path) -> None:
    """A real cluster of two workers, which get the content, yields the identical graph."""
    pytest.importorskip("distributed")
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(CLUSTER))
    # On a busy machine a cluster that ends misses one of its own heartbeats, and one of its processes says so.
    root = str(Path(__file__).parents[2])  # of `tests`, which the script imports from
    environment = os.environ | {"DASK_LOGGING__DISTRIBUTED": "critical", "PYTHONPATH": root}
    command = [sys.executable, str(script), str(SOURCE)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240, check=False)
    first, second = done.stdout.splitlines()
    assert first.startswith("2 [] ")
    assert "another one, another Python" in second
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("address", ["", "somewhere", "http://x:1", "127.0.0.1:port", "tcp://a b:1"])
def test_what_is_no_address(address: str) -> None:
    """One clear sentence."""
    pytest.importorskip("distributed")
    with pytest.raises(InputError, match="is no address of a Dask scheduler"), dask_executor(address):
        pass


def test_nobody_answers(tmp_path: Path) -> None:
    """One clear sentence when the address does not answer; what Dask starts ends with the process."""
    pytest.importorskip("distributed")
    script = tmp_path / "script.py"
    script.write_text(
        "import cbvtool.analysis.cluster as cluster, cbvtool.cli as cli\n"
        f"cluster._PATIENCE = 0.5\ncli.main(['analyze', {str(SOURCE)!r}, '--dask', '127.0.0.1:1'])\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == ""
    assert done.stderr.startswith("cbvtool: No Dask cluster answers at '127.0.0.1:1': ")
    assert done.stderr.count("\n") == 1


def test_dask_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """One clear sentence when Dask is not installed."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"Dask is not installed: pip install 'cbvtool\[dask\]'"), dask_executor("a:1"):
        pass


def test_a_fault_in_a_resolver_costs_one_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others keep their relations, and a note says what is missing."""
    (tmp_path / "a.py").write_text("import b\n")
    (tmp_path / "b.py").write_text("")
    (tmp_path / "a.rb").write_text("require_relative 'b'\n")
    (tmp_path / "b.rb").write_text("")

    def broken(*_: object) -> None:
        raise IndexError("out of range")

    monkeypatch.setattr("cbvtool.analysis.languages.ruby.resolve", broken)
    graph = analyze(tmp_path)
    assert [graph.ids[key] for key in graph.edges.target] == ["b.py"]
    assert "The relations of Ruby are missing: IndexError: out of range inside cbvtool." in graph.report.notes
