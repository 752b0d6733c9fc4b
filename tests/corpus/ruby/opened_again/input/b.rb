class Tool
  def second(x); end

  def third; end
end
