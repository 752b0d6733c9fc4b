       IDENTIFICATION DIVISION.
       PROGRAM-ID. UTF.
       PROCEDURE DIVISION.
       MAIN.
           DISPLAY 'Grüße, déjà vu'.                                     PERFORM X
           PERFORM STEP-Ä.
       STEP-Ä.
           EXIT.
