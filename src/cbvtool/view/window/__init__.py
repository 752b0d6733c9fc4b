"""The main window: it puts panels, commands and the picture together, and opens what they show."""
