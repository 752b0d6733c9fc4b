"""Files of towns."""
