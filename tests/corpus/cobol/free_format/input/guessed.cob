*> No directive: the lines do not keep to columns.
identification division.
program-id. guessed.
procedure division.
main-part.
  perform one-step *> perform never
  display "a line that is far longer than what fits between columns eight and seventy-two" perform two-step
  if a = b perform one-step else
perform three-step end-if
.
one-step.
  copy never-there.
two-step. exit.
three-step. exit.
