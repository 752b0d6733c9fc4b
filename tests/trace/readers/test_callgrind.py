"""Callgrind's profiles (TR-1): names by number, relative positions, several events, parts and threads, recursion."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cbvtool.errors import InputError
from cbvtool.trace.model.profile import Profile
from cbvtool.trace.readers.registry import read_traces


def read(path: Path, text: str) -> Profile:
    path.write_text(text)
    (profile,) = read_traces(path)
    assert isinstance(profile, Profile)
    return profile


def values(profile: Profile, name: str, *, inclusive: bool = False) -> dict[str, float]:
    """A metric by function name."""
    metric = profile.metric(name, inclusive=inclusive)
    assert metric is not None
    rows = zip(profile.function.tolist(), metric.mean.tolist(), strict=True)
    return {profile.functions.name[function]: value for function, value in rows if value == value}


def pairs(profile: Profile, name: str) -> dict[tuple[str, str], float]:
    assert profile.pairs is not None
    (metric,) = (one for one in profile.pairs.metrics if one.name == name)
    names = profile.functions.name
    keys = zip(profile.pairs.caller.tolist(), profile.pairs.callee.tolist(), strict=True)
    found = zip(keys, metric.mean.tolist(), strict=True)
    return {(names[caller], names[callee]): value for (caller, callee), value in found if value == value}


PROFILE = """# callgrind format
version: 1
creator: callgrind-3.19.0
cmd: ./app one two
positions: instr line
events: Ir Dr
part: 1

ob=(1) /bin/app
fl=(1) main.c
fn=(1) main
0x100 10 5 1
+4 +1 5
cfn=(2) work
calls=3 0x200 50
+4 * 60 6
cfi=(2) other.c
cob=(2) /lib/other.so
cfn=(3) help
calls=1 0x900 5
* -1 40
cfn=(2)
calls=1 0x200 50
+2 +1 20

fl=(1)
fn=(2)
0x200 50 70 7
fi=(3) inlined.h
+1 2 10
jcnd=1/2 0x200 50
* *
fe=(1)

