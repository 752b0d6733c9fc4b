"""Parts of the reader of own recordings."""
