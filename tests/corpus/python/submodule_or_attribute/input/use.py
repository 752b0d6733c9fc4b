from kit import saw, hammer
from kit.drill import bit
from kit.saw import saw
from kit.drill.bit import size
from kit import drill as d, nothing
import kit.drill.bit as b
import kit.drill
