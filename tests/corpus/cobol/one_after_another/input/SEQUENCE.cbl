       CBL APOST,LIB
       IDENTIFICATION DIVISION.
       PROGRAM-ID. FIRST-ONE.
       PROCEDURE DIVISION.
       MAIN.
           CALL 'SECOND-ONE'.
           EXIT PROGRAM.
      *----------------------------------------------------------------*
       ID DIVISION.
       PROGRAM-ID. SECOND-ONE.
       PROCEDURE DIVISION.
       MAIN.
           EXIT PROGRAM.
       PROGRAM-ID. THIRD-ONE.
       PROCEDURE DIVISION.
       MAIN.
       LATER. EXIT. MAIN-END. EXIT.
