"""Traces: what programs did, as columns of calls; read, recorded, kept, mapped to the code and laid over it."""
