"""What is painted over and around the rings: names, legends, values, the mini-map."""
