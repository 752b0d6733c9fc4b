module A
  class Base; end
  module B
    class C < Base
      include Mixin
      def go; D.run; end
    end
  end
end
