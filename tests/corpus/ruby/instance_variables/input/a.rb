class Engine
  def start; end
end

class Car
  def initialize
    @engine = Engine.new
    other = Engine.new
    other.start
  end

  def go
    @engine.start
  end
end
