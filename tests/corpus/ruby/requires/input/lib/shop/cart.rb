require "shop/item"

module Shop
  class Cart
    def add
      Item.new
    end
  end
end
