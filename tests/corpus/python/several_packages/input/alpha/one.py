from beta.two import x
import gamma
import gamma.tool
