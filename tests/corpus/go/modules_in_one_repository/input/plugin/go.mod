module example.com/shop/plugin
