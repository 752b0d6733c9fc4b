       IDENTIFICATION DIVISION.
       PROGRAM-ID. LATIN.
       PROCEDURE DIVISION.
       MAIN.
           DISPLAY 'Grüße, déjà vu'.                                     PERFORM X
           PERFORM STEP-Ä.
       STEP-Ä.
           EXIT.
