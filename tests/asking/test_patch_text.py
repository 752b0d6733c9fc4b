"""Where a line stands in a patch (TD-14)."""

from __future__ import annotations

from cbvtool.asking.patch_text import place_of_line, without_head

PATCH = """\
diff --git a/m.py b/m.py
--- a/m.py
+++ b/m.py
@@ -2,3 +2,4 @@ def f():
 two
-three
+THREE
+more
 four
@@ -20 +22,2 @@
 x
+y"""


def test_td_14_a_line_of_the_newer_file_in_a_patch() -> None:
    """TD-14: The line itself, or the head of the nearest hunk; of a patch without hunks its begin."""
    text = without_head(PATCH)
    lines = text.splitlines()
    assert lines[0] == "@@ -2,3 +2,4 @@ def f():"
    assert [lines[place_of_line(text, line)] for line in (2, 3, 4, 5)] == [" two", "+THREE", "+more", " four"]
    assert [lines[place_of_line(text, line)] for line in (1, 10, 15, 23, 99)] == [
        lines[0],
        lines[0],
        "@@ -20 +22,2 @@",
        "+y",
        "@@ -20 +22,2 @@",
    ]
    assert place_of_line("", 4) == 0
    assert without_head("diff --git a/m.py b/m.py\nold mode 1\n") == ""
