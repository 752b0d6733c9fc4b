package lib;

public class Tool {
}
