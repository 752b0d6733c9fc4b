"""Names that a plan gives: what the languages of the code take for one."""
