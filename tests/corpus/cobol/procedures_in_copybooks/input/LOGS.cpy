       LOGGING SECTION.
       LOG-LOG.
           CONTINUE.
       WRITE-IT.
           CONTINUE.
