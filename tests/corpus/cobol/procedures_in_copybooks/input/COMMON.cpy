       INIT-ALL.
           PERFORM INIT-INNER.
           PERFORM FAILED.
           PERFORM PAY-OPEN.
           COPY INNER.
