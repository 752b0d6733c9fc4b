"""Commands about many runs of a program."""
