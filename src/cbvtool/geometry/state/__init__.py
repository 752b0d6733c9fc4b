"""What a view is asked to show: its state, the styles it can take, and the views that were given a name."""
