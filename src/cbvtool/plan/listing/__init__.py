"""What the task list is made with: words, keys, order, what people noted, what rules say of it."""
