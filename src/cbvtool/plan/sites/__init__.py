"""Where the code must change for a plan: places with line, kind and certainty, by the rules of each language."""
