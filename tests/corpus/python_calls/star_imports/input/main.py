from unlisted import *

shown()
public()
_odd()
_private()
left_out()
