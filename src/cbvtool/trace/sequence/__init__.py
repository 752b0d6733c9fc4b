"""Calls one after the other over a hierarchy: sequence views, parts that repeat, two side by side. No Qt."""
