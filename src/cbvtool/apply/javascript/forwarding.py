"""Scripts that stay under their old names and pass on what the new ones export."""

from __future__ import annotations

import posixpath
import re

from cbvtool.apply.javascript.source import script_source
from cbvtool.apply.stopped import Stopped

_SAYS = "// Moved to {new}. This name stays for code elsewhere that imports it.\n"
_EXPORTS = re.compile(rb"\bexports\b")
_WHOLE = re.compile(rb"^export\s*=", re.MULTILINE)
_COMPILED = {".ts": ".js", ".tsx": ".js", ".mts": ".mjs", ".cts": ".cjs"}


def forwarding_script(path: str, new: str, content: bytes, *, with_endings: bool) -> bytes | None:
    """The script at `path` that leads to the one at `new`, which has this content; None = that exports nothing.

    with_endings  whether TypeScript here writes `./x.js` to import x.ts

    Raises Stopped for what no script can pass on.
    """
    if re.search(r"\.d\.[cm]?ts$", path):
        return None
    source = script_source(path, content)
    if not source.exports and (source.is_module or not _EXPORTS.search(content)):
        return None
    if _WHOLE.search(content):
        raise Stopped(f"{path} exports one value as a whole, which is not passed on: leave --forward out.", path)
    stem, suffix = posixpath.splitext(posixpath.relpath(new, posixpath.dirname(path) or "."))
    name = stem + (_COMPILED.get(suffix, suffix) if with_endings or suffix not in (".ts", ".tsx") else "")
    name = name if name.startswith("../") else f"./{name}"
    says = _SAYS.format(new=new)
    if not source.exports:
        return f'{says}module.exports = require("{name}");\n'.encode()
    default = f'export {{ default }} from "{name}";\n' if source.exports_default else ""
    return f'{says}export * from "{name}";\n{default}'.encode()
