"""Hostile folders: special files, links, names, and numbers of files."""

from __future__ import annotations

import os
import socket
import stat

from tests.attack.lab import Lab, case, sparse

PIPES = hasattr(os, "mkfifo")
ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


@case("pipes as sources and settings", when=PIPES)
def _(lab: Lab) -> None:
    lab.write({"b.py": b"import a\n"})
    for name in (
        "a.py",
        ".gitignore",
        "cbvtool.toml",
        "tsconfig.json",
        "package.json",
        "go.mod",
        "pyvenv.cfg",
        "compile_commands.json",
        "Cargo.toml",
        "pom.xml",
        "__init__.py",
        ".gitattributes",
    ):
        os.mkfifo(lab.root / name)


@case("nothing but a pipe", status=(2,), when=PIPES, says="holds no files")
def _(lab: Lab) -> None:
    os.mkfifo(lab.root / "a.py")


@case("sockets and devices as sources", when=ROOT)
def _(lab: Lab) -> None:
    lab.write({"b.py": b"import a\n"})
    os.mknod(lab.root / "a.py", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    os.mknod(lab.root / ".gitignore", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    os.mknod(lab.root / "cbvtool.toml", stat.S_IFBLK | 0o666, os.makedev(7, 99))
    here = os.getcwd()
    os.chdir(lab.root)
    try:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind("c.py")
    finally:
        os.chdir(here)


@case("links in circles among sources")
def _(lab: Lab) -> None:
    lab.write({"b.py": b"import a\n"})
    (lab.root / "a.py").symlink_to("a.py")
    (lab.root / "x").symlink_to("y")
    (lab.root / "y").symlink_to("x")
    (lab.root / "down").symlink_to(".")
    (lab.root / "up").symlink_to("..")
    (lab.root / ".gitignore").symlink_to(".gitignore")
    (lab.root / "cbvtool.toml").symlink_to("cbvtool.toml")


@case("links out of the root")
def _(lab: Lab) -> None:
    (lab.beside / "secret.py").write_bytes(b"class Secret: pass\n")
    lab.write({"b.py": b"import a\nfrom out import secret\n"})
    (lab.root / "a.py").symlink_to(lab.beside / "secret.py")
    (lab.root / "out").symlink_to(lab.beside)
    (lab.root / "etc").symlink_to("/etc")
    (lab.root / "proc").symlink_to("/proc")
    (lab.root / "tsconfig.json").symlink_to("/dev/zero")


@case("100,000 files in a folder")
def _(lab: Lab) -> None:
    for number in range(100_000):
        (lab.root / f"{number}.txt").touch()


@case("20,000 links to folders")
def _(lab: Lab) -> None:
    lab.write({f"d/{number}.py": b"" for number in range(20)})
    for number in range(20_000):
        (lab.root / f"l{number}").symlink_to("d")


@case("folders that cannot be read")
def _(lab: Lab) -> None:
    lab.write({"a.py": b"", "closed/a.py": b"", "b.py": b""})
    (lab.root / "closed").chmod(0)
    (lab.root / "b.py").chmod(0)


@case("a chain of folders beyond the longest path")
def _(lab: Lab) -> None:
    lab.write({"a.py": b""})
    here = os.getcwd()
    os.chdir(lab.root)
    try:
        for _ in range(1000):
            os.mkdir("d" * 20)
            os.chdir("d" * 20)
        with open("a.py", "wb"):
            pass
    finally:
        os.chdir(here)


@case("names with line ends, escapes and marks")
def _(lab: Lab) -> None:
    names = (
        "a\nb.py",
        "\x1b[31mred.py",
        "\x1b]0;title\x07.py",
        "a\rb.py",
        "\u202eyp.a",
        "<img src=x>.py",
        "=cmd|x!A0.py",
        "'; rm -rf ~ #.py",
        "$(touch x).py",
        "-o",
        "--help",
        "a::b.py",
        "con.py",
        " .py",
        "\x7f.py",
        "\u200b.py",
        "a" * 250 + ".py",
        "\U0001f600.py",
        "%s%n.py",
        "\\.py",
        '".py',
    )
    lab.write(dict.fromkeys(names, b"def f(): pass\n"))


@case("names that are no text")
def _(lab: Lab) -> None:
    folder = os.fsencode(lab.root)
    for number in range(2000):
        name = bytes([0x80 + number % 64, 0x80 + number // 64 % 64, 0xFF, 0xFE]) + b"%d.py" % (number % 3)
        with open(os.path.join(folder, name), "wb"):
            pass


@case("20 GB of Python")
def _(lab: Lab) -> None:
    lab.write({"b.py": b"import a\n"})
    for name in ("a.py", ".gitignore", "cbvtool.toml", "tsconfig.json", "go.mod"):
        sparse(lab.root / name)


@case("hard links", says="Python")
def _(lab: Lab) -> None:
    lab.write({"a.py": b"def f(): pass\n"})
    for number in range(5000):
        os.link(lab.root / "a.py", lab.root / f"l{number}.py")


@case("a folder in place of every file")
def _(lab: Lab) -> None:
    for name in (
        ".gitignore",
        "cbvtool.toml",
        "tsconfig.json",
        "package.json",
        "go.mod",
        "a.py",
        "compile_commands.json",
    ):
        (lab.root / name).mkdir()
    lab.write({"b.py": b"", "a.py/c.py": b""})
