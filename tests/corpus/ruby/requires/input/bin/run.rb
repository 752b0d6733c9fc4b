require 'json'
require 'shop/cart'
require_relative '../lib/shop/item'
require_relative "missing"
require "shop/#{name}"

Shop::Cart.new.add
