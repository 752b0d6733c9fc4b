      * Nothing.
