       01  CP-GROUP.
           05  CP-TARGET          PIC X(8) VALUE 'TARGET4'.
           05  CP-TEXT            PIC X(20) VALUE 'not a program name'.
