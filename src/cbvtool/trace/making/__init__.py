"""From what readers find, begin and end events or samples in time, to calls."""
