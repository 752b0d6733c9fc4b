      *> One account of the general ledger.
       01  GL-ACCOUNT.
           05  GLA-NUMBER              PIC 9(4).
           05  GLA-NAME                PIC X(20).
           05  GLA-KIND                PIC X.
               88  GLA-IS-ASSET        VALUE 'A'.
               88  GLA-IS-INCOME       VALUE 'I'.
               88  GLA-IS-EXPENSE      VALUE 'E'.
           05  GLA-BALANCE             PIC S9(9)V99 COMP-3.
