"""Coverage: which lines tests reached, as other programs measured it, and which functions a trace entered."""
