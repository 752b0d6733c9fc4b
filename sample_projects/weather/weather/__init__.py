"""Weather of a year: python -m weather rain, python -m weather charts."""
