package q;

/** Von Jürgen. */
public class Good {
}
