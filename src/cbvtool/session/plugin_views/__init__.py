"""Views of plugins without a window: what they are opened on, their state, their slow work, what they draw and ask."""