ob=(2)
fl=(2)
fn=(3)
900 5 40
totals: 130 8
"""


def test_functions_and_pairs(tmp_path: Path) -> None:
    profile = read(tmp_path / "callgrind.out.1", PROFILE)
    assert not profile.omissions
    assert not profile.repairs
    assert values(profile, "Ir") == {"main": 10, "work": 80, "help": 40}
    assert values(profile, "Dr") == {"main": 1, "work": 7}
    assert values(profile, "Ir", inclusive=True) == {"main": 130, "work": 80, "help": 40}
    assert values(profile, "calls") == {"work": 4, "help": 1}
    assert pairs(profile, "calls") == {("main", "work"): 4, ("main", "help"): 1}
    assert pairs(profile, "Ir") == {("main", "work"): 80, ("main", "help"): 40}
    assert profile.functions.file == ("main.c", "main.c", "other.c")
    assert profile.functions.module == ("/bin/app", "/bin/app", "/lib/other.so")
    assert profile.parent.tolist() == [-1, -1, -1]
    assert profile.is_call_graph
    assert (profile.header.program, profile.header.arguments) == ("./app", ("one", "two"))


def test_recursion_is_counted_once(tmp_path: Path) -> None:
    """`fib'2` is fib within fib: its cost lies within that of the outermost calls."""
    text = (
        "events: Ir\nfl=a.c\nfn=main\n1 1\ncfn=fib\ncalls=1 5\n2 100\n"
        "fn=fib\n5 10\ncfn=fib'2\ncalls=2 5\n6 90\nfn=fib'2\n5 90\ncfn=fib'2\ncalls=8 5\n6 70\n"
    )
    profile = read(tmp_path / "a", text)
    assert profile.functions.name == ("main", "fib")
    assert values(profile, "Ir") == {"main": 1, "fib": 100}
    assert values(profile, "Ir", inclusive=True) == {"main": 101, "fib": 100}
    assert pairs(profile, "calls") == {("main", "fib"): 1, ("fib", "fib"): 10}
    assert pairs(profile, "Ir") == {("main", "fib"): 100, ("fib", "fib"): 90}


def test_parts_add_up_and_threads_stay_apart(tmp_path: Path) -> None:
    part = "part: {}\nthread: {}\nevents: Ir\nfn=(1){}\n1 {}\ncfn=(2){}\ncalls=1 1\n1 5\nfn=(2)\n1 5\n"
    text = "# callgrind format\n" + part.format(1, 1, " a", 10, " b")
    text += part.format(2, 1, "", 20, "") + part.format(1, 2, "", 7, "")
    profile = read(tmp_path / "a", text)
    metric = profile.metric("Ir", inclusive=False)
    assert metric is not None
    assert metric.by_place is not None
    assert profile.places == ((0, 1), (0, 2))
    by_function = dict(
        zip((profile.functions.name[row] for row in profile.function.tolist()), metric.by_place.T.tolist(), strict=True)
    )
    assert by_function == {"a": [30, 7], "b": [10, 5]}
    assert pairs(profile, "calls") == {("a", "b"): 3}


def test_what_cannot_be_read_is_counted(tmp_path: Path) -> None:
    text = (
        "events: Ir\n1 5\nfn=a\n1 99999999999999999999999\n1 x\n1 -3\n1 4\ncalls=no\n1 2\nnonsense\nfn=(7)\n1 1\n"
        "totals: 77\n"
    )
    profile = read(tmp_path / "a", text)
    assert values(profile, "Ir") == {"a": 6, "(7)": 1}
    assert profile.omissions == {
        "costs before any function": 1,
        "lines that cannot be read": 5,
        "names by a number that was not named before": 1,
    }
    assert profile.repairs == {"totals that differ from the sum of the costs": 1}


def test_cut_off_anywhere(tmp_path: Path) -> None:
    for size in range(0, len(PROFILE), 5):
        with suppress(InputError):
            profile = read(tmp_path / "a", PROFILE[:size])
            assert sum(values(profile, "Ir").values() if profile.metrics else ()) <= 1_000_000


@settings(deadline=None, max_examples=60)
@given(
    st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 10**6), min_size=1),
    st.dictionaries(
        st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")),
        st.tuples(st.integers(1, 99), st.integers(0, 10**6)),
    ),
)
def test_what_was_written_comes_back(
    tmp_path_factory: pytest.TempPathFactory, own: dict[str, int], called: dict[tuple[str, str], tuple[int, int]]
) -> None:
    """Random functions and pairs, names by number from the second time on."""
    seen: dict[str, int] = {}

    def name(text: str) -> str:
        if text in seen:
            return f"({seen[text]})"
        seen[text] = len(seen)
        return f"({seen[text]}) {text}"

    text = "# callgrind format\nevents: Ir\nfl=a.c\n"
    for function in sorted(own.keys() | {caller for caller, _ in called}):
        text += f"fn={name(function)}\n"
        if function in own:
            text += f"1 {own[function]}\n"
        for (caller, callee), (count, cost) in called.items():
            if caller == function:
                text += f"cfn={name(callee)}\ncalls={count} 1\n2 {cost}\n"
    profile = read(tmp_path_factory.mktemp("callgrind") / "a", text)
    assert values(profile, "Ir") == own
    assert not profile.omissions
    if called:
        assert pairs(profile, "calls") == {pair: count for pair, (count, _) in called.items()}
        between = {pair: cost for pair, (_, cost) in called.items() if pair[0] != pair[1]}
        assert not between or pairs(profile, "Ir") == between
        whole = values(profile, "Ir", inclusive=True)
        for function in own:
            assert whole[function] == own[function] + sum(cost for pair, cost in between.items() if pair[0] == function)
        assert sum(values(profile, "calls").values()) == sum(count for count, _ in called.values())
