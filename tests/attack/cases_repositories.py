"""Hostile repositories: what lies in `.git`, and what its objects say."""

from __future__ import annotations

import os
import socket
import stat
import struct
import zlib
from pathlib import Path

from tests.attack.lab import EMPTY, Lab, case, sparse

PIPES = hasattr(os, "mkfifo")
ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
NOT_READ = "is not a regular file"
HISTORY = "history .* commit"

# -- something else in place of a file ---------------------------------------------------------------------------------


def _pipe_at(place: str, says: str = NOT_READ) -> None:
    @case(f"pipe as {place}", says=says, when=PIPES)
    def build(lab: Lab) -> None:
        lab.plain()
        file = lab.dot_git / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.unlink(missing_ok=True)
        os.mkfifo(file)


for _place in (
    "objects/pack/pack-0123456789012345678901234567890123456789.idx",
    "objects/info/alternates",
    "objects/info/commit-graph",
    "objects/info/commit-graphs/commit-graph-chain",
    "objects/pack/multi-pack-index",
    "objects/ab/cdef",
):
    _pipe_at(_place)
for _place in (
    "HEAD",
    "index",
    "shallow",
    "packed-refs",
    "refs/heads/main",
    "commondir",
    "config",
    "info/attributes",
    "info/exclude",
    "mailmap",
    "logs/HEAD",
):
    _pipe_at(_place, "history")


@case("pipe as a commit", says=NOT_READ, when=PIPES)
def _(lab: Lab) -> None:
    name = lab.plain().hex()
    file = lab.objects / name[:2] / name[2:]
    file.unlink()
    os.mkfifo(file)


@case("pipe as .git", says="not in a git repository|does not lead|could not be read|history", when=PIPES)
def _(lab: Lab) -> None:
    lab.write({"a.py": b""})
    os.mkfifo(lab.dot_git)


@case("link to a pipe as an object", says=NOT_READ, when=PIPES)
def _(lab: Lab) -> None:
    lab.plain()
    os.mkfifo(lab.beside / "pipe")
    (lab.objects / "ab").mkdir(exist_ok=True)
    (lab.objects / "ab" / ("c" * 38)).symlink_to(lab.beside / "pipe")


@case("pipe in a borrowed database", says=NOT_READ, when=PIPES)
def _(lab: Lab) -> None:
    lab.plain()
    pack = lab.beside / "objects" / "pack"
    pack.mkdir(parents=True)
    os.mkfifo(pack / "pack-1.idx")
    (lab.objects / "info" / "alternates").write_text('"../../../beside/\\157bjects"\n')


@case("socket as an object", says=NOT_READ, when=hasattr(socket, "AF_UNIX"))
def _(lab: Lab) -> None:
    lab.plain()
    (lab.objects / "ab").mkdir(exist_ok=True)
    here = Path.cwd()
    os.chdir(lab.objects / "ab")  # the name of a socket is short
    try:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind("c" * 38)
    finally:
        os.chdir(here)


@case("device as an object", says=NOT_READ, when=ROOT)
def _(lab: Lab) -> None:
    lab.plain()
    (lab.objects / "ab").mkdir(exist_ok=True)
    os.mknod(lab.objects / "ab" / ("c" * 38), stat.S_IFCHR | 0o600, os.makedev(1, 5))


@case("link to /dev/zero as HEAD, index and shallow", says="history")
def _(lab: Lab) -> None:
    lab.plain()
    for name in ("HEAD", "index", "shallow"):
        (lab.dot_git / name).unlink(missing_ok=True)
        (lab.dot_git / name).symlink_to("/dev/zero")


@case("folders in place of files", says="history")
def _(lab: Lab) -> None:
    lab.plain()
    for name in ("index", "shallow", "packed-refs", "objects/info/alternates", "objects/pack/pack-1.idx"):
        (lab.dot_git / name).mkdir()


@case("links in circles", says=HISTORY)
def _(lab: Lab) -> None:
    lab.plain()
    for name in ("index", "shallow", "packed-refs", "objects/info/alternates", "objects/ab"):
        (lab.dot_git / name).unlink(missing_ok=True)
        if not (lab.dot_git / name).exists():
            (lab.dot_git / name).symlink_to(lab.dot_git / name)


