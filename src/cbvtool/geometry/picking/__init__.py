"""From a point of the picture to the item or relation drawn there."""
