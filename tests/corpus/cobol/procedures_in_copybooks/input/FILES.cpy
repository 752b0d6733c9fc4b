       :TAG:-OPEN.
           PERFORM :TAG:-EXIT.
       :TAG:-MIDDLE.
           CONTINUE.
       :TAG:-EXIT.
           EXIT.
       OLD-NAME.
           CONTINUE.
