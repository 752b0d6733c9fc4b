"""What a plan, or one step of it, is worth: figures of the modules before and after, and what changes them."""
