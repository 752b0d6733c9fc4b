"""COBOL."""
