      *****************************************************************
      * GLMAIN - posts the journal of a period, closes it, reports.   *
      *****************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. GLMAIN.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           COPY GLENTRY.
       01  WS-REASON                   PIC X(30) VALUE SPACES.
       01  WS-STEP-TABLE.
           05  FILLER                  PIC X(8) VALUE 'GLCLOSE'.
           05  FILLER                  PIC X(8) VALUE 'GLREPORT'.
       01  WS-STEPS REDEFINES WS-STEP-TABLE.
           05  WS-STEP                 PIC X(8) OCCURS 2 TIMES.
       01  WS-STEP-NO                  PIC 9.
       01  WS-POSTING                  PIC X(8) VALUE 'GLPOST'.
       PROCEDURE DIVISION.
       0000-MAIN.
           CALL 'GLOPEN' ON EXCEPTION
               MOVE 'NO ACCOUNTS' TO WS-REASON
               PERFORM GLMAIN-STOP
           END-CALL.
           PERFORM 1000-JOURNAL THRU 1000-EXIT.
           PERFORM VARYING WS-STEP-NO FROM 1 BY 1 UNTIL WS-STEP-NO > 2
               CALL WS-STEP (WS-STEP-NO)
           END-PERFORM.
           STOP RUN.
      *---------------------------------------------------------------*
       1000-JOURNAL.
           MOVE '2024022910004000000150000' TO GL-ENTRY.
           PERFORM 1100-POST.
           MOVE '2024022950001000000040050' TO GL-ENTRY.
           PERFORM 1100-POST.
           MOVE '2023022950001000000000001' TO GL-ENTRY.
           PERFORM 1100-POST.
           GO TO 1000-EXIT.
       1100-POST.
           CALL WS-POSTING USING GL-ENTRY.
           IF NOT GLE-GOOD
               DISPLAY 'REFUSED ' GLE-STATUS ': ' GLE-DATE
           END-IF.
       1000-EXIT.
           EXIT.
           COPY GLSTOP REPLACING ==:PFX:== BY ==GLMAIN==.
       END PROGRAM GLMAIN.
