"""Regular expressions that keep a backtracking engine busy for ever, and names on which they do; made from a seed."""

from __future__ import annotations

import random

KNOWN = (
    "a*a*a*a*a*a*a*a*!",
    "a*a*a*a*a*a*a*a*b",
    ".*.*.*.*.*.*.*x",
    r"\w*\w*\w*\w*\w*\d",
    "[^b]*[^b]*[^b]*[^b]*[^b]*b",
    "a?" * 30 + "a" * 30,
    "(a?){9}" * 9,
    "(?:(?:a|a){9}){9}b",
    "((a{0,9}){9}){9}",
    "(?:a|aa|aaa){9}" * 3,
    "(a+)+$",
    "(a|a)*!",
    "(a|b|ab)*!",
    "(.*)*!",
    "([a-z]+)*!",
    r"(\w+\s?)*!",
    "(a|b)*a(a|b){14}!",
    "(.*a.{50}!|.*b.{49}!)",
    "([ab]{0,30}a){30}!",
    "(?:[a-z]{1,9}[b-y]{1,9}){20}!",
    "(?:.{0,50}a.{0,50}b){8}!",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
)
_ATOMS = ("a", "b", ".", r"\w", "[ab]", "[^b]", "[a-z]", "(aa)", "(a|b)", "(?:a|aa)", "é", r"\W", r"(\d?a)")
_ENDS = ("*", "+", "?", "{0,9}", "{3,}", "{9}", "*?", "+?", "{,20}", "")


def hostile_patterns(count: int, seed: int = 1) -> list[str]:
    """`count` different ones; those that are known come first."""
    chosen, found = random.Random(seed), dict.fromkeys(KNOWN)
    while len(found) < count:
        pattern = _nested(chosen, chosen.choice((1, 2, 2, 3))) + chosen.choice("!bx$")
        if len(pattern) <= 400:
            found[pattern] = None
    return list(found)[:count]


def _nested(chosen: random.Random, depth: int) -> str:
    if depth == 0:
        return chosen.choice(_ATOMS)
    inner = "".join(_nested(chosen, depth - 1) + chosen.choice(_ENDS) for _ in range(chosen.randint(2, 6 - depth)))
    return f"({inner})" if chosen.random() < 0.7 else f"(?:{inner}|{_nested(chosen, depth - 1)})"


def nasty_names(count: int, seed: int = 1) -> list[str]:
    """Names of 100 letters: of one letter, of two at random, and such as no ASCII."""
    chosen = random.Random(seed)
    return [
        ("a" * 100, "".join(chosen.choices("ab", k=100)), "".join(chosen.choices("aéb汉", k=100)))[row % 3]
        + f"{row}.py"
        for row in range(count)
    ]
