      * GLOPEN - fills the table of accounts.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. GLOPEN.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           COPY GLACCT.
           COPY GLTABLE.
       PROCEDURE DIVISION.
       0000-MAIN.
           MOVE 0 TO GLT-COUNT.
           MOVE '1000CASH                A' TO GL-ACCOUNT.
           PERFORM 1000-ADD.
           MOVE '4000SALES               I' TO GL-ACCOUNT.
           PERFORM 1000-ADD.
           MOVE '5000RENT                E' TO GL-ACCOUNT.
           PERFORM 1000-ADD.
           GOBACK.
       1000-ADD.
           ADD 1 TO GLT-COUNT.
           MOVE GLA-NUMBER TO GLT-NUMBER (GLT-COUNT).
           MOVE GLA-NAME TO GLT-NAME (GLT-COUNT).
           MOVE GLA-KIND TO GLT-KIND (GLT-COUNT).
           MOVE 0 TO GLT-BALANCE (GLT-COUNT).
