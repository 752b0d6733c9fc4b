      * GLCHECK - says what is wrong with an entry. Its dates are
      *           checked by a program inside, which nobody else sees.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. GLCHECK.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-VERDICT                  PIC X VALUE 'N'.
       LINKAGE SECTION.
           COPY GLENTRY.
       PROCEDURE DIVISION USING GL-ENTRY.
       0000-MAIN.
           SET GLE-GOOD TO TRUE.
           CALL 'GLDATE' USING GLE-DATE WS-VERDICT.
           EVALUATE TRUE
               WHEN WS-VERDICT = 'N'
                   SET GLE-BAD-DATE TO TRUE
               WHEN GLE-AMOUNT NOT > 0
                   SET GLE-BAD-AMOUNT TO TRUE
               WHEN GLE-DEBIT = GLE-CREDIT
                   SET GLE-BAD-ACCOUNT TO TRUE
           END-EVALUATE.
           GOBACK.

       IDENTIFICATION DIVISION.
       PROGRAM-ID. GLDATE.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-DAYS                     PIC 99.
       01  WS-QUOTIENT                 PIC 9(4).
       01  WS-REST                     PIC 9(4).
       LINKAGE SECTION.
       01  LS-DATE.
           05  LS-YEAR                 PIC 9(4).
           05  LS-MONTH                PIC 99.
           05  LS-DAY                  PIC 99.
       01  LS-VERDICT                  PIC X.
       PROCEDURE DIVISION USING LS-DATE LS-VERDICT.
       0000-MAIN.
           MOVE 'N' TO LS-VERDICT.
           PERFORM 1000-LENGTH-OF-MONTH.
           IF LS-DAY > 0 AND LS-DAY NOT > WS-DAYS
               MOVE 'Y' TO LS-VERDICT
           END-IF.
           GOBACK.
       1000-LENGTH-OF-MONTH.
           EVALUATE LS-MONTH
               WHEN 4 WHEN 6 WHEN 9 WHEN 11
                   MOVE 30 TO WS-DAYS
               WHEN 2
                   DIVIDE LS-YEAR BY 4 GIVING WS-QUOTIENT
                       REMAINDER WS-REST
                   IF WS-REST = 0
                       MOVE 29 TO WS-DAYS
                   ELSE
                       MOVE 28 TO WS-DAYS
                   END-IF
               WHEN 1 THRU 12
                   MOVE 31 TO WS-DAYS
               WHEN OTHER
                   MOVE 0 TO WS-DAYS
           END-EVALUATE.
       END PROGRAM GLDATE.
       END PROGRAM GLCHECK.
