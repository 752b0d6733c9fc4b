"""A plan handed over to the tools of a team: issues, a checklist, and rules that hold once it is done."""
