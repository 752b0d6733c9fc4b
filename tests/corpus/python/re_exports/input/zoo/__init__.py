from zoo._cat import Cat as Cat
from ._dog import Dog, bark
from . import _fish
__all__ = ["Cat", "Dog", "Fish"]
Fish = _fish.Fish
