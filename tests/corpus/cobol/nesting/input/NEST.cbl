       IDENTIFICATION DIVISION.
       PROGRAM-ID. NEST.
       PROCEDURE DIVISION.
       PERIODS.
           IF A = 1
               IF B = 2 AND C = 3
                   MOVE 1 TO D
               ELSE
                   IF E = 4
                       MOVE 2 TO D
                   ELSE
                       NEXT SENTENCE
           ELSE
               MOVE 3 TO D.
           MOVE 4 TO D.
       SCOPES.
           EVALUATE TRUE ALSO A
               WHEN B > 1 OR C > 1 ALSO 1
               WHEN OTHER
                   PERFORM UNTIL D = 1
                       IF E = 1 THEN
                           MOVE 1
                             TO A
                           ADD 1 TO B
      *                    Not code.
                       ELSE
                           MOVE 2 TO A
                       END-IF
                   END-PERFORM
           END-EVALUATE
           MOVE 5 TO D.
       LADDER.
           IF A = 1 MOVE 1 TO B
           ELSE IF A = 2 MOVE 2 TO B
           ELSE IF A = 3 MOVE 3 TO B
           ELSE IF A = 4 MOVE 4 TO B
           ELSE MOVE 5 TO B
           END-IF END-IF END-IF END-IF.
