package a;

public class Leaf extends Root {
}
