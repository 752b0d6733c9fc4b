      *> What can be wrong with an entry.
               88  GLE-GOOD            VALUE '00'.
               88  GLE-BAD-DATE        VALUE '10'.
               88  GLE-BAD-ACCOUNT     VALUE '20'.
               88  GLE-BAD-AMOUNT      VALUE '30'.
