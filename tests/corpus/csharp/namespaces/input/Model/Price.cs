namespace Shop.Model;

public struct Price { }
