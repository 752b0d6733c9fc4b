"""Widgets that show the plots of views and turn mouse, wheel and keys into their events."""
