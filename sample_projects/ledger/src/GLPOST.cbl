      * GLPOST - checks one entry and books it.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. GLPOST.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           COPY GLTABLE.
       01  WS-WANTED                   PIC 9(4).
       01  WS-DEBIT-ROW                PIC 9(4) COMP.
       LINKAGE SECTION.
           COPY GLENTRY.
       PROCEDURE DIVISION USING GL-ENTRY.
       CHECKING SECTION.
       CHECK-ENTRY.
           CALL 'GLCHECK' USING GL-ENTRY.
           IF NOT GLE-GOOD
               GO TO LEAVE
           END-IF.
           MOVE GLE-DEBIT TO WS-WANTED.
           PERFORM FIND-ACCOUNT.
           SET WS-DEBIT-ROW TO GLT-X.
           MOVE GLE-CREDIT TO WS-WANTED.
           PERFORM FIND-ACCOUNT.
           IF GLE-GOOD
               PERFORM BOOKING
           END-IF.
       LEAVE.
           GOBACK.
       LOOKING SECTION.
       FIND-ACCOUNT.
           SET GLT-X TO 1.
           SEARCH GLT-ACCOUNT
               AT END
                   SET GLE-BAD-ACCOUNT TO TRUE
               WHEN GLT-X > GLT-COUNT
                   SET GLE-BAD-ACCOUNT TO TRUE
               WHEN GLT-NUMBER (GLT-X) = WS-WANTED
                   CONTINUE
           END-SEARCH.
       BOOKING SECTION.
       BOOK-DEBIT.
           ADD GLE-AMOUNT TO GLT-BALANCE (WS-DEBIT-ROW).
       BOOK-CREDIT.
           SUBTRACT GLE-AMOUNT FROM GLT-BALANCE (GLT-X).
       END PROGRAM GLPOST.
