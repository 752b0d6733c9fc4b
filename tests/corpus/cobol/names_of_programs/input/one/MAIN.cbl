       IDENTIFICATION DIVISION.
       PROGRAM-ID. 'MAIN-ONE'.
       PROCEDURE DIVISION.
           CALL 'SHARED'.
           CALL 'SECOND-DOOR' USING A.
           CALL "BYFILE".
           CALL "PUBLIC".
           CALL "CBLTDLI" USING A.
           CALL X"91" USING A B.
           CALL STATIC "SHARED".
           SET ADDRESS-OF-IT TO ENTRY 'SHARED'.
           CANCEL "PUBLIC".
