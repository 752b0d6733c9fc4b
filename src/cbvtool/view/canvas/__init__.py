"""The picture on the screen: what draws it, and what the mouse and the keys do on it."""
