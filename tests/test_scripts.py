"""Scripts/setup.sh and run.sh say what is missing and what to type, on machines of every sort.

The scripts run in a copy of the checkout with a PATH of their own, whose programs are what the test puts there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOOLS = (
    "bash",
    "dirname",
    "basename",
    "realpath",
    "cksum",
    "cut",
    "cat",
    "tr",
    "mkdir",
    "mktemp",
    "rm",
    "grep",
    "id",
    "uname",
    "env",
)

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the scripts know Debian and Ubuntu")


class Machine:
    """A checkout with the scripts alone, and a folder of programs that is the whole PATH."""

    def __init__(self, folder: Path) -> None:
        self.checkout, self.programs = folder / "checkout", folder / "programs"
        (self.checkout / "requirements").mkdir(parents=True)
        shutil.copytree(ROOT / "scripts", self.checkout / "scripts")
        for name in ("requirements/run.txt", "requirements/dev.txt", "pyproject.toml"):
            shutil.copy(ROOT / name, self.checkout / name)
        self.programs.mkdir()
        for tool in TOOLS:
            found = shutil.which(tool)
            assert found is not None
            (self.programs / tool).symlink_to(found)
        self.put("id", "echo 1000")

    def put(self, name: str, script: str) -> None:
        """Add a program."""
        file = self.programs / name
        file.unlink(missing_ok=True)
        file.write_text(f"#!/bin/bash\n{script}\n")
        file.chmod(0o755)

    def debian(self, *installed: str) -> None:
        """Have the package manager of Debian, with these packages."""
        cases = " ".join(f"{name}) echo 'install ok installed';;" for name in installed)
        self.put("dpkg-query", f'for name; do case "$name" in {cases} esac; done')
        self.put("apt-get", f"echo apt-get \"$@\" >>'{self.programs}/apt.log'")

    def python(self, *, venv: bool = True, pip: str = "") -> None:
        """Have a Python 3.12; `pip` is what its pip does, as a script."""
        inside = f'case "$*" in *pip*) {pip or "true"};; *) exit 0;; esac'
        self.put(
            "python3",
            f'case "$*" in *ensurepip*) exit {0 if venv else 1};; "-m venv"*) mkdir -p "${{@: -1}}/bin"\n'
            f"cat >\"${{@: -1}}/bin/python\" <<'END'\n#!/bin/bash\n{inside}\nEND\n"
            '"$(type -P env)" chmod 755 "${@: -1}/bin/python";; esac',
        )
        chmod = shutil.which("chmod")
        assert chmod is not None
        (self.programs / "chmod").unlink(missing_ok=True)
        (self.programs / "chmod").symlink_to(chmod)

    def run(self, script: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a script of the checkout."""
        return subprocess.run(
            [self.programs / "bash", self.checkout / "scripts" / script, *arguments],
            env={"PATH": str(self.programs), "HOME": str(self.checkout.parent), **variables},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A bare one, of a user without rights."""
    return Machine(tmp_path)


def test_without_sudo_the_tests_stop_and_the_command_is_for_root(machine: Machine) -> None:
    """Not ten minutes later, worker after worker; and `sudo` is named only where it exists."""
    machine.debian()
    machine.python()
    ended = machine.run("setup.sh", "dev")
    assert ended.returncode == 2
    assert "Type this as root, then run make again:" in ended.stderr
    assert "sudo" not in ended.stderr
    assert not (machine.checkout / ".venv").exists()


def test_one_visit_of_the_administrator_is_enough(machine: Machine) -> None:
    """What is printed for `make run` also installs what `make test` needs, and Python's venv."""
    machine.debian("libgl1")
    machine.python(venv=False)
    machine.put("sudo", "exit 1")
    ended = machine.run("setup.sh", "run")
    assert ended.returncode == 2
    (line,) = [line for line in ended.stderr.splitlines() if line.startswith("  sudo apt-get update && sudo apt-get")]
    assert {"libegl1", "xvfb", "xdotool", "python3-venv"} <= set(line.split())
    assert "libgl1" not in line.split()


def test_run_tries_without_the_libraries(machine: Machine) -> None:
    """They may be there by another way."""
    machine.debian()
    machine.python(pip="exit 0")
    ended = machine.run("setup.sh", "run")
    assert ended.returncode == 0, ended.stderr
    assert "Trying without them." in ended.stderr
    assert (machine.checkout / ".venv" / "run.stamp").exists()


def test_root_installs_what_is_missing(machine: Machine) -> None:
    """No word about typing."""
    machine.debian("libgl1")
    machine.python(pip="exit 0")
    machine.put("id", "echo 0")
    for name in ("Xvfb", "xauth", "xdotool", "openbox"):
        machine.put(name, "true")
    ended = machine.run("setup.sh", "dev")
    assert ended.returncode == 0, ended.stderr
    log = (machine.programs / "apt.log").read_text()
    assert "install" in log
    assert "xvfb" in log
    assert "Type this" not in ended.stderr


@pytest.mark.parametrize("there", [True, False])
def test_what_some_tests_use_is_installed_where_it_can_be(machine: Machine, there: bool) -> None:
    """Where no such package is known the rest goes on, and one sentence says what is skipped."""
    machine.debian()
    machine.python(pip="exit 0")
    machine.put("id", "echo 0")
    machine.put(
        "apt-get",
        f'echo apt-get "$@" >>\'{machine.programs}/apt.log\'; [[ "$*" != *uftrace* ]] || exit {100 * (not there)}',
    )
    for name in ("Xvfb", "xauth", "xdotool", "openbox"):
        machine.put(name, "true")
    ended = machine.run("setup.sh", "dev")
    assert ended.returncode == 0, ended.stderr
    assert (machine.checkout / ".venv" / "dev.stamp").exists()
    assert ("Tests that need these packages will be skipped: uftrace" in ended.stderr) == (not there)
    installs = [line for line in (machine.programs / "apt.log").read_text().splitlines() if "install" in line]
    assert [("uftrace" in line, "xvfb" in line) for line in installs] == [(False, True), (True, False)]
    before = (machine.programs / "apt.log").read_text()
    machine.debian("uftrace")
    (machine.checkout / ".venv" / "bin" / "cbvtool").touch(mode=0o755)
    machine.run("setup.sh", "run")
    assert (machine.programs / "apt.log").read_text().count("uftrace") == before.count("uftrace")


@pytest.mark.parametrize(
    "said", ["NewConnectionError('...: Failed to establish a new connection')", "Temporary failure in name resolution"]
)
def test_no_network(machine: Machine, said: str) -> None:
    """Not "No matching distribution found"."""
    machine.python(pip=f'echo "{said}" >&2; echo "ERROR: No matching distribution found" >&2; exit 1')
    ended = machine.run("setup.sh", "run")
    assert ended.returncode == 2
    assert "No Python package index answers" in ended.stderr
    assert "No matching distribution" not in ended.stderr


def test_another_failure_of_pip_is_shown(machine: Machine) -> None:
    """As pip said it."""
    machine.python(pip='echo "ERROR: hashes do not match" >&2; exit 1')
    ended = machine.run("setup.sh", "run")
    assert ended.returncode == 2
    assert "hashes do not match" in ended.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_checkout_as_a_user(machine: Machine) -> None:
    """One sentence with the remedy."""
    machine.python()
    machine.checkout.chmod(0o555)
    _is_read_only(machine)


def test_a_read_only_checkout(machine: Machine) -> None:
    """The same, in a way that holds for root too: what stands in the way is no folder that can be written."""
    machine.python()
    (machine.checkout / ".venv").symlink_to("/proc/self")
    _is_read_only(machine)


def _is_read_only(machine: Machine) -> None:
    ended = machine.run("setup.sh", "run")
    assert ended.returncode == 2
    assert "copy the checkout into a folder of yours" in ended.stderr


def test_an_old_python(machine: Machine) -> None:
    """What is there, and what to type."""
    machine.put("python3", "echo 'cbvtool runs on ...; this is Python 3.10.13.'; exit 2")
    ended = machine.run("setup.sh", "run", MAKE_GOAL="test")
    assert ended.returncode == 2
    assert "this is Python 3.10.13." in ended.stderr
    assert "PYTHON=/path/to/python3 make test" in ended.stderr


@pytest.fixture
def drawing(machine: Machine) -> Callable[..., subprocess.CompletedProcess[str]]:
    """run.sh where no window can be shown; its Python tells its arguments."""
    python = machine.checkout / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/bash\ncase "$*" in *view.toolkit.display) echo "No display."; exit 1;; esac\necho "$@"\n')
    python.chmod(0o755)
    return lambda *arguments: machine.run("run.sh", *arguments)


def test_without_git_the_checkout_is_drawn(
    machine: Machine, drawing: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """The sample project needs git; it is not tried."""
    ended = drawing()
    assert ended.returncode == 0, ended.stderr
    assert f"-m cbvtool render {machine.checkout} -o {machine.checkout}/out/checkout.png" in ended.stdout
    assert "No display.\nThe picture is in" in ended.stdout


def test_two_folders_of_one_name_have_two_pictures(
    drawing: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    """By a checksum of the path."""
    names = set()
    for parent in ("a", "b"):
        folder = tmp_path / parent / "app"
        folder.mkdir(parents=True)
        names.add(drawing(str(folder)).stdout.splitlines()[-1])
    assert len(names) == 2
    assert all("/app-" in name for name in names)
