"""The traces of the open document: which are open, which nodes their functions are, and the window of time shown."""
