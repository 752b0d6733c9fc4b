"""The named plans of the open document: choosing one, making others, copying steps, judging them side by side."""
