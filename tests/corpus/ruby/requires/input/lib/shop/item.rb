module Shop
  class Item; end
end
