           05 CUSTOMER PIC 9(5).
