"""What the user is told meanwhile."""
