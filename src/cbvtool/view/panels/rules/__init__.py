"""Rules, made and edited in a dialog."""
