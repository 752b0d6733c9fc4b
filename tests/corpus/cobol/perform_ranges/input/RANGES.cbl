       IDENTIFICATION DIVISION.
       PROGRAM-ID. RANGES.
       PROCEDURE DIVISION.
       MAIN-LOGIC SECTION.
       BEGIN-HERE.
           PERFORM STEP-1 THRU STEP-3.
           PERFORM STEP-1
              THROUGH STEP-1-EXIT
              VARYING N FROM 1 BY 1 UNTIL N > 3.
           PERFORM FIRST-PART THRU LAST-PART.
           STOP RUN.
       WORK SECTION.
       STEP-1.
           CONTINUE.
       STEP-1-EXIT.
           EXIT.
       STEP-2.
           CONTINUE.
       STEP-3.
           CONTINUE.
       FIRST-PART SECTION.
       FIRST-1.
           CONTINUE.
       MIDDLE-PART SECTION.
       MIDDLE-1.
           CONTINUE.
       MIDDLE-2.
           PERFORM STEP-3 THRU FIRST-1.
       LAST-PART SECTION.
       LAST-1.
           CONTINUE.
