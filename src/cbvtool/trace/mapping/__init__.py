"""The activity-to-structure map m (Trümper 2014, §5.1.3): which node of the code a function of a trace is."""
