"""Traces and profiles as files: the mapped folder, Parquet, and formats for other programs."""