# -- claims to be huge ---------------------------------------------------------------------------------------------


def _sparse_at(place: str, start: bytes = b"") -> None:
    @case(f"20 GB as {place}", says="history")
    def build(lab: Lab) -> None:
        lab.plain()
        file = lab.dot_git / place
        file.parent.mkdir(parents=True, exist_ok=True)
        sparse(file, start=start)


for _place in (
    "shallow",
    "HEAD",
    "index",
    "refs/heads/main",
    "commondir",
    "config",
    "info/exclude",
    "objects/info/alternates",
    "objects/ab/" + "c" * 38,
):
    _sparse_at(_place)
_sparse_at("objects/info/commit-graph", b"CGPH\1\1\4\0")
_sparse_at("objects/pack/multi-pack-index", b"MIDX\1\1\4\0" + struct.pack(">I", 1))


@case("20 GB as packed-refs", says="packed-refs is larger")
def _(lab: Lab) -> None:
    lab.plain()
    (lab.dot_git / "refs/heads/main").unlink()
    sparse(lab.dot_git / "packed-refs", start=b"# pack-refs with: peeled fully-peeled sorted\n")


@case("20 GB as a pack and its index", says="history")
def _(lab: Lab) -> None:
    lab.plain()
    base = lab.objects / "pack" / ("pack-" + "0" * 40)
    sparse(base.with_suffix(".pack"), start=b"PACK" + struct.pack(">II", 2, 1))
    sparse(base.with_suffix(".idx"), start=b"\377tOc" + struct.pack(">I", 2))


@case("20 GB as .git", says="history")
def _(lab: Lab) -> None:
    lab.write({"a.py": b""})
    sparse(lab.dot_git, start=b"gitdir: ")


# -- objects that grow ---------------------------------------------------------------------------------------------


def _bomb(lab: Lab, levels: int = 10) -> bytes:
    tree = lab.tree({b"%d" % i: lab.put("blob", b"x") for i in range(10)})
    for _ in range(levels - 1):
        tree = lab.tree({b"%d" % i: tree for i in range(10)}, mode=b"40000")
    return tree


@case("git bomb", says="more than .* no history was read")
def _(lab: Lab) -> None:
    lab.plain()
    lab.head(lab.commit_of(_bomb(lab)))


@case("git bomb in the past", says="history breaks off")
def _(lab: Lab) -> None:
    last = lab.plain()
    small = lab.tree({b"a.py": lab.put("blob", b"1")})
    lab.head(lab.commit_of(small, lab.commit_of(_bomb(lab), last)))


@case("a million files in one folder", says="history")
def _(lab: Lab) -> None:
    lab.plain()
    blob = lab.put("blob", b"x")
    many = lab.tree({b"%07d.py" % i: blob for i in range(1_000_000)})
    few = lab.tree({b"a.py": blob})
    lab.head(lab.commit_of(few, lab.commit_of(many)))


@case("a tree of 3,000 levels", says="history")
def _(lab: Lab) -> None:
    lab.plain()
    tree = lab.tree({b"a.py": lab.put("blob", b"x")})
    for _ in range(3000):
        tree = lab.tree({b"d" * 200: tree}, mode=b"40000")
    lab.head(lab.commit_of(tree))


@case("names of a megabyte", says="history")
def _(lab: Lab) -> None:
    lab.plain()
    blob = lab.put("blob", b"x")
    lab.head(lab.commit_of(lab.tree({bytes([97 + i]) * 2_000_000: blob for i in range(20)})))


@case("a commit that unpacks to 3 GB", says="history")
def _(lab: Lab) -> None:
    lab.plain()
    packer = zlib.compressobj(9)
    pieces = [packer.compress(b"commit 3000000000\0")]
    pieces += [packer.compress(bytes(10_000_000)) for _ in range(300)]
    lab.place(bytes(range(20)), b"".join([*pieces, packer.flush()]))
    lab.head(bytes(range(20)))


