"""Names are cut where they are alike, not where they differ."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cbvtool.asking.short_paths import short_path, told_apart


def test_a_long_path_keeps_its_module_and_its_end() -> None:
    """What lies between is the same for most; a short path stays as it is."""
    path = "spring-web/src/main/java/org/springframework/http/converter/json"
    assert short_path(path) == "spring-web/…/http/converter/json"
    assert short_path("src/flask/app.py") == "src/flask/app.py"
    assert short_path("a/" + "b" * 60) == "a/" + "b" * 60


def test_names_of_one_beginning_are_told_by_the_rest() -> None:
    """CBV-11: cut on the right, `spring-web` and `spring-webmvc` would read the same."""
    assert told_apart(["spring-web", "spring-webmvc", "src"], 7) == {
        "spring-web": "…web",
        "spring-webmvc": "…webmvc",
        "src": "src",
    }
    assert told_apart(["AbstractJsonReader"], 9) == {"AbstractJsonReader": "Abst…ader"}


@given(st.lists(st.text("ab-/._AB", min_size=1, max_size=30), max_size=6, unique=True), st.integers(3, 12))
def test_no_name_is_longer_than_asked_for(names: list[str], most: int) -> None:
    """Every name has its short form, of at most so many characters; short names stay."""
    short = told_apart(names, most)
    assert set(short) == set(names)
    assert all(len(text) <= most for text in short.values())
    assert all(short[name] == name for name in names if len(name) <= most)
