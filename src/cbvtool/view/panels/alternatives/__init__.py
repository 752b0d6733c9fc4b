"""The named plans of a document in the window: chosen, made, compared, and steps copied between them (NEW-6)."""
