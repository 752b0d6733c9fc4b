package q

class Thing:
  def run() = ()

def helper() = ()
