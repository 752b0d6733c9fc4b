from zoo import Cat, Dog
from zoo import Fish, _cat
import zoo as z
