      *> The way out when nothing can go on.
       :PFX:-STOP.
           DISPLAY 'STOPPED: ' WS-REASON.
           MOVE 16 TO RETURN-CODE.
           STOP RUN.
