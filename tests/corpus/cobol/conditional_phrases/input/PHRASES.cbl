       IDENTIFICATION DIVISION.
       PROGRAM-ID. PHRASES.
       PROCEDURE DIVISION.
       FILES.
           READ F AT END MOVE 1 TO A NOT AT END MOVE 2 TO A END-READ
           READ F NEXT RECORD END
               IF A = 1
                   READ G INVALID KEY
                       MOVE 3
                         TO A
                   NOT INVALID KEY
                       MOVE 4 TO A
                   END-READ
               END-IF
           END-READ
           READ F NOT AT END CONTINUE.
       SUMS.
           ADD 1 TO A ON SIZE ERROR MOVE 1 TO B.
           COMPUTE A = B + 1 NOT ON SIZE ERROR MOVE 1 TO B END-COMPUTE.
           STRING A DELIMITED BY SIZE INTO B ON OVERFLOW CONTINUE.
           UNSTRING A DELIMITED BY "," OR ALL ";" INTO B.
       TABLES.
           SEARCH ALL T AT END MOVE 1 TO A
               WHEN T (I) = 1 AND U (I) = 2 MOVE 2 TO A
           END-SEARCH.
           CALL "PHRASES" ON EXCEPTION DISPLAY "X"
               NOT ON EXCEPTION DISPLAY "Y" END-CALL.
           GO TO FILES SUMS TABLES DEPENDING ON A.
