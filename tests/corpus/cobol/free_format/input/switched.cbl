000100 IDENTIFICATION DIVISION.                                         12345678
000200 PROGRAM-ID. SWITCHED.
      * Fixed so far, but from the next line on free.
       >>SOURCE FORMAT IS FREE
PROCEDURE DIVISION.
MAIN.
PERFORM ONE-STEP.
      *> A comment.
>>D PERFORM TWO-STEP.
       $SET SOURCEFORMAT"FIXED"
000900     PERFORM THREE-STEP.                                          .
      * PERFORM TWO-STEP.
       ONE-STEP. EXIT.
       TWO-STEP. EXIT.
       THREE-STEP. EXIT.
