"""The rules of an architecture: read from a file, checked for violations; and cycles."""

from cbvtool.config import FILE_NAME
from cbvtool.rules.cycles import components, cycles, tangles
from cbvtool.rules.dependencies import dependencies, files, folders
from cbvtool.rules.rules_file import Deny, Rules, parse_rules, read_rules
from cbvtool.rules.violations import Violation, breaking, run_time_violations, skipped_layers, unknown_nodes, violations

__all__ = [
    "FILE_NAME",
    "Deny",
    "Rules",
    "Violation",
    "breaking",
    "components",
    "cycles",
    "dependencies",
    "files",
    "folders",
    "parse_rules",
    "read_rules",
    "run_time_violations",
    "skipped_layers",
    "tangles",
    "unknown_nodes",
    "violations",
]
