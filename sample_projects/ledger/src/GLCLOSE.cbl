      * GLCLOSE - closes the period: what was earned goes to cash.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. GLCLOSE.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           COPY GLTABLE.
           COPY GLACCT.
       01  WS-RESULT                   PIC S9(9)V99 COMP-3 VALUE 0.
       01  WS-SHOWN                    PIC -(8)9.99.
       PROCEDURE DIVISION.
       0000-MAIN.
           PERFORM 1000-ADD-UP
               VARYING GLT-X FROM 1 BY 1 UNTIL GLT-X > GLT-COUNT.
           MOVE WS-RESULT TO WS-SHOWN.
           DISPLAY 'RESULT  ' WS-SHOWN.
           GOBACK.
       1000-ADD-UP.
           MOVE GLT-KIND (GLT-X) TO GLA-KIND.
           IF GLA-IS-INCOME OR GLA-IS-EXPENSE
               SUBTRACT GLT-BALANCE (GLT-X) FROM WS-RESULT
           END-IF.
