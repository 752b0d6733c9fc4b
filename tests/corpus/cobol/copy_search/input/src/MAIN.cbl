       IDENTIFICATION DIVISION.
       PROGRAM-ID. MAIN.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           COPY BESIDE.
           COPY "beside2.cpy".
           COPY 'BESIDE' REPLACING ==OLD== BY ==NEW==.
       01  A. COPY folded SUPPRESS.
           COPY ELSEWHERE
              .
           COPY TODAY OF DATES.
           COPY TODAY IN WEEKS.
           COPY "../copy/UP.CPY".
           COPY NOT-THERE.
           COPY SQLCA.
           COPY TWICE.
           COPY MAPS.
       PROCEDURE DIVISION.
           COPY ELSEWHERE. GOBACK.
