"""What Help offers: the guide."""
