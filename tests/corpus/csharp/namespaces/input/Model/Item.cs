namespace Shop.Model;

public class Item { public Price Cost; }