@case("renamed blobs of 300 MB", says="history")
def _(lab: Lab) -> None:
    lab.plain()
    trees = []
    for number in range(2):
        name = bytes([number]) * 20
        packer = zlib.compressobj(1)
        pieces = [packer.compress(b"blob 300000000\0")]
        pieces += [packer.compress((b"%099d\n" % (number and i)) * 100_000) for i in range(30)]
        lab.place(name, b"".join([*pieces, packer.flush()]))
        trees.append(lab.tree({b"file%d" % number: name}))
    lab.head(lab.commit_of(trees[1], lab.commit_of(trees[0])))


@case("a mail map of a million lines", says=HISTORY)
def _(lab: Lab) -> None:
    lab.plain()
    lines = b"".join(b"A <a%d@x> <b%d@x>\n" % (i, i) for i in range(1_000_000))
    tree = lab.tree({b".mailmap": lab.put("blob", lines), b"a.py": lab.put("blob", b"1")})
    lab.head(lab.commit_of(tree))


def _unrelated(lab: Lab, count: int, lines: int, steps: int) -> None:
    """Commits that replace all files by others, of other names and other content."""
    lab.init()
    lab.write({"a.py": b""})
    stream = []
    for step in range(steps):
        stream.append(f"commit refs/heads/main\ncommitter c <c@x> {1_600_000_000 + step} +0000\ndata 0\ndeleteall\n")
        for number in range(count):
            text = "".join(f"{lab.random.random()}\n" for _ in range(lines))
            stream.append(f"M 644 inline {step}_{number}.py\ndata {len(text)}\n{text}\n")
    lab.git("fast-import", "--quiet", stdin="".join(stream).encode())


@case("8,000 unrelated files replaced in one commit", says=HISTORY)
def _(lab: Lab) -> None:
    _unrelated(lab, 8000, 3, 2)


@case("just few enough unrelated files, again and again", says=HISTORY)
def _(lab: Lab) -> None:
    _unrelated(lab, 499, 40, 40)


@case("a commit with 50,000 parents", says="history")
def _(lab: Lab) -> None:
    last = lab.plain()
    tree = lab.tree({b"a.py": lab.put("blob", b"1")})
    lab.head(lab.commit_of(tree, *[last] * 50_000))


@case("an author of 5 MB", says="history")
def _(lab: Lab) -> None:
    lab.plain()
    tree = lab.tree({b"a.py": lab.put("blob", b"1")})
    lab.head(lab.commit_of(tree, lab.commit_of(tree), author=b"a <" + b"x" * 5_000_000 + b">"))


@case("100,000 authors", says=HISTORY)
def _(lab: Lab) -> None:
    lab.init()
    lab.write({"a.py": b""})
    stream = "".join(
        f"commit refs/heads/main\nauthor a <{i}@x> {1_600_000_000 + i} +0000\n"
        f"committer c <c@x> {1_600_000_000 + i} +0000\n"
        f"data 0\nM 644 inline a.py\ndata {len(str(i))}\n{i}\n"
        for i in range(100_000)
    )
    lab.git("fast-import", "--quiet", stdin=stream.encode())


# -- objects that are odd ------------------------------------------------------------------------------------------


@case("dates beyond any calendar", says="history")
def _(lab: Lab) -> None:
    commit = lab.plain()
    tree = lab.tree({b"a.py": lab.put("blob", b"2")})
    for time in (0, -(2**63), 2**63, 2**70, 253_402_300_800):
        commit = lab.commit_of(tree, commit, time=time)
    lab.head(commit)


@case("odd authors", says="history")
def _(lab: Lab) -> None:
    commit = lab.plain()
    tree = lab.tree({b"a.py": lab.put("blob", b"2")})
    for author in (b"", b"<>", b"a", b"\x01 <\x02\x01>", b"a <a\0b>", b"\xff <\xff>", b"<img src=x> <\x1b[31m@x>"):
        commit = lab.commit_of(tree, commit, author=author)
    lab.head(commit)


@case("names that no file system has", says="history")
def _(lab: Lab) -> None:
    lab.plain()
    blob = lab.put("blob", b"1")
    names = (
        b"..",
        b".",
        b".git",
        b"a/b",
        b"/etc/passwd",
        b"",
        b"\n\x1b[2J",
        b"\x01\x02",
        b"\xff\xfe",
        b"a.py",
        b":1 R",
    )
    lab.head(lab.commit_of(lab.tree(dict.fromkeys(names, blob))))


