"""The activity-to-structure map m (002 §5.1.3): which node of the code a function of a trace is."""
