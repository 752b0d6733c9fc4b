"""Runs a Python program and notes which code objects it enters, how often: python code_objects.py OUT.json ARGUMENTS.

Standard library alone, for any Python from 3.11 on: it runs in the environment of the subject. ARGUMENTS are those of
`python`: `-m MODULE ...`. What is written: [file, qualified name, first line, calls] of each code object.
"""

import json
import os
import runpy
import sys
import threading
from types import CodeType

counts: dict[CodeType, int] = {}


def note(frame, event, _argument):
    if event == "call":
        code = frame.f_code
        counts[code] = counts.get(code, 0) + 1


def main() -> None:
    out, flag, module, *arguments = sys.argv[1:]
    assert flag == "-m"
    sys.argv = [module, *arguments]
    sys.path.insert(0, os.getcwd())
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    finally:
        sys.setprofile(None)
        rows = [
            [os.path.abspath(code.co_filename) if code.co_filename[:1] != "<" else code.co_filename]
            + [code.co_qualname, code.co_firstlineno, number]
            for code, number in list(counts.items())
        ]
        with open(out, "w") as file:
            json.dump(rows, file)


main()
