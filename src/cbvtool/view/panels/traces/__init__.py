"""The panel of traces: time, threads and what was called."""
