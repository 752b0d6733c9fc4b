namespace Other;

public class Price { }
