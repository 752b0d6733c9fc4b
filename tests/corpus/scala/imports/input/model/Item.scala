package shop.model

class Item(n: Int)
class Price
