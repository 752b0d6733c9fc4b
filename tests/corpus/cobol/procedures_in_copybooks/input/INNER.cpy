       INIT-INNER.
           CONTINUE.
