"""Judges the relations between Java classes by those that the JDK's own tools see.

    python -m tests.judges.java_classes [--jdk HOME] [--stub PACKAGE] [--classpath PATH] [--calls] [FOLDER | MODULE ...]

MODULE is a module of the JDK, whose sources come from its `lib/src.zip`; FOLDER holds sources that javac can compile as
they are or with what lies in PATH, but for annotations of PACKAGE, for which empty ones are made up. Without any: the
modules java.logging and java.xml, or, where the JDK came without sources, the cases of tests/corpus/java that are
programs.

Compared are dependencies between top-level classes of the sources, nested ones folded into them, with those of jdeps,
which reads the compiled classes. Guesses are left out. Class files do not hold all that sources say, nor sources
all that class files say; what javac itself makes of the names in the sources (JavacNames.java) tells which is which:

| class | of our dependencies that jdeps has not, those that javac sees as well, ... |
|---|---|
| import | ... and that are only imports: javac finds the class named nowhere but there (unused, or used in \
documentation alone) |
| constant | ... as the name of a constant (javac knows its value, which it copies), or before one: the T of `T.C` |
| annotation | ... as an annotation that is declared for the compiler alone, as `Override` is: @Retention(SOURCE) |
| unread | ... in an annotation that is kept for tools that read class files (JLS 9.6.4.2, CLASS): it is in there, and \
jdeps does not look |
| inherited | ... as the class of a member: class files have the one that it was inherited through |
| erased | ... as a type that leaves no trace: type arguments, types of local variables |

| class | of the dependencies that jdeps alone has, those whose class the source names nowhere, but ... |
|---|---|
| header | ... it is the type of an expression, or stands in the header of a method that is called |
| made | ... the compiler uses it for a construct of the language: lambdas, `+` of texts, `assert`, `switch`, loops \
over collections, records, enums, boxing, `finally`, methods that override others with other headers |

A second table counts with jdeps' dependencies what the attributes of the same class files name as annotations, of any
retention: that is what the classes depend on.

Precision and recall are given raw, precision with the first two classes alone put aside, then with the third one as
well (recall has none of them), and both without all. With --calls, the method that each call means is compared with
javac's as well, by line, class, name and number of parameters; what lies outside of the sources is left out.
Exit status 1 when the explained precision is below 0.95 or the explained recall below 0.90.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from cbvtool.analysis import analyze
from cbvtool.graph import Confidence, Graph
from tests.judges.class_files import annotations_of

PRECISION, RECALL = 0.95, 0.90
DEFAULT = ("java.logging", "java.xml")
CORPUS = Path(__file__).parents[1] / "corpus" / "java"
NAMES = Path(__file__).with_name("JavacNames.java")
ANYWHERE = ", ".join(
    f"java.lang.annotation.ElementType.{kind}"
    for kind in (
        "ANNOTATION_TYPE",
        "CONSTRUCTOR",
        "FIELD",
        "LOCAL_VARIABLE",
        "METHOD",
        "MODULE",
        "PACKAGE",
        "PARAMETER",
        "TYPE",
        "TYPE_PARAMETER",
        "TYPE_USE",
        "RECORD_COMPONENT",
    )
)
HEADER = (
    """\
| sources | classes | ours | jdeps | both | precision | recall | import | constant | annotation | unread | inherited \
| erased | header | made | precision without import, constant | and annotation | explained precision | and recall |
"""
    + "| --- "
    + "| ---: " * 18
    + "|"
)
HEADER_WITH_ANNOTATIONS = """\
| sources | annotations beside | in class files | both | precision | recall | precision without import, constant, \
annotation | recall without header, made |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""

OURS = ("import", "constant", "annotation", "unread", "inherited", "erased")  # explanations of what is here alone
TRACELESS = ("import", "constant", "annotation")  # of the former, what no class file can hold
THEIRS = ("header", "made")  # explanations of what jdeps alone has

