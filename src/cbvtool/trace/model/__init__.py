"""What a trace and a profile are: frozen columns, and the names they use."""
