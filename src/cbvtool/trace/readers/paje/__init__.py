"""Traces in the Paje format (SimGrid, StarPU and others), and what pj_dump makes of them."""
