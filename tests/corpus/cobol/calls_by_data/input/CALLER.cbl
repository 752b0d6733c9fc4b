       IDENTIFICATION DIVISION.
       PROGRAM-ID. CALLER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-FIXED               PIC X(8) VALUE 'TARGET1'.
       01  WS-MOVED               PIC X(8) VALUE SPACES.
       01  WS-COPIED              PIC X(8).
       01  WS-INPUT               PIC X(8).
       01  WS-FLAG                PIC X(8) VALUE "TARGET4".
       78  CONST-NAME             VALUE IS "TARGET2".
       01  WS-MENU.
           05  FILLER             PIC X(8) VALUE 'TARGET3 '.
           05  FILLER             PIC X(8) VALUE 'TARGET4'.
       01  WS-TABLE REDEFINES WS-MENU.
           05  WS-ENTRY           PIC X(8) OCCURS 2 TIMES.
           COPY NAMES.
       PROCEDURE DIVISION.
       MAIN.
           CALL WS-FIXED.
           MOVE 'TARGET2' TO WS-FLAG OF WS-GROUP WS-MOVED.
           MOVE "TARGET3" TO WS-MOVED.
           CALL WS-MOVED USING WS-FIXED ON EXCEPTION
               CONTINUE
           END-CALL
           MOVE WS-MOVED TO WS-COPIED.
           CALL WS-COPIED.
           CALL CONST-NAME.
           CALL WS-ENTRY (2).
           CALL CP-TARGET IN CP-GROUP.
           ACCEPT WS-INPUT.
           CALL WS-INPUT.
           MOVE 'NOWHERE' TO WS-GONE.
           CALL WS-GONE.
           CANCEL WS-FIXED WS-MOVED.
