"""History: a git repository becomes the changes of its files. No other package uses git."""

from cbvtool.mining.changes import Changes
from cbvtool.mining.churn import Churn
from cbvtool.mining.dirty import changed_files, is_dirty
from cbvtool.mining.keeper import Keeper
from cbvtool.mining.locate import is_bare_repository
from cbvtool.mining.processes import Processes
from cbvtool.mining.read import has_commit, head_commit, read_changes, work_tree_of
from cbvtool.mining.read_churn import read_churn
from cbvtool.mining.tags import read_tags
from cbvtool.mining.versions import Versions, open_versions

__all__ = [
    "Changes",
    "Churn",
    "Keeper",
    "Processes",
    "Versions",
    "changed_files",
    "has_commit",
    "head_commit",
    "is_bare_repository",
    "is_dirty",
    "open_versions",
    "read_changes",
    "read_churn",
    "read_tags",
    "work_tree_of",
]
