"""Many runs of a program beside each other: what each spent at each node of one calling context tree (CF-1; 004, 4).

runs       a run: its profile, its parameters, the metric that is compared
ensemble   the union of their trees, with the values of all runs
grouping   which nodes make a module, by file, table, pattern or code
groups     the call graph of modules, with the values of all runs
similarity which runs are alike, a map of them, groups
"""
