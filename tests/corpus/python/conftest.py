"""The inputs are material to analyse; some are named like tests."""

collect_ignore_glob = ["*"]
