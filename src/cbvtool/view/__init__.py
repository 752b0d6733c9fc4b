"""The only package that uses Qt: toolkit < canvas < panels < commands < window, lower ones first."""
