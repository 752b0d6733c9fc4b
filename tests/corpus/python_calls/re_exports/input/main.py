import pkg
import pkg.tools as kit
from pkg import Engine as Motor, start

start()
pkg.start()
pkg.tools.fix()
kit.fix()
kit.run()
Motor().go()
pkg.Engine()
