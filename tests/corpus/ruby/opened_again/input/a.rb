class Tool
  def first
    second(1)
    self.third
  end
end
