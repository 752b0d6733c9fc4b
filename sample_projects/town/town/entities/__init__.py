"""What a town consists of."""
