"""Asked by `apply`: the moves and renames of a plan, carried out by rope (MoveModule and Rename), one after the other.

    python apply_rope.py FOLDER STEPS

STEPS is JSON: ["package", FOLDER, NAME], ["move", PATH, FOLDER], ["rename", PATH, NAME], each path as it is then.
Changes the files in FOLDER. Prints the first error, if any step could not be done; exit status 1 then.
"""

import json
import os
import sys

from rope.base.project import Project
from rope.refactor.move import MoveModule
from rope.refactor.rename import Rename


def main():
    folder, steps = sys.argv[1], json.loads(sys.argv[2])
    project = Project(folder, ropefolder=None)
    for what, first, second in steps:
        try:
            if what == "package":
                os.makedirs(os.path.join(folder, first, second), exist_ok=True)
                with open(os.path.join(folder, first, second, "__init__.py"), "a"):
                    pass
                continue
            resource = project.get_resource(first)
            if what == "move":
                changes = MoveModule(project, resource).get_changes(project.get_resource(second))
            else:
                changes = Rename(project, resource).get_changes(second.removesuffix(".py"))
            project.do(changes)
        except Exception as error:
            print(f"{what} {first} {second}: {type(error).__name__}: {error}"[:300])
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
