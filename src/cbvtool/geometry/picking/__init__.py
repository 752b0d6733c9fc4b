"""From a place on the picture to what is drawn there."""
