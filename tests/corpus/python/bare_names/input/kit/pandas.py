import kit.frame
import frame