@case("odd modes", says="history")
def _(lab: Lab) -> None:
    lab.plain()
    blob = lab.put("blob", b"1")
    entries = (b"0 a.py", b"777777777 b.py", b"160000 c", b"120000 d", b"40000 e", b"x f", b"100644  g")
    tree = lab.put("tree", b"".join(entry + b"\0" + blob for entry in entries))
    lab.head(lab.commit_of(tree))


@case("a tree that holds itself by name", says="history")
def _(lab: Lab) -> None:
    lab.plain()
    name = bytes(range(20))
    content = b"40000 a\0" + name
    lab.place(name, zlib.compress(b"tree %d\0" % len(content) + content))
    lab.head(lab.commit_of(name))


@case("a commit that is its own parent", says="history")
def _(lab: Lab) -> None:
    lab.plain()
    name = bytes(range(20))
    tree = lab.tree({b"a.py": lab.put("blob", b"1")})
    text = b"tree %b\nparent %b\nauthor a <a@x> 1 +0000\ncommitter a <a@x> 1 +0000\n\nm" % (
        tree.hex().encode(),
        name.hex().encode(),
    )
    lab.place(name, zlib.compress(b"commit %d\0" % len(text) + text))
    lab.head(name)


@case("objects of the wrong kind", says="history")
def _(lab: Lab) -> None:
    lab.plain()
    blob = lab.put("blob", b"1")
    lab.head(lab.commit_of(blob, lab.tree({b"a": blob}), blob))


@case("HEAD is a blob", says="history")
def _(lab: Lab) -> None:
    lab.plain()
    lab.head(lab.put("blob", b"1"))


@case("missing objects", says="history")
def _(lab: Lab) -> None:
    lab.plain(20)
    for folder in sorted(lab.objects.glob("??"))[::2]:
        for file in folder.iterdir():
            file.unlink()


@case("noise in every object", says="history")
def _(lab: Lab) -> None:
    lab.plain(20)
    for folder in lab.objects.glob("??"):
        for file in folder.iterdir():
            data = bytearray(file.read_bytes())
            data[lab.random.randrange(len(data))] ^= 1 << lab.random.randrange(8)
            file.write_bytes(data)


@case("a pack with noise", says="history")
def _(lab: Lab) -> None:
    lab.plain(50)
    lab.git("repack", "-adq")
    for file in (lab.objects / "pack").iterdir():
        file.chmod(0o644)
        data = bytearray(file.read_bytes())
        for _ in range(20):
            data[lab.random.randrange(len(data))] = lab.random.randrange(256)
        file.write_bytes(data)


@case("a pack that is cut off", says="history")
def _(lab: Lab) -> None:
    lab.plain(50)
    lab.git("repack", "-adq")
    for file in (lab.objects / "pack").iterdir():
        file.chmod(0o644)
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


@case("5,000 packs", says=HISTORY)
def _(lab: Lab) -> None:
    lab.plain(3)
    for number in range(5000):
        base = lab.objects / "pack" / f"pack-{number:040x}"
        base.with_suffix(".idx").write_bytes(b"\377tOc" + bytes(1100))
        base.with_suffix(".pack").write_bytes(b"PACK" + bytes(30))


@case("100,000 loose objects that are none", says=HISTORY)
def _(lab: Lab) -> None:
    lab.plain()
    for number in range(100_000):
        folder = lab.objects / f"{number % 256:02x}"
        folder.mkdir(exist_ok=True)
        (folder / f"{number:038x}").touch()


@case("a commit-graph of noise", says="history")
def _(lab: Lab) -> None:
    lab.plain(50)
    lab.git("commit-graph", "write", "--reachable")
    file = lab.objects / "info" / "commit-graph"
    file.chmod(0o644)
    data = bytearray(file.read_bytes())
    for _ in range(50):
        data[lab.random.randrange(20, len(data))] = lab.random.randrange(256)
    file.write_bytes(data)


@case("replaced and grafted commits", says="2 commits")
def _(lab: Lab) -> None:
    last = lab.plain()
    other = lab.commit_of(lab.tree({b"x": lab.put("blob", b"1")}))
    replace = lab.dot_git / "refs" / "replace"
    replace.mkdir()
    (replace / last.hex()).write_text(other.hex() + "\n")
    (lab.dot_git / "info").mkdir()
    (lab.dot_git / "info" / "grafts").write_text(f"{last.hex()} {other.hex()}\n")


