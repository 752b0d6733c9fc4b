"""Evolution: a project measured at commits over its history, each node followed through renames."""
