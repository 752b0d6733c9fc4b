       >>SOURCE FORMAT IS FREE
*> GLREPORT - the trial balance. Newer than the rest, in free format.
identification division.
program-id. GLREPORT.
data division.
working-storage section.
copy GLTABLE.
01 ws-line.
   05 ws-number  pic 9(4).
   05 filler     pic x(2) value spaces.
   05 ws-name    pic x(20).
   05 ws-balance pic -(8)9.99.
01 ws-total      pic s9(9)v99 comp-3 value 0.
procedure division.
main-part.
    perform one-line varying glt-x from 1 by 1 until glt-x > glt-count
    if ws-total not = 0
        display "OUT OF BALANCE"
    end-if
    goback.

one-line.
    move glt-number (glt-x) to ws-number
    move glt-name (glt-x) to ws-name
    move glt-balance (glt-x) to ws-balance
    add glt-balance (glt-x) to ws-total
    display ws-line.
end program GLREPORT.
