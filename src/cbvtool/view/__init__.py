"""The only room that knows Qt: toolkit < canvas < panels < commands < window, lower ones first."""
