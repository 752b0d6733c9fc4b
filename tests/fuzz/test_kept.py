"""Inputs that failed once, kept small: (reader, seed, number) as the fuzzer makes them, or a few bytes. And the fuzzer.

What is found goes here (or into `tests/formats/test_limits.py`, with its reason), so that the default tests try it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cbvtool.errors import InputError
from tests.fuzz import fuzz, readers
from tests.fuzz.all_inputs import INPUTS, made

KEPT = {
    "half a pair in the name of a member": ("json", rb'{"format":"cbvtool-graph","version":1,"\ud800":1}'),
    "and a wrong type": ("json", rb'{"format":"cbvtool-graph","version":1,"nodes":1,"\ud800":1}'),
    "a root that is no UTF-8": ("json", b'{"format":"cbvtool-graph","version":1,"root":"\x83",\n"nodes":[\n'),
    "half a pair in a document": ("document", rb'{"\ud800":1}'),
    "the same in its form": ("document", rb'{"form\ud800":"cbvtool-document"}'),
    "joined words": ("dot", b"digraph { " + b'"a" + ' * 5_000 + b'"b" }'),
    "groups of groups": ("dot", b"digraph {" + b" -> ".join([b"{" + b"a b " * 300 + b"}"] * 40) + b"}"),
    "a parent that is named in an attribute alone": ("dot", b"digraph { a [parent=b] c [label=x] }"),
    "weights without end": ("csv", b"source,target,weight\n" + b"a,b,1e308\n" * 3),
    "a point for a list of folders": ("settings", b"[General]\nrecent=@Point(1 2)\n"),
    "a rectangle for a command": ("settings", b"[General]\neditor=@Rect(1 2 3 4)\n"),
    "bytes for a folder": ("settings", b"[General]\nrecent=@ByteArray(abc)\nfolder=@ByteArray(a)\n"),
    "shortcuts that are nested": ("settings", b'[General]\nshortcuts="' + b"[" * 3_000 + b'"\n'),
    "looks that are nested": ("settings", b'[General]\nlooks="' + b"[" * 3_000 + b'"\n'),
    "a folder of a long name": ("settings", b"[General]\nfolder=/" + b"a" * 5_000 + b"\nrecent=" + b"a" * 5_000),
    "a folder with a NUL": ("settings", b"[General]\nrecent=a\\0b\n"),
    "an instant and a sample, and no call": (
        "chrome",
        b'{"traceEvents":[{"ph":"i","name":"a","ts":1,"pid":1,"tid":1}],"stackFrames":{"2":{"name":"g"}},'
        b'"samples":[{"cpu":0,"tid":1,"ts":"5","sf":2,"weight":"1"}]}',
    ),
    "a frame whose name is no UTF-8": (
        "speedscope",
        b'{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"\xe9"}]},'
        b'"profiles":[{"type":"evented","name":"","unit":"seconds","startValue":0,"endValue":1,'
        b'"events":[{"type":"O","frame":0,"at":0},{"type":"C","frame":0,"at":1}]}]}',
    ),
    "a gap of 300,000 blanks": (
        "gprof",
        b"Flat profile:\n  %   cumulative   self\n time   seconds   seconds    calls  name\n"
        b" 50.00      0.02     0.02  7" + b" " * 300_000 + b"1 2 f\n",
    ),
    "a line of perf with gaps of thousands of blanks": (
        "perf",
        b"app" + b" " * 20_000 + b"1/2" + b" " * 20_000 + b"3.1" + b" " * 20_000 + b"x",
    ),
    "more costs than events": ("callgrind", made("callgrind", 15, 5590)),
    "a span that begins in the middle of one that ended before": (
        "chrome",
        b'{"traceEvents":[{"ph":"X","name":"a","ts":440,"dur":1,"pid":1,"tid":1},'
        b'{"ph":"X","name":"b","ts":418,"dur":50,"pid":1,"tid":1},{"ph":"X","name":"c","ts":433,"dur":50,"pid":1,"tid":1}]}',
    ),
    "a task with steps at the same time on two threads": ("recording", made("recording", 15, 671)),
    "the last second, with a call left open before it": ("recording", made("recording", 1, 28)),
    "a formula in our own table": ("csv", b"id,label,parent,kind,file,line,end_line\n,r,,,,,\n'=a,'''=b,,,,,\n"),
}


@pytest.mark.parametrize("name", KEPT)
@pytest.mark.filterwarnings("error")
def test_kept_inputs(tmp_path: Path, name: str) -> None:
    reader, content = KEPT[name]
    file = tmp_path / f"a{INPUTS[reader][1]}"
    file.write_bytes(content)
    assert readers.tried(reader, file) in ("read", "refused")


@pytest.mark.no_qt_log  # Qt says what it makes of settings that are none
@pytest.mark.parametrize("reader", INPUTS)
def test_some_of_each(tmp_path: Path, reader: str) -> None:
    """A few of each reader in this process; some are read and some refused, else the inputs test little."""
    found = set()
    for number in range(25):
        file = tmp_path / f"a{INPUTS[reader][1]}"
        file.write_bytes(made(reader, 5, number))
        found.add(readers.tried(reader, file))
    assert "read" in found
    assert "refused" in found or reader in ("settings", "uftrace")  # these make something of nearly everything


def test_the_same_seed_makes_the_same_input() -> None:
    for reader in INPUTS:
        assert made(reader, 1, 3) == made(reader, 1, 3)
        assert any(made(reader, 1, number) != made(reader, 2, number) for number in range(3))


# By the length of the input: what is done with it, and what must be said of it.
PLANTED = (
    ("pass", ""),
    ("raise KeyError('planted')", "KeyError"),
    ("import warnings; warnings.warn('planted')", "UserWarning"),
    ("bytes(2_000_000_000)", "MemoryError"),
    ("exec('while True: pass')", "ended with status -27"),
    ("import os; os._exit(3)", "ended with status 3"),
    ("raise cbvtool.errors.InputError('no')", "no sentence"),
)
COUNT, SEED = 20, 3


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process are those of POSIX")
def test_planted_faults_are_found(tmp_path: Path) -> None:
    """What must never happen is told with the seed, the input is kept, and the other inputs are tried all the same."""
    program = tmp_path / "program.py"
    faults = "".join(f"    if what == {at}: {code}\n" for at, (code, _) in enumerate(PLANTED))
    program.write_text(
        f"import sys\nsys.path[:0] = [{str(fuzz.ROOT)!r}, {str(fuzz.ROOT / 'src')!r}]\n"
        "import cbvtool.errors\nfrom tests.fuzz import fuzz, readers\n"
        f"def planted(path):\n    what = len(path.read_bytes()) % {len(PLANTED)}\n{faults}"
        "readers.READERS['table'] = planted\nfuzz.SECONDS, fuzz.GRACE = 1, 150\n"
        "fuzz.__file__ = __file__\nsys.exit(fuzz.main())\n"
    )
    out = tmp_path / "out"
    options = ["--reader", "table", "--count", str(COUNT), "--seed", str(SEED), "--out", str(out)]
    done = subprocess.run([sys.executable, str(program), *options], capture_output=True, text=True, timeout=280)
    assert done.returncode == 1, done.stdout + done.stderr
    found = set()
    for number in range(COUNT):
        content = made("table", SEED, number)
        said = PLANTED[len(content) % len(PLANTED)][1]
        line = next((line for line in done.stdout.splitlines() if f" input {number}: " in line), "")
        assert bool(line) == bool(said), done.stdout
        assert said in line
        if said:
            assert f"FAILED table seed {SEED} input {number}: " in line
            assert (out / f"table-{SEED}-{number}.csv").read_bytes() == content
            found.add(said)
    assert len(found) == len(PLANTED) - 1, "not every fault was planted: choose another seed"


def test_a_refusal_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> None:
        raise InputError("two\nlines.")

    monkeypatch.setitem(readers.READERS, "dot", refuse)
    with pytest.raises(readers.NotTheSame, match="no sentence"):
        readers.tried("dot", tmp_path)
