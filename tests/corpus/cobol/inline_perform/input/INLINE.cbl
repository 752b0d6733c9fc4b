       IDENTIFICATION DIVISION.
       PROGRAM-ID. INLINE.
       PROCEDURE DIVISION.
       MAIN.
           PERFORM UNTIL DONE
               PERFORM STEP-1
               PERFORM 3 TIMES
                   PERFORM STEP-2 WS-N TIMES
               END-PERFORM
           END-PERFORM
           PERFORM WS-N TIMES
               PERFORM STEP-2
           END-PERFORM
           PERFORM WS-T (WS-N) TIMES
               CONTINUE
           END-PERFORM
           PERFORM WITH TEST AFTER VARYING I FROM 1 BY 1 UNTIL I > 5
                   AFTER J FROM 1 BY 1 UNTIL J > 5 OR DONE
               EXIT PERFORM
           END-PERFORM.
           PERFORM DISPLAY "ONCE" END-PERFORM.
           PERFORM STEP-1 WITH TEST BEFORE UNTIL DONE.
           PERFORM 100-STEP.
           PERFORM 200 5 TIMES.
       STEP-1. CONTINUE.
       STEP-2. CONTINUE.
       100-STEP.
           EXIT PARAGRAPH.
       200.
           EXIT.
