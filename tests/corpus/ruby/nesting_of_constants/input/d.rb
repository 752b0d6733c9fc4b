module A::B
  class D
    def self.run; end
  end
end
