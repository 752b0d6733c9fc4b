"""What the house is built from: locks, platforms, commands."""

from __future__ import annotations

import importlib.util
import re
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


def _script(name: str) -> ModuleType:
    """A script of `scripts/`, as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


supported_platform = _script("supported_platform")


@pytest.mark.parametrize("minor", [11, 12, 13, 14])
@pytest.mark.parametrize(
    ("system", "machine", "libc"), [("Linux", "x86_64", "glibc"), ("Darwin", "arm64", ""), ("Windows", "AMD64", "")]
)
def test_supported(system: str, machine: str, libc: str, minor: int) -> None:
    """Linux x86-64, macOS arm64 and Windows x64 on Python 3.11 to 3.14."""
    assert supported_platform.obstacle(system, machine, (3, minor, 2), libc=libc) is None


@pytest.mark.parametrize(
    ("where", "names"),
    [
        (("Linux", "aarch64", (3, 12, 1)), "Linux on aarch64"),
        (("Darwin", "x86_64", (3, 12, 1)), "Darwin on x86_64"),
        (("Windows", "ARM64", (3, 12, 1)), "Windows on ARM64"),
        (("FreeBSD", "amd64", (3, 12, 1)), "FreeBSD on amd64"),
        (("Linux", "x86_64", (3, 10, 9)), "Python 3.10.9"),
        (("Linux", "x86_64", (3, 15, 0)), "Python 3.15.0"),
        (("Linux", "x86_64", (3, 14, 1)), "3.14.1"),
        (("Linux", "x86_64", (3, 11, 2), "pypy"), "pypy"),
        (("Windows", "AMD64", (3, 11, 2), "cpython", 32), "32-bit"),
        (("Linux", "x86_64", (3, 12, 2), "cpython", 64, ""), "C library"),
        (("Linux", "x86_64", (3, 14, 2), "cpython", 64, "glibc", False), "global interpreter lock"),
    ],
)
def test_elsewhere_one_clear_sentence(where: tuple, names: str) -> None:
    sentence = supported_platform.obstacle(*where)
    assert names in sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence


@pytest.mark.parametrize("lock", ["run.txt", "dev.txt"])
def test_locks_are_exact(lock: str) -> None:
    """Every line is one version with hashes; no index, no path: where packages come from is not ours to say."""
    text = (ROOT / "requirements" / lock).read_text().replace("\\\n", " ")
    requirements = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    assert len(requirements) > 20
    for line in requirements:
        assert re.fullmatch(r"[\w.-]+==[\w.]+( ; [^-]+)?(\s+--hash=sha256:[0-9a-f]{64})+\s*", line), line
    assert "://" not in text
    assert "--index" not in text


def test_both_locks_agree() -> None:
    """pip is given both at once for the tests: a package in both has one version."""
    versions: dict[str, str] = {}
    for lock in ("run.txt", "dev.txt"):
        text = (ROOT / "requirements" / lock).read_text()
        for name, version, marker in re.findall(r"^([\w.-]+)==([\w.]+)( ; .*?)? *\\$", text, re.MULTILINE):
            assert versions.setdefault((name, marker), version) == version


def test_make_lists_its_commands() -> None:
    """`make` alone says what there is; every command has its line."""
    listed = subprocess.run(["make", "-s"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    targets = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[1].split()
    assert [line.split()[1] for line in listed.splitlines()] == targets


def test_entrances_lead_somewhere() -> None:
    """Every relative link of the documents at the door has a target."""
    for document in ("README.md", "CONTRIBUTING.md", "docs/decisions/README.md", "sample_projects/README.md"):
        path = ROOT / document
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{document} links to {target}"


def test_one_public_name_means_one_class() -> None:
    """CONTRIBUTING, Words: a reader who meets `Place` does not have to ask which one."""
    homes: dict[str, list[str]] = {}
    for file in sorted((ROOT / "src").rglob("*.py")):
        for name in re.findall(r"^class ([A-Z]\w*)", file.read_text(encoding="utf-8"), re.MULTILINE):
            homes.setdefault(name, []).append(str(file.relative_to(ROOT)))
    assert len(homes) > 300
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}


def test_few_files_know_the_window() -> None:
    """A part of the window takes a `Desk`: only the window and who makes it name `MainWindow`."""
    texts = {file.name: file.read_text(encoding="utf-8") for file in (ROOT / "src").rglob("*.py")}
    knowing = {name for name, text in texts.items() if re.search(r"\bMainWindow\b", text)}
    assert {"main_window.py"} <= knowing <= {"main_window.py", "app.py"}


PRIVATE = re.compile(
    r"\bover others\b|\blight(?:s|ing)? up\b|\bno valid Unicode\b|\bedge has no begin\b|\bknow no --", re.IGNORECASE
)
ABOUT_WORDS = ("glossary.md", "words.md")  # they say what stands in the place of what


def test_no_private_words_for_what_the_field_has_a_word_for() -> None:
    """STYLE: transitive, highlight, and messages that say what happened."""
    assert all(PRIVATE.search(text) for text in ("users over others", "It lights up", "an edge has no begin"))
    texts = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    found = [
        f"{file.relative_to(ROOT)}: {match.group()}"
        for file in texts
        if file.name not in ABOUT_WORDS
        for match in PRIVATE.finditer(file.read_text(encoding="utf-8"))
    ]
    assert found == []


ELSEWHERE = re.compile(r"\b[Ii]ssue [0-9]+\b|\b(?:DESIGN|SPEC|FACTS) [0-9]|fmt: (?:skip|off)")


def test_nothing_is_said_by_numbers_that_only_we_know() -> None:
    """A requirement is named by its ID in docs/specification.md; nothing is exempted from the formatter."""
    assert all(ELSEWHERE.search(text) for text in ("as issue 17 says", "(DESIGN 8)", "# fmt: skip"))
    files = [file for folder in ("src", "plugins", "scripts", "tests") for file in (ROOT / folder).rglob("*.py")]
    ours = [file for file in files if "corpus" not in file.parts and file != Path(__file__)]
    assert len(ours) > 1000
    assert [str(file) for file in ours if ELSEWHERE.search(file.read_text(encoding="utf-8"))] == []


def test_no_group_of_a_pattern_is_possessive() -> None:
    """Debian 12: Python 3.11.2 loses matches of `(...)*+` where groups backtrack (gh-106052), not of `(?>(...)*)`."""
    possessive = re.compile(r"\)(?:[*+?]|\{\d*,?\d*\})\+")
    assert possessive.search(r"(?:a|b)*+")
    assert not possessive.search(r"[^\n]*+(?>(?:a|b)*)")
    for file in sorted((ROOT / "src").rglob("*.py")):
        assert not possessive.search(file.read_text(encoding="utf-8")), file.name


specification = _script("specification")


def test_the_specification_is_current() -> None:
    """Every requirement that code or tests name is on the page; what is said to be done is named by a test."""
    folders = specification.named(ROOT / "src"), specification.named(ROOT / "tests")
    assert not specification.faults(specification.PAGE.read_text(encoding="utf-8"), *folders)


def test_a_requirement_that_nobody_wrote_down_is_caught() -> None:
    page = "| CBV-1 | Rings. | done |\n| CBV-2 | Bundles. | planned |\n"
    shown = {"CBV-1": {"tests/test_a.py": 1}, "CBV-2": {"tests/test_b.py": 1}}
    assert specification.faults(specification.with_tests(page, shown), {}, shown) == [
        "CBV-2 is said to be planned, but tests/test_b.py shows something of it."
    ]
    said = specification.faults(specification.with_tests(page, {}), {"CBV-9": {"src/a.py": 1}}, {})
    assert said == [
        "src/a.py names CBV-9, which docs/specification.md does not have.",
        "CBV-1 is said to be done, but no test names it.",
    ]
    tests = {"CBV-1": {"tests/test_a.py": 1}}
    assert specification.faults(specification.with_tests(page, tests), {}, tests) == []
    assert "out of date" in specification.faults(page, {}, tests)[0]
    twice = specification.with_tests(page + "| CBV-1 | Rings. | partly: two |\n", tests)
    assert specification.faults(twice, {}, tests) == ["CBV-1 has 2 rows in docs/specification.md."]
