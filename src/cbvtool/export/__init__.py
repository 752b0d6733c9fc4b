"""Pictures that leave the program: the flat view as SVG and PDF, and the scene as a page for a browser."""
