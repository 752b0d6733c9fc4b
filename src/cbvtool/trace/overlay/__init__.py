"""A trace over the code: relations and values of nodes from the calls of a time window."""
