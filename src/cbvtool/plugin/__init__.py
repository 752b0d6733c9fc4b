"""What plugins contribute besides metrics, as values and protocols: views, readers, overlays, commands. Without Qt."""
