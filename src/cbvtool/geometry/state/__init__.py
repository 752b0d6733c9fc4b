"""The view state, the styles that it can take, and views that the user has named."""
