"""Recording a Python program: the recorder, which runs in its interpreter, and how it comes in."""
