"""Reports for people who do not open the tool: one page for a browser, and fact sheets of modules (NEW-8, NEW-15)."""