Edge = tuple[str, str]


class Subject(NamedTuple):
    """Sources, and how the tools are asked about them."""

    name: str
    folder: Path
    jdeps: list[str]
    javac: list[str]
    classes: Path


class Verdict(NamedTuple):
    """Dependencies between top-level classes that both see; `explained`: class of explanation -> edges.

    held  those that the class files' annotations make, whether jdeps looks at them or not
    """

    name: str
    classes: set[str]
    ours: set[Edge]
    theirs: set[Edge]
    held: set[Edge]
    explained: dict[str, set[Edge]]
    calls: CallVerdict | None

    @property
    def wrong(self) -> set[Edge]:
        return (self.ours - self.theirs).difference(*(self.explained[reason] for reason in OURS))

    @property
    def missing(self) -> set[Edge]:
        return (self.theirs - self.ours).difference(*(self.explained[reason] for reason in THEIRS))

    @property
    def precision(self) -> float:
        return 1 - len(self.wrong) / max(len(self.ours), 1)

    @property
    def recall(self) -> float:
        here = len(self.theirs & self.ours)
        return here / max(here + len(self.missing), 1)

    def row(self) -> str:
        both = len(self.ours & self.theirs)
        most, least = (
            len(self.ours) - sum(len(self.explained[reason]) for reason in reasons)
            for reasons in (TRACELESS[:-1], TRACELESS)
        )
        counts = " | ".join(f"{len(edges):,}" for edges in self.explained.values())
        return (
            f"| {self.name} | {len(self.classes):,} | {len(self.ours):,} | {len(self.theirs):,} | {both:,} "
            f"| {both / max(len(self.ours), 1):.4f} | {both / max(len(self.theirs), 1):.4f} | {counts} "
            f"| {both / max(most, 1):.4f} | {both / max(least, 1):.4f} | {self.precision:.4f} | {self.recall:.4f} |"
        )

    def row_with_annotations(self) -> str:
        """The same with what class files hold in annotations."""
        theirs = self.theirs | self.held
        both = len(self.ours & theirs)
        most = len(self.ours) - sum(len(self.explained[reason] - self.held) for reason in TRACELESS)
        least = len(theirs) - sum(len(self.explained[reason]) for reason in THEIRS)
        return (
            f"| {self.name} | {len(self.held - self.theirs):,} | {len(theirs):,} | {both:,} "
            f"| {both / max(len(self.ours), 1):.4f} | {both / max(len(theirs), 1):.4f} "
            f"| {both / max(most, 1):.4f} | {both / max(least, 1):.4f} |"
        )


class CallVerdict(NamedTuple):
    """Calls at lines of the sources: (file, line, class, method, parameters)."""

    ours: Counter[tuple[str, int, str, str, int]]
    theirs: Counter[tuple[str, int, str, str, int]]

    def row(self, name: str) -> str:
        both = (self.ours & self.theirs).total()
        loose = (_without_last(self.ours) & _without_last(self.theirs)).total()
        return (
            f"| {name} | {self.ours.total():,} | {self.theirs.total():,} | {both:,} "
            f"| {both / max(self.ours.total(), 1):.4f} | {both / max(self.theirs.total(), 1):.4f} "
            f"| {loose / max(self.ours.total(), 1):.4f} |"
        )


