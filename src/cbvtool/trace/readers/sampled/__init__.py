"""Sampled call stacks as text, as profilers of whole systems print them."""
