"""Two hierarchies in the picture of two threads: as it is against as planned, or two versions (TD-8)."""