@case("a partial clone without its contents", says="1 commit|history")
def _(lab: Lab) -> None:
    lab.plain(5)
    with (lab.dot_git / "config").open("a") as config:
        config.write(
            '[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\tpromisor = true\n\turl = ext::touch %S\n'
        )
    for folder in lab.objects.glob("??"):
        for file in folder.iterdir():
            if zlib.decompress(file.read_bytes()).startswith(b"blob"):
                file.unlink()


# -- references and places -----------------------------------------------------------------------------------------


@case("references in a circle", says="no commits")
def _(lab: Lab) -> None:
    lab.plain()
    for one, other in (("main", "a"), ("a", "b"), ("b", "main")):
        (lab.dot_git / "refs" / "heads" / one).write_text(f"ref: refs/heads/{other}\n")


@case("references out of the repository", says="no commits")
def _(lab: Lab) -> None:
    lab.plain()
    (lab.beside / "secret").write_text("a" * 40)
    (lab.dot_git / "HEAD").write_text("ref: refs/../../../beside/secret\n")


@case("HEAD of noise", says="history")
def _(lab: Lab) -> None:
    lab.plain()
    (lab.dot_git / "HEAD").write_bytes(lab.random.randbytes(5000))


@case("200,000 packed references", says=HISTORY)
def _(lab: Lab) -> None:
    commit = lab.plain().hex()
    (lab.dot_git / "refs/heads/main").unlink()
    lines = [f"{commit} refs/heads/a{i:07d}\n" for i in range(200_000)]
    (lab.dot_git / "packed-refs").write_text("".join([*lines, f"{commit} refs/heads/main\n"]))


@case("a reftable", says="reftable")
def _(lab: Lab) -> None:
    lab.plain()
    (lab.dot_git / "reftable").mkdir()
    (lab.dot_git / "HEAD").write_text("ref: refs/heads/.invalid\n")


@case(".git leads to itself", says="does not lead to a git repository")
def _(lab: Lab) -> None:
    lab.write({"a.py": b""})
    lab.dot_git.write_text("gitdir: .git\n")


@case(".git leads out", says=HISTORY)
def _(lab: Lab) -> None:
    lab.plain()
    lab.dot_git.rename(lab.beside / "repository")
    lab.dot_git.write_text("gitdir: ../beside/repository\n")


@case("commondir leads in a circle", says="history")
def _(lab: Lab) -> None:
    lab.plain()
    (lab.dot_git / "commondir").write_text("../.git/../.git/.\n")


@case("a linked work tree", says=HISTORY)
def _(lab: Lab) -> None:
    lab.plain()
    lab.root.rename(lab.beside / "main")
    lab.git("worktree", "add", "-q", "-b", "other", str(lab.root), at=lab.beside / "main")


@case("a linked work tree whose repository is gone", says="does not lead to a git repository")
def _(lab: Lab) -> None:
    lab.write({"a.py": b""})
    lab.dot_git.write_text("gitdir: /nowhere/at/all/.git/worktrees/x\n")


@case("submodules in a circle", says=HISTORY)
def _(lab: Lab) -> None:
    commit = lab.plain()
    lab.write(
        {".gitmodules": b'[submodule "s"]\n\tpath = s\n\turl = ./\n', "s/.git": b"gitdir: ../.git\n", "s/a.py": b""}
    )
    lab.head(lab.commit_of(lab.tree({b"s": commit}, mode=b"160000"), commit))


@case("databases that borrow in a circle", says=HISTORY)
def _(lab: Lab) -> None:
    lab.plain()
    for name in ("a", "b"):
        (lab.beside / name / "info").mkdir(parents=True)
    (lab.objects / "info" / "alternates").write_text(f"{lab.beside}/a\n{lab.objects}\n")
    (lab.beside / "a" / "info" / "alternates").write_text(f"{lab.beside}/b\n")
    (lab.beside / "b" / "info" / "alternates").write_text(f"{lab.beside}/a\n{lab.objects}\n../../root/.git/objects\n")