def _without_last(calls: Counter[tuple[str, int, str, str, int]]) -> Counter[tuple[str, int, str, str]]:
    found: Counter[tuple[str, int, str, str]] = Counter()
    for call, count in calls.items():
        found[call[:4]] += count
    return found


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("subject", nargs="*")
    parser.add_argument("--jdk", type=Path, help="home of the JDK; default: the newest that comes with sources")
    parser.add_argument("--stub", action="append", default=[], help="package of annotations that are not there")
    parser.add_argument("--classpath", default="", help="what the sources of FOLDER need beside the JDK, as for javac")
    parser.add_argument("--calls", action="store_true", help="compare calls as well")
    parser.add_argument("--list", action="store_true", help="list every edge that is not explained")
    options = parser.parse_args(arguments)
    jdk = options.jdk or find_jdk()
    with tempfile.TemporaryDirectory() as scratch:
        verdicts = [
            judge(subject, jdk, options.calls, Path(scratch))
            for subject in subjects(options.subject, jdk, options.stub, options.classpath, Path(scratch))
        ]
    print(HEADER)
    for verdict in verdicts:
        print(verdict.row())
    print(f"\n{HEADER_WITH_ANNOTATIONS}")
    for verdict in verdicts:
        print(verdict.row_with_annotations())
    if options.calls:
        print("\n| sources | calls here | of javac | both | precision | recall | precision, any overload |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
        for verdict in verdicts:
            if verdict.calls:
                print(verdict.calls.row(verdict.name))
    for verdict in verdicts:
        for source, target in sorted(verdict.wrong)[: None if options.list else 20]:
            print(f"only here   {source} -> {target}")
        for source, target in sorted(verdict.missing)[: None if options.list else 20]:
            print(f"only jdeps  {source} -> {target}")
    if options.calls and options.list:
        for verdict in verdicts:
            if verdict.calls:
                for call in sorted((verdict.calls.ours - verdict.calls.theirs).elements()):
                    print("call only here  ", *call)
                for call in sorted((verdict.calls.theirs - verdict.calls.ours).elements()):
                    print("call only javac ", *call)
    return int(any(verdict.precision < PRECISION or verdict.recall < RECALL for verdict in verdicts))


def find_jdk() -> Path:
    """The JDK with sources, or else any, with the highest version in its `release` file."""
    homes = {Path(shutil.which("javac") or "/").resolve().parent.parent, *Path("/usr/lib/jvm").glob("*")}
    homes = {home.resolve() for home in homes if (home / "bin/jdeps").exists() and (home / "release").exists()}
    if not homes:
        raise SystemExit("no JDK here: jdeps and javac are needed")
    return max(homes, key=lambda home: ((home / "lib/src.zip").exists(), version(home), str(home)))


def version(home: Path) -> int:
    found = re.search(r'JAVA_VERSION="(\d+)', (home / "release").read_text())
    return int(found[1]) if found else 0


def subjects(names: list[str], jdk: Path, stubs: list[str], classpath: str, scratch: Path) -> Iterator[Subject]:
    """What is to be judged, unpacked or compiled into `scratch`."""
    has_sources = (jdk / "lib/src.zip").exists()
    for name in names or (DEFAULT if has_sources else sorted(str(path) for path in CORPUS.glob("*/input"))):
        folder = Path(name)
        if folder.is_dir():
            subject = compiled(folder.resolve(), jdk, stubs, classpath, scratch)
            if subject:
                yield subject
            elif names:
                raise SystemExit(f"{name!r} cannot be compiled")
        else:
            with zipfile.ZipFile(jdk / "lib/src.zip") as archive:
                archive.extractall(scratch, [file for file in archive.namelist() if file.startswith(f"{name}/")])
            classes = scratch / "image" / name
            chosen = ["--include", f"regex:/{re.escape(name)}/.*", "--dir", classes.parent]
            subprocess.run([jdk / "bin/jimage", "extract", *chosen, jdk / "lib/modules"], check=True)
            yield Subject(name, scratch / name, ["-m", name], ["--patch-module", f"{name}={scratch / name}"], classes)


def compiled(folder: Path, jdk: Path, stubs: list[str], classpath: str, scratch: Path) -> Subject | None:
    """The sources in `folder`, compiled; None if they cannot be."""
    own = Path(tempfile.mkdtemp(dir=scratch))
    made = [stub for package in stubs for stub in annotations(folder, package, own / "stubs")]
    sources = [str(path) for path in [*sorted(folder.rglob("*.java")), *made] if path.name != "module-info.java"]
    (own / "files").write_text("\n".join(f'"{source}"' for source in sources))
    command = [
        jdk / "bin/javac",
        "-proc:none",
        "-nowarn",
        "-encoding",
        "UTF-8",
        "-cp",
        classpath or own,
        "-d",
        own / "classes",
        f"@{own / 'files'}",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr[-2000:], file=sys.stderr)
        return None
    name = next((part for part in reversed(folder.parts) if part not in ("src", "main", "java", "input")), folder.name)
    classes = str(own / "classes")
    return Subject(name, folder, ["--ignore-missing-deps", classes], ["-cp", f"{classes}:{classpath}"], own / "classes")


def annotations(folder: Path, package: str, into: Path) -> Iterator[Path]:
    """Empty annotations for those that the sources import from `package`."""
    text = "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in folder.rglob("*.java"))
    for name in sorted(set(re.findall(rf"{re.escape(package)}\.([A-Z]\w*)", text))):
        uses = re.findall(rf"@(?:[\w.]+\.)?{name}\(((?:[^()\"]|\"[^\"]*\")*)\)", text)
        members = {member for use in uses for member in re.findall(r"(\w+)\s*=", use)} | {"value"}
        path = into / package.replace(".", "/") / f"{name}.java"
        path.parent.mkdir(parents=True, exist_ok=True)
        body = " ".join(f"String[] {member}() default {{}};" for member in sorted(members))
        path.write_text(
            f"package {package}; @java.lang.annotation.Target({{{ANYWHERE}}}) public @interface {name} {{ {body} }}"
        )
        yield path


def judge(subject: Subject, jdk: Path, with_calls: bool, scratch: Path) -> Verdict:
    """Compare what we, jdeps, and javac see in one subject."""
    graph = analyze(subject.folder)
    classes = top_level(graph, subject.folder)
    command = [jdk / "bin/jdeps", "-v", "-filter:none", *subject.jdeps]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    theirs = {
        (top_of(source), top_of(target)) for source, target in re.findall(r"^   (\S+)\s+-> (\S+)", output, re.MULTILINE)
    }
    seen = set(classes.values()) & {name for edge in theirs for name in edge}
    theirs = {edge for edge in theirs if set(edge) <= seen and edge[0] != edge[1]}
    ours = {edge for edge in our_edges(graph, classes) if set(edge) <= seen}
    held = {(top_of(source), top_of(target)) for source, target in annotations_of(subject.classes)}
    held = {edge for edge in held if set(edge) <= seen and edge[0] != edge[1]}
    named, calls = names_of_javac(subject, jdk, scratch)
    explained: dict[str, set[Edge]] = {reason: set() for reason in (*OURS, *THEIRS)}
    for edge in ours ^ theirs:
        reason = reason_of(named.get(edge, set()), edge in ours)
        if reason:
            explained[reason].add(edge)
    verdict = None
    if with_calls:
        verdict = CallVerdict(our_calls(graph, classes), calls_inside(calls, graph, subject.folder))
    return Verdict(subject.name, seen, ours, theirs, held, explained, verdict)


def top_of(name: str) -> str:
    """The top-level class of the one called so in a class file."""
    return name.partition("$")[0]


def reason_of(why: set[str], is_ours: bool) -> str:
    """The class of explanation for a dependency that one side alone has; empty = none.

    why  in which ways javac sees it (see JavacNames.java)
    """
    named = why.difference(THEIRS)
    if not is_ours:
        return "" if named else next((reason for reason in THEIRS if reason in why), "")
    if named and named <= {"import", "constant"}:
        return "constant" if "constant" in named else "import"
    return next((reason for word, reason in _WORDS if word in named), "")


_WORDS = (("type", "erased"), ("member", "inherited"), ("annotation", "annotation"), ("unread", "unread"))


def top_level(graph: Graph, folder: Path) -> dict[int, str]:
    """Key of every definition, and of every file -> full name of its top-level class; a file's is the one named so."""
    packages: dict[str, str] = {}
    found: dict[int, str] = {}
    for key in range(len(graph)):
        name = graph.ids[key]
        file, _, inside = name.partition("::")
        if not file.endswith(".java"):
            continue
        if file not in packages:
            text = (folder / file).read_text(encoding="utf-8", errors="replace")
            declared = re.search(r"^\s*package\s+([\w.]+)\s*;", text, re.MULTILINE)
            packages[file] = f"{declared[1]}." if declared else ""
        stem = Path(file).stem
        found[key] = packages[file] + re.sub(r"#\d+$", "", (inside or stem).partition(".")[0])
    return found


def our_edges(graph: Graph, classes: dict[int, str]) -> Iterator[Edge]:
    """Dependencies between top-level classes, without guesses."""
    edges = graph.edges
    for source, target, confidence in zip(
        edges.source.tolist(), edges.target.tolist(), edges.confidence.tolist(), strict=True
    ):
        if confidence != Confidence.GUESS and source in classes and target in classes:
            edge = classes[source], classes[target]
            if edge[0] != edge[1]:
                yield edge


def names_of_javac(subject: Subject, jdk: Path, scratch: Path) -> tuple[dict[Edge, set[str]], list[list[str]]]:
    """Why javac sees one top-level class use another; and its rows about calls."""
    options, files = scratch / "options", scratch / "sources"
    options.write_text("\n".join(["-proc:none", "-encoding", "UTF-8", *subject.javac]))
    files.write_text(
        "\n".join(str(path) for path in sorted(subject.folder.rglob("*.java")) if path.name != "module-info.java")
    )
    command = [jdk / "bin/java", "-Xmx4g", NAMES, options, files]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    why: dict[Edge, set[str]] = defaultdict(set)
    calls = []
    for line in output.splitlines():
        what, *rest = line.split("\t")
        if what == "use":
            why[rest[0], rest[1]].add(rest[2])
        else:
            calls.append(rest)
    return why, calls


def our_calls(graph: Graph, classes: dict[int, str]) -> Counter[tuple[str, int, str, str, int]]:
    """Every site of a call that is no guess."""
    edges = graph.edges
    found: Counter[tuple[str, int, str, str, int]] = Counter()
    for row in range(len(edges)):
        target = int(edges.target[row])
        if edges.kind_names[edges.kind[row]] not in ("call", "calls back") or edges.confidence[row] == Confidence.GUESS:
            continue
        method = graph.names[target]
        for file, line in edges.sites(row):
            owner = owner_of(graph, target, classes)
            found[graph.files[file], line, owner, method, int(graph.values["parameters"][target])] += 1
    return found


def owner_of(graph: Graph, key: int, classes: dict[int, str]) -> str:
    """Full name of the class that the definition lies in, as javac writes it."""
    inside = re.sub(r"#\d+", "", graph.ids[key].partition("::")[2]).split(".")[:-1]
    package = classes[key].removesuffix(inside[0])
    return package + ".".join(inside)


def calls_inside(calls: Iterable[list[str]], graph: Graph, folder: Path) -> Counter[tuple[str, int, str, str, int]]:
    """Calls of javac whose method the sources declare, in our words: a constructor is named like its class."""
    declared: set[tuple[str, str]] = set()
    classes = top_level(graph, folder)
    for key in classes:
        if graph.kind(key) == "function":
            declared.add((owner_of(graph, key, classes), graph.names[key]))
    found: Counter[tuple[str, int, str, str, int]] = Counter()
    for file, line, owner, method, parameters in calls:
        name = owner.rpartition(".")[2] if method == "<init>" else method
        if (owner, name) in declared:
            inside = Path(file).resolve().relative_to(folder.resolve()).as_posix()
            found[inside, int(line), owner, name, int(parameters)] += 1
    return found


if __name__ == "__main__":
    sys.exit(main())
