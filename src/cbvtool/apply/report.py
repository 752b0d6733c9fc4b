"""What came of carrying out a plan, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from cbvtool.apply.applying import Applied, DoneTask
from cbvtool.plan.task import counted

FORMAT, VERSION = "cbvtool-applied", 1
_SHORT = 7
_SHOWN = 20  # lines of a list in the text
_LAST = 5  # lines of what tests say without the plan


def to_text(found: Applied, to: str) -> str:
    """The report for people; `to` is the branch or patch that was asked for."""
    return "\n".join(_lines(found, to)) + "\n"


def _lines(found: Applied, to: str) -> Iterator[str]:
    yield f"Plan {found.plan!r} on {found.subject}, commit {found.base[:_SHORT]}"
    if found.stopped:
        yield ""
        yield f"Stopped: {found.stopped}"
    if found.done:
        yield ""
        yield "Carried out:"
        for done in found.done:
            yield f"  {done.task.number}. {done.task.title} ({_work(done)})"
    if found.forwards:
        yield ""
        yield f"Left under their old names ({counted(len(found.forwards), 'module')}):"
        yield from (f"  {one.path} leads to {one.target}" for one in found.forwards[:_SHOWN])
        if len(found.forwards) > _SHOWN:
            yield f"  and {len(found.forwards) - _SHOWN:,} more, see --format json"
    if found.left_out:
        yield ""
        yield "Left out:"
        yield from (f"  {left.task.number}. {left.task.title}: {left.reason}" for left in found.left_out)
    if found.proof is not None:
        yield ""
        yield from _proof(found)
    if found.by_hand:
        yield ""
        yield f"To be looked at by hand ({counted(len(found.by_hand), 'line')}):"
        for line in found.by_hand[:_SHOWN]:
            yield f"  {line.file}:{line.line}: {line.reason}: {line.text}"
        if len(found.by_hand) > _SHOWN:
            yield f"  and {len(found.by_hand) - _SHOWN:,} more, see --format json"
    yield ""
    yield _outcome(found, to)


def _work(done: DoneTask) -> str:
    parts = [counted(len(done.moved), "file") + " moved", counted(len(done.rewritten), "file") + " rewritten"]
    if done.made:
        parts.append(f"{', '.join(done.made)} made")
    if not (done.moved or done.rewritten or done.made or done.commit):
        return "no file, so nothing to commit: git keeps no empty folders"
    return ", ".join([*parts, done.commit[:_SHORT] or "no commit"])


def _proof(found: Applied) -> Iterator[str]:
    proof = found.proof
    assert proof is not None
    planned = "the one of the tasks that are carried out" if found.left_out else "the planned one"
    if proof.holds:
        yield f"The import graph is {planned}: {counted(proof.imports, 'import')} between files."
    else:
        yield f"The import graph is not {planned}: {len(proof.missing):,} missing, {len(proof.extra):,} more."
        yield from (f"  missing: {source} -> {target}" for source, target in proof.missing[:_SHOWN])
        yield from (f"  not planned: {source} -> {target}" for source, target in proof.extra[:_SHOWN])
    yield from (
        f"  no import in the plan, and right: {source} -> {target}" for source, target in proof.declared[:_SHOWN]
    )
    if found.imported is not None and found.imported[0]:
        yield f"Of {counted(found.imported[0], 'module')} that could be imported, {found.imported[1]:,} still can."
        yield from (f"  no more: {module}" for module in found.lost[:_SHOWN])
    if found.tests is not None:
        status = "did not end in time" if found.tests.status is None else f"ended with status {found.tests.status}"
        yield f"The tests, {found.tests.command!r}, {status}."
        if found.tests.status != 0:
            yield from (f"  | {line}" for line in found.tests.said.splitlines()[-_SHOWN:])
        if found.tests.before is not None:
            yield f"Without the plan they end with status {found.tests.before}. Compare what fails: the same, or more?"
            yield from (f"  | {line}" for line in found.tests.told.splitlines()[-_LAST:])


def _outcome(found: Applied, to: str) -> str:
    if found.stopped:
        return "Nothing was written."
    if not to:
        return "Nothing was written: name a branch or a patch with --to."
    return f"Written to {to}."


def to_json(found: Applied, to: str) -> str:
    """The report for programs; its schema is in the documentation."""
    data: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "subject": found.subject,
        "plan": found.plan,
        "base": found.base,
        "commit": found.commit,
        "written": "" if found.stopped else to,
        "stopped": found.stopped,
        "done": [
            {
                "number": done.task.number,
                "title": done.task.title,
                "commit": done.commit,
                "moved": [{"from": old, "to": new} for old, new in sorted(done.moved.items())],
                "rewritten": list(done.rewritten),
                "made": list(done.made),
            }
            for done in found.done
        ],
        "left_out": [
            {"number": left.task.number, "title": left.task.title, "reason": left.reason} for left in found.left_out
        ],
        "forwards": [{"path": one.path, "target": one.target} for one in found.forwards],
        "by_hand": [
            {"file": line.file, "line": line.line, "text": line.text, "reason": line.reason} for line in found.by_hand
        ],
        "proof": None
        if found.proof is None
        else {
            "holds": found.proof.holds,
            "imports": found.proof.imports,
            "missing": [list(edge) for edge in found.proof.missing],
            "extra": [list(edge) for edge in found.proof.extra],
            "declared": [list(edge) for edge in found.proof.declared],
        },
        "imported": None
        if found.imported is None
        else {"before": found.imported[0], "after": found.imported[1], "lost": list(found.lost)},
        "tests": None
        if found.tests is None
        else {
            "command": found.tests.command,
            "status": found.tests.status,
            "said": found.tests.said,
            "before": found.tests.before,
            "told": found.tests.told,
        },
    }
    return json.dumps(data, indent=2) + "\n"
