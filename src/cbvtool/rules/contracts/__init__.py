"""Contracts of import-linter, on the imports that cbvtool found."""
