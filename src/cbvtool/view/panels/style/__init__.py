"""The panel that says what height, colour and size stand for, with its parts."""
