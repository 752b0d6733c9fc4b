"""A mill whose threads wait for each other in ways that are worth finding: `python -m mill` runs it for two seconds."""
