"""`cbvtool plan`: its commands, each in a module of its own."""
