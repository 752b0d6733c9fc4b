"""Relations become curves: control paths through the tree, then splines, as arrays."""
