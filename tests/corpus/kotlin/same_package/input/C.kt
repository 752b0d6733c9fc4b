class Base
class Other : Base()
