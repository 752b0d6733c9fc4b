"""What the architecture promises: rules from a file, their violations, and cycles."""

from cbvtool.config import FILE_NAME
from cbvtool.rules.cycles import components, cycles, tangles
from cbvtool.rules.dependencies import dependencies, files, folders
from cbvtool.rules.rules_file import Deny, Rules, parse_rules, read_rules
from cbvtool.rules.violations import Violation, breaking, unknown_nodes, violations

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
    "tangles",
    "unknown_nodes",
    "violations",
]
