"""Shows the buildings of a town: their surfaces, who owns how much, and which are neighbours."""
