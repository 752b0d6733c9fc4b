"""Two versions of a repository compared: renames and contents are read from git, then counted by `difference`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cbvtool.graph import REMOVED, Graph
from cbvtool.mining.scratch import Scratch
from cbvtool.mining.versions import Versions
from cbvtool.rules import Rules
from cbvtool.versions.analysed import Version
from cbvtool.versions.contents import FILE, Contents, contents_of
from cbvtool.versions.difference import Difference, difference, node_changes, same_nodes
from cbvtool.versions.present import present_commit
from cbvtool.versions.tally import Tallies


@dataclass(frozen=True, eq=False)
class VersionPair:
    """Two versions, the files that were renamed or moved from the first to the second, and the contents of both.

    contents  None = those of the work tree cannot be read in time, so that measures decide what changed
    """

    before: Version
    after: Version
    renames: Mapping[str, str]
    contents: Contents | None

    def difference(self, rules: Rules | None = None) -> Difference:
        """What differs; `rules` for both."""
        return difference(self.before.graph, self.after.graph, self.renames, rules, self.contents)

    def tallies(self) -> Tallies:
        """How many nodes differ, as in `difference`."""
        before, after = self.before.graph, self.after.graph
        return node_changes(before, after, same_nodes(before, after, self.renames), self.contents).tallies


def version_pair(versions: Versions, before: Version, after: Version) -> VersionPair:
    """Two commits. Raises InputError."""
    renames = versions.moved(before.commit, after.commit)
    return VersionPair(before, after, renames, contents_of(versions, before, after, renames))


def pair_with_present(scratch: Scratch, before: Version, graph: Graph) -> VersionPair:
    """A commit and the work tree, of which `graph` is the analysis. Raises InputError.

    What is not committed counts, and so does a file that git does not track if it is in the graph.
    """
    keys = (key for key in range(len(graph)) if graph.parent[key] != REMOVED and graph.kind(key) == FILE)
    commit = present_commit(scratch, [graph.files[graph.file[key]] for key in keys])
    if commit is None:
        after = Version("", scratch.head, graph)
        return VersionPair(before, after, scratch.moved(before.commit, scratch.head), None)
    return version_pair(scratch, before, Version("", commit, graph))
