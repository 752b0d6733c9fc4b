"""NEW-4: what is said before a plan is carried out follows the project and the languages of the plan."""

from __future__ import annotations

from pathlib import Path

import pytest

from cbvtool.apply.proposed import Proposed, proposed, usual_tests
from cbvtool.plan import Group, History, Move, Rename
from cbvtool.plan.operations import Operation
from cbvtool.plan.tasks import task_list
from cbvtool.project import open_project
from tests.layouts import LAYOUTS

SCRIPT = '{"scripts": {"test": "vitest"}}'


@pytest.mark.parametrize(
    ("files", "languages", "command"),
    [
        ({"pom.xml": ""}, ["Java"], "mvn -q test"),
        ({"pom.xml": "", "mvnw": ""}, ["Java"], "./mvnw -q test"),
        ({"build.gradle": "", "gradlew": ""}, ["Java"], "./gradlew test"),
        ({"build.gradle.kts": "", "gradlew": ""}, ["Kotlin"], "./gradlew test"),
        ({"build.gradle": ""}, ["Java"], "gradle test"),
        ({"package.json": SCRIPT}, ["TypeScript"], "npm test"),
        ({"package.json": "{}"}, ["TypeScript"], ""),
        (
            {"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'},
            ["JavaScript"],
            "",
        ),
        ({"package.json": "[1"}, ["JavaScript"], ""),
        ({"package.json": '{"scripts": ["test"]}'}, ["JavaScript"], ""),
        ({"go.mod": ""}, ["Go"], "go test ./..."),
        ({}, ["Python"], "python -m pytest -q"),
        ({}, ["Java"], ""),
        ({"pom.xml": "", "package.json": SCRIPT}, ["TypeScript", "Java"], "npm test"),
        ({"pom.xml": "", "package.json": SCRIPT}, ["Java", "TypeScript"], "mvn -q test"),
        ({"package.json": SCRIPT}, ["Python", "JavaScript"], "python -m pytest -q"),
        ({"pom.xml": ""}, [], "mvn -q test"),
    ],
)
def test_the_command_follows_the_manifests(
    tmp_path: Path, files: dict[str, str], languages: list[str], command: str
) -> None:
    """Of several, the one for the most important language; none is made up."""
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert usual_tests(tmp_path, languages) == command


def said(folder: Path, layout: str, operation: Operation) -> Proposed:
    LAYOUTS[layout](folder)
    graph = open_project(folder, jobs=1, cache=False).graph
    return proposed(folder, graph, task_list(History(graph, (Group("", (operation,)),))).tasks)


def test_a_java_project_hears_nothing_of_python(tmp_path: Path) -> None:
    core = "shop-core/src/main/java/com/shop"
    found = said(tmp_path, "Maven", Move((f"{core}/orders/Query.java",), core))
    assert found == Proposed(
        "mvn -q test",
        "Imports of Java are rewritten.",
        "Runs code of the project, in the copy: this command is run. Empty: nothing is run.",
    )


def test_python_beside_it_is_imported_and_that_is_said(tmp_path: Path) -> None:
    """What is run is said even where the plan does not touch it."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "draw.py").write_text("x = 1\n")
    found = said(tmp_path, "Maven", Rename("shop-core/src/main/java/com/shop/orders", "sales"))
    assert found.tests == "mvn -q test"
    assert "Python" not in found.rewritten
    assert "each Python module is imported" in found.consent


def test_a_language_whose_imports_stay_is_told(tmp_path: Path) -> None:
    found = said(tmp_path, "Go", Rename("internal/orders", "sales"))
    assert found.tests == "go test ./..."
    assert found.rewritten == "Imports of Go are not rewritten: a file that others name cannot be moved."
