package lib;

public class Other {
}
