      *> One entry of the journal: an amount from one account to another.
       01  GL-ENTRY.
           05  GLE-DATE                PIC 9(8).
           05  GLE-DEBIT               PIC 9(4).
           05  GLE-CREDIT              PIC 9(4).
           05  GLE-AMOUNT              PIC S9(7)V99.
           05  GLE-STATUS              PIC X(2).
               COPY GLSTATUS.
