      *> All accounts, shared by the programs of one run.
       01  GL-ACCOUNTS EXTERNAL.
           05  GLT-COUNT               PIC 9(4) COMP.
           05  GLT-ACCOUNT OCCURS 100 TIMES INDEXED BY GLT-X.
               10  GLT-NUMBER          PIC 9(4).
               10  GLT-NAME            PIC X(20).
               10  GLT-KIND            PIC X.
               10  GLT-BALANCE         PIC S9(9)V99 COMP-3.
