"""The panels around the picture, each with its model."""
