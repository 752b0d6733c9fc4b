"""Proposals: steps of a plan that better a figure, each with its reason and with both figures (NEW-2)."""
