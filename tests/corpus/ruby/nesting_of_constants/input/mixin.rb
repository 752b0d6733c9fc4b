module A
  module Mixin; end
end
