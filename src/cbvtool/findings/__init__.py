"""Findings: what is worth a look in a code base, ranked, in words (NEW-21)."""