@case("20,000 borrowed databases", says="history")
def _(lab: Lab) -> None:
    lab.plain()
    (lab.objects / "info" / "alternates").write_text("".join(f"{lab.beside}/{i}\n" for i in range(20_000)))


@case("borrows from the whole disk", says="history")
def _(lab: Lab) -> None:
    lab.plain()
    (lab.objects / "info" / "alternates").write_text("/\n/dev\n/proc\n/proc/self/fd\n/sys\n")


@case("a shallow clone of noise", says="history")
def _(lab: Lab) -> None:
    lab.plain()
    (lab.dot_git / "shallow").write_bytes(lab.random.randbytes(1_000_000))


@case("a shallow clone of a million commits", says="shallow is larger")
def _(lab: Lab) -> None:
    lab.plain()
    (lab.dot_git / "shallow").write_text("".join(f"{i:040x}\n" for i in range(1_000_000)))


@case("SHA-256 names in a SHA-1 repository", says="history")
def _(lab: Lab) -> None:
    lab.plain()
    (lab.dot_git / "refs/heads/main").write_text("a" * 64 + "\n")


@case("10,000 repositories inside", says=HISTORY)
def _(lab: Lab) -> None:
    lab.plain()
    for number in range(10_000):
        (lab.root / f"m{number}").mkdir()
        (lab.root / f"m{number}" / ".git").write_text("gitdir: ../.git\n")


# -- the index -------------------------------------------------------------------------------------------------------


def _entry(path: bytes, *, mode: int = 0o100644, strip: int | None = None) -> bytes:
    """One entry of an index: version 2, or version 4 where `strip` says how much of the last path goes."""
    head = struct.pack(">6I", 0, 0, 0, 0, 0, 0) + struct.pack(">4I", mode, 0, 0, 0) + EMPTY
    if strip is None:
        entry = head + struct.pack(">H", min(len(path), 0xFFF)) + path
        return entry + bytes(8 - len(entry) % 8)
    return head + struct.pack(">H", 0xFFF) + _number(strip) + path + b"\0"


def _number(value: int) -> bytes:
    """As in an offset delta of a pack."""
    found = [value & 127]
    while value := value >> 7:
        value -= 1
        found.append(128 | value & 127)
    return bytes(reversed(found))


def _index(lab: Lab, version: int, *entries: bytes) -> None:
    lab.plain()
    lab.write({".gitignore": b"*.log\nignored/\n", "a.log": b"", "ignored/a.py": b""})  # else nobody asks the index
    (lab.dot_git / "index").write_bytes(
        struct.pack(">4sII", b"DIRC", version, len(entries)) + b"".join(entries) + EMPTY
    )


@case("an index with a path of 500,000 levels", says="index")
def _(lab: Lab) -> None:
    _index(lab, 2, _entry(b"a/" * 500_000 + b"b"))


@case("an index with 500 paths of 2,000 levels", says=HISTORY)
def _(lab: Lab) -> None:
    _index(lab, 2, *(_entry(b"%d/" % i + b"a/" * 2000 + b"b") for i in range(500)))


@case("an index of 36,000 kept prefixes", says="index")
def _(lab: Lab) -> None:
    _index(lab, 4, _entry(b"a" * 65_000, strip=0), *(_entry(b"%05d" % i, strip=5) for i in range(36_000)))


@case("an index with a million files", says=HISTORY)
def _(lab: Lab) -> None:
    _index(lab, 2, *(_entry(b"src/%d/%d.py" % (i % 1000, i)) for i in range(1_000_000)))


@case("an index with four billion entries", says=HISTORY)
def _(lab: Lab) -> None:
    _index(lab, 2)
    sparse(lab.dot_git / "index", 99_000_000, struct.pack(">4sII", b"DIRC", 2, 2**32 - 1))


for _version in (0, 1, 3, 5, 99, 2**32 - 1):

    @case(f"an index of version {_version}", says=HISTORY)
    def _(lab: Lab, version: int = _version) -> None:
        _index(lab, version, _entry(b"a.log"), lab.random.randbytes(200))


@case("a split index", says=HISTORY)
def _(lab: Lab) -> None:
    _index(lab, 2, _entry(b"a.log"))
    with (lab.dot_git / "index").open("ab") as file:
        file.write(b"link" + struct.pack(">I", 20) + bytes(range(20)))
